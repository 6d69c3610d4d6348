// The supervisor, with stub children: restarts, back-off, death reports, adoption, the order of stopping.
#include "pollux/services/node.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>

#include "child.h"
#include "pollux/services/control.h"
#include "pollux/services/member.h"
#include "restart_policy.h"

extern char** environ;

namespace pollux {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds deadline{30};

/// A running supervisor, and what it says.
class Host {
 public:
  explicit Host(const std::filesystem::path& file) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    output_ = FileDescriptor(ends[0]);
    const FileDescriptor other(ends[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    std::string stub = POLLUX_NODE_STUB, mode = "node", path = file.string();
    char* argv[] = {stub.data(), path.data(), mode.data(), nullptr};
    EXPECT_EQ(::posix_spawn(&pid_, stub.c_str(), &actions, nullptr, argv, environ), 0);
    ::posix_spawn_file_actions_destroy(&actions);
  }
  ~Host() {
    if (pid_ != 0) end(SIGTERM);
  }

  /// The next line that contains `part`; lines before it are skipped (and kept in `heard`).
  std::string wait_for(const std::string& part) {
    const auto until = Clock::now() + deadline;
    for (;;) {
      for (std::size_t end; (end = rest_.find('\n')) != std::string::npos;) {
        std::string line = rest_.substr(0, end);
        rest_.erase(0, end + 1);
        heard += line + "\n";
        if (line.find(part) != std::string::npos) return line;
      }
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
      pollfd wait{output_.get(), POLLIN, 0};
      char part_read[4096];
      const ssize_t count = left.count() > 0 && ::poll(&wait, 1, static_cast<int>(left.count())) > 0
                                ? ::read(output_.get(), part_read, sizeof part_read)
                                : 0;
      if (count <= 0) {
        ADD_FAILURE() << "never heard \"" << part << "\", but\n" << heard << rest_;
        return {};
      }
      rest_.append(part_read, static_cast<std::size_t>(count));
    }
  }

  /// A line with `part`, one heard before included.
  std::string wait_for_any(const std::string& part) {
    const auto at = heard.find(part);
    return at == std::string::npos ? wait_for(part) : heard.substr(at, heard.find('\n', at) - at);
  }

  /// Everything serves, and the backup is there too.
  void wait_until_whole() {
    wait_for("ready");
    if (heard.find("bank.b | up") == std::string::npos) wait_for("bank.b | up");
  }

  /// Sends a signal and waits for the end; returns the exit code, or minus the signal.
  int end(int number) {
    ::kill(pid_, number);
    return wait_for_end();
  }
  int wait_for_end() {
    int status = 0;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

  std::string heard;

 private:
  pid_t pid_ = 0;
  FileDescriptor output_;
  std::string rest_;
};

class NodeTest : public ::testing::Test {
 protected:
  NodeTest() {
    char name[] = "/tmp/pollux-node-XXXXXX";
    root_ = ::mkdtemp(name);
    configure("restart_min_ms = 10\nrestart_max_ms = 40\n");
  }
  ~NodeTest() override {
    for (const char* file : {"data/bank/a/lock", "data/bank/b/lock", "data/run/web.lock"}) {
      const pid_t pid = pid_of(file);
      if (pid > 0 && ::kill(pid, 0) == 0 && is_stub(pid)) {
        ::kill(pid, SIGKILL);
        ADD_FAILURE() << "process " << pid << " of " << file << " outlived the test";
      }
    }
    std::filesystem::remove_all(root_);
  }

  void configure(const std::string& node) {
    file_ = root_ / "pollux.toml";
    std::ofstream(file_) << "data = \"data\"\n[node]\n"
                         << node << R"(
[[pair]]
name = "bank"
service = "groupware"
[[gateway]]
name = "web"
listen = "127.0.0.1:0"
pair = "bank"
)";
    config_ = *load_config(file_);
  }
  void behave(const std::string& child, const std::string& how) {
    ASSERT_TRUE(prepare_data_directory(config_));
    std::ofstream(root_ / "data" / ("behave." + child)) << how << "\n";
  }
  [[nodiscard]] pid_t pid_of(const std::string& file) const { return read_lock_text(root_ / file).pid; }
  /// Lives, and is one of ours. A zombie (its new parent has not looked yet) is dead.
  [[nodiscard]] static bool is_stub(pid_t pid) {
    std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
    std::string number, comm, state;
    in >> number >> comm >> state;
    return comm.starts_with("(services_node") && state != "Z";
  }
  /// Waits until a process that is no child of ours has ended.
  static void wait_for_death(pid_t pid) {
    const FileDescriptor fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!fd.valid()) return;
    pollfd wait{fd.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&wait, 1, 30000), 1) << "process " << pid << " lives on";
  }
  std::string ask(const std::string& command) {
    std::string answer;
    const Result<void> called =
        control_call(node_control(config_), command, std::chrono::seconds(10), [&](const std::string& line) {
          answer += line;
          return true;
        });
    EXPECT_TRUE(called) << called.error().text;
    return answer;
  }

  std::filesystem::path root_, file_;
  Config config_;
};

TEST_F(NodeTest, StartsEverythingSaysWhenItIsReadyAndStopsGatewaysBeforeMembers) {
  Host host(file_);
  host.wait_until_whole();
  ::kill(host.pid(), SIGTERM);
  host.wait_for("gateway.web | stopping");
  EXPECT_EQ(host.heard.find("bank.a | stopping"), std::string::npos);
  EXPECT_EQ(host.heard.find("bank.b | stopping"), std::string::npos);
  host.wait_for_any("bank.a | stopping");
  host.wait_for_any("bank.b | stopping");
  EXPECT_EQ(host.wait_for_end(), NodeExit::stopped);
}

TEST_F(NodeTest, NoMemberIsLeftToGoSoloWhileTheOtherStops) {
  configure("stop_limit_ms = 3600000\n");
  behave("bank.b", "deaf");
  Host host(file_);
  host.wait_for("ready");
  ::kill(host.pid(), SIGTERM);
  host.wait_for("bank.a | stopping");  // though its backup has not stopped
  ::kill(host.pid(), SIGTERM);
  EXPECT_EQ(host.wait_for_end(), NodeExit::stopped);
}

TEST_F(NodeTest, ReportsADeathToThePeerAndStartsTheMemberAgain) {
  Host host(file_);
  host.wait_until_whole();
  const LockText before = read_lock_text(root_ / "data/bank/a/lock");
  ::kill(before.pid, SIGKILL);
  host.wait_for("bank.a (process " + std::to_string(before.pid) + ") ended: signal 9");
  const std::string told = host.wait_for("bank.b | told");
  EXPECT_NE(told.find("supervisor-death-report"), std::string::npos) << told;
  EXPECT_NE(told.find(to_string(before.run)), std::string::npos) << told;
  EXPECT_NE(told.find(to_string(before.boot)), std::string::npos) << told;
  while (pid_of("data/bank/a/lock") == before.pid) host.wait_for("bank.a | up");
}

TEST_F(NodeTest, StartsAGatewayAgain) {
  Host host(file_);
  host.wait_for("ready");
  ::kill(pid_of("data/run/web.lock"), SIGKILL);
  host.wait_for("gateway.web (process");
  host.wait_for("gateway.web | up");
}

TEST_F(NodeTest, WaitsTwiceAsLongAfterEachDeathUpToALimit) {
  behave("bank.b", "exit 1");
  Host host(file_);
  host.wait_for("bank.b (process");
  EXPECT_NE(host.heard.find("exit code 1; starting it again in 10 ms"), std::string::npos) << host.heard;
  host.wait_for("exit code 1; starting it again in 20 ms");
  host.wait_for("exit code 1; starting it again in 40 ms");
  host.wait_for("exit code 1; starting it again in 40 ms");
  behave("bank.b", "");
  host.wait_for("bank.b | up");
}

TEST_F(NodeTest, ChildrenOutliveAKilledNodeAndTheNextOneAdoptsThem) {
  const char* locks[] = {"data/bank/a/lock", "data/bank/b/lock", "data/run/web.lock"};
  std::vector<pid_t> pids;
  {
    Host first(file_);
    first.wait_until_whole();
    for (const char* lock : locks) pids.push_back(pid_of(lock));
    EXPECT_EQ(first.end(SIGKILL), -SIGKILL);
  }
  for (pid_t pid : pids) EXPECT_EQ(::kill(pid, 0), 0);
  Host second(file_);
  for (std::size_t i = 0; i < 3; ++i) second.wait_for("goes on as process " + std::to_string(pids[i]));
  second.wait_for("ready");
  EXPECT_NE(ask(R"({"command":"status"})").find(R"("adopted":true)"), std::string::npos);

  ::kill(pids[0], SIGKILL);
  second.wait_for("bank.a (process " + std::to_string(pids[0]) + ") ended");
  second.wait_for("bank.b | told");  // the output of an adopted child goes on
  second.wait_for("bank.a | up");
  EXPECT_EQ(second.end(SIGTERM), NodeExit::stopped);
  for (pid_t pid : pids) wait_for_death(pid);
}

TEST_F(NodeTest, ChildrenHaveThreeDescriptorsAGatewayItsSocketNoSignalHeldBackAndASessionOfTheirOwn) {
  // What an init system or a shell may leave to the node must not be handed on.
  const FileDescriptor leaked(::open("/dev/null", O_RDONLY));
  sigset_t usr1, before;
  ::sigemptyset(&usr1);
  ::sigaddset(&usr1, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &usr1, &before);
  const auto hup_before = ::signal(SIGHUP, SIG_IGN);
  for (const char* child : {"bank.a", "gateway.web"}) behave(child, "tells");
  Host host(file_);
  ::signal(SIGHUP, hup_before);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  for (const char* child : {"bank.a", "gateway.web"}) {
    const std::string told = host.wait_for_any(std::string(child) + " | descriptors:");
    const std::string socket = child == std::string("gateway.web") ? " 3" : "";
    EXPECT_NE(told.find("descriptors: 0 1 2" + socket + "; blocked:; ignored:; session: own"), std::string::npos) << told;
  }
}

TEST_F(NodeTest, ChildrenHaveTheNodesEnvironmentAndAnAllocatorThatKeepsMoreForAThread) {
  ::setenv("POLLUX_NODE_TEST", "handed on", 1);
  behave("bank.a", "tells");
  {
    ::unsetenv("GLIBC_TUNABLES");
    Host host(file_);
    host.wait_for("bank.a | GLIBC_TUNABLES=glibc.malloc.tcache_count=200");
    host.wait_for("bank.a | POLLUX_NODE_TEST=handed on");
  }
  ::setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=3", 1);  // an operator's own
  Host host(file_);
  host.wait_for("bank.a | GLIBC_TUNABLES=glibc.malloc.tcache_count=3");
  ::unsetenv("GLIBC_TUNABLES");
  ::unsetenv("POLLUX_NODE_TEST");
}

TEST_F(NodeTest, AMemberThatFindsItsPlaceTakenIsReplacedByTheHolder) {
  behave("bank.a", "late");
  Host host(file_);
  host.wait_for("bank.a: goes on as process");
  EXPECT_NE(ask(R"({"command":"status"})").find(R"("adopted":true)"), std::string::npos);
}

TEST_F(NodeTest, DoesNotStartAgainWhatCannotGetBetterUntilAsked) {
  behave("bank.b", "exit " + std::to_string(MemberExit::damaged));
  Host host(file_);
  const std::string line = host.wait_for("bank.b (process");
  EXPECT_NE(line.find("not started again"), std::string::npos) << line;
  const std::string status = ask(R"({"command":"status"})");
  EXPECT_NE(status.find(R"("state":"held")"), std::string::npos) << status;
  behave("bank.b", "");
  EXPECT_NE(ask(R"({"command":"restart","name":"bank.b"})").find("started again"), std::string::npos);
  host.wait_for("bank.b | up");
}

TEST_F(NodeTest, AnOrderedRestartDoesNotWait) {
  configure("restart_min_ms = 3600000\nrestart_max_ms = 3600000\n");
  Host host(file_);
  host.wait_until_whole();
  ask(R"({"command":"restart","name":"bank.b"})");
  host.wait_for("bank.b | stopping");
  host.wait_for("bank.b: stopped for its restart");
  host.wait_for("bank.b | up");
}

TEST_F(NodeTest, AMemberWhoseDiskFailedIsTriedAgainSlowly) {
  behave("bank.b", "exit " + std::to_string(MemberExit::storage_failed));
  Host host(file_);
  const std::string line = host.wait_for("bank.b (process");
  EXPECT_NE(line.find("in 30000 ms: its disk failed"), std::string::npos) << line;
}

TEST_F(NodeTest, OnlyOneNodeSupervisesADataDirectory) {
  Host host(file_);
  host.wait_for("ready");
  Host second(file_);
  const std::string line = second.wait_for("is in use by process");
  EXPECT_NE(line.find(std::to_string(host.pid())), std::string::npos) << line;
  EXPECT_EQ(second.wait_for_end(), NodeExit::in_use);
}

TEST_F(NodeTest, KillsAChildThatDoesNotStopInTime) {
  configure("stop_limit_ms = 100\n");
  behave("bank.b", "deaf");
  Host host(file_);
  host.wait_for("bank.b | deaf");
  ::kill(host.pid(), SIGTERM);
  host.wait_for("bank.b: has not stopped within 100 ms; killed");
  EXPECT_EQ(host.wait_for_end(), NodeExit::stopped);
}

TEST_F(NodeTest, ASecondSignalKillsAtOnce) {
  configure("stop_limit_ms = 3600000\n");
  behave("bank.b", "deaf");
  Host host(file_);
  host.wait_for("ready");
  ::kill(host.pid(), SIGINT);
  host.wait_for("stopping (Interrupt)");
  host.wait_for("gateway.web | stopping");
  ::kill(host.pid(), SIGINT);
  EXPECT_EQ(host.wait_for_end(), NodeExit::stopped);
}

TEST_F(NodeTest, KeepsLogFilesSmall) {
  configure("log_bytes_max = 65536\n");
  behave("bank.b", "chatty");
  Host host(file_);
  host.wait_for("bank.b | a line of the chatty child that is about sixty bytes long, 2999");
  EXPECT_EQ(host.end(SIGTERM), NodeExit::stopped);
  EXPECT_LE(std::filesystem::file_size(root_ / "data/log/bank.b.log"), 65536u);
  EXPECT_GT(std::filesystem::file_size(root_ / "data/log/bank.b.log.1"), 0u);
}

TEST_F(NodeTest, ACommandItDoesNotKnowIsOneClearError) {
  Host host(file_);
  host.wait_for("ready");
  EXPECT_NE(ask(R"({"command":"dance"})").find("unknown command"), std::string::npos);
  EXPECT_NE(ask("nonsense").find("one JSON object"), std::string::npos);
  EXPECT_NE(ask(R"({"command":"restart","name":"bank.c"})").find("known: bank.a bank.b gateway.web"),
            std::string::npos);
  EXPECT_NE(ask(R"({"command":"stop"})").find("stops"), std::string::npos);
  EXPECT_EQ(host.wait_for_end(), NodeExit::stopped);
}

TEST(RestartPolicy, DoublesThePauseAndForgetsAfterAHealthyLife) {
  using std::chrono::milliseconds;
  RestartPolicy policy({.restart_min_ms = 100, .restart_max_ms = 1000, .healthy_after_ms = 60000});
  const ChildEnd killed{.code = {}, .signal = SIGKILL};
  for (int pause : {100, 200, 400, 800, 1000, 1000}) {
    EXPECT_EQ(policy.ended(killed, milliseconds(5)).pause, milliseconds(pause));
  }
  EXPECT_EQ(policy.ended(killed, milliseconds(60000)).pause, milliseconds(100));
  EXPECT_EQ(policy.ended(killed, milliseconds(5)).pause, milliseconds(200));
  policy.forget();
  EXPECT_EQ(policy.ended({}, milliseconds(5)).pause, milliseconds(100));
}

TEST(RestartPolicy, HoldsWhatWillNotGetBetterAndSaysWhatToDo) {
  RestartPolicy policy({});
  for (int code : {MemberExit::usage, MemberExit::bad_config, MemberExit::in_use, MemberExit::damaged}) {
    const RestartPolicy::Verdict verdict = policy.ended({.code = code, .signal = {}}, {});
    EXPECT_FALSE(verdict.again) << code;
    EXPECT_FALSE(verdict.advice.empty()) << code;
  }
  for (int code : {MemberExit::stopped, 1, MemberExit::storage_failed, MemberExit::hung}) {
    EXPECT_TRUE(policy.ended({.code = code, .signal = {}}, {}).again) << code;
  }
}

}  // namespace
}  // namespace pollux
