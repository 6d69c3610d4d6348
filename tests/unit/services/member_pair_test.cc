// Two member processes, a real requester, and kill -9.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <atomic>
#include <fstream>
#include <map>
#include <optional>

#include "directory_lock.h"
#include "pollux/ipc/requester.h"
#include "pollux/ledger/ledger.h"
#include "pollux/services/control.h"
#include "pollux/services/member.h"
#include "support.h"

extern char** environ;

namespace pollux {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using ::testing::HasSubstr;

/// A child process that does not outlive the test.
class Child {
 public:
  Child() = default;
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() {
    if (pid_ > 0) kill_now();
  }
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}
  Child& operator=(Child&& other) noexcept {
    std::swap(pid_, other.pid_);
    return *this;
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const { ::kill(pid_, number); }
  /// Exit code, or minus the signal.
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  void kill_now() {
    signal(SIGKILL);
    wait();
  }
  [[nodiscard]] bool ended() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid_;
  }

 private:
  pid_t pid_ = 0;
};

class MemberPair : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("POLLUX_LEDGER_TEST_REQUESTS", "1", 1); }

  void start(const std::string& name) {
    const std::string data = directory_.path().string();
    std::vector<char*> argv;
    std::string program = POLLUX_LEDGER_MEMBER, first = data, second = name;
    for (std::string* each : {&program, &first, &second}) argv.push_back(each->data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const std::string output = data + "/" + name + ".out";
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    pid_t pid = 0;
    ASSERT_EQ(posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    members_[name] = Child(pid);
  }

  std::string output(const std::string& name) {
    std::ifstream file(directory_.path() / (name + ".out"));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string ask(const std::string& name, const std::string& command) {
    std::string last;
    const auto socket = directory_.path() / (name + ".control");
    const auto called = control_call(socket, command, 20s, [&](const std::string& line) {
      last = line;
      return true;
    });
    return called ? last : called.error().text;
  }
  std::string status(const std::string& name) { return ask(name, R"({"command": "status"})"); }
  bool status_has(const std::string& name, const std::string& text) {
    return status(name).find(text) != std::string::npos;
  }
  bool serves(const std::string& name) { return status_has(name, R"("serving":true)"); }
  bool is_backup(const std::string& name) { return status_has(name, R"("role":"backup")"); }

  void start_both() {
    start("a");
    start("b");
    ASSERT_TRUE(eventually([&] { return serves("a") && is_backup("b"); }))
        << status("a") << "\n" << status("b") << "\n" << output("a") << output("b");
    open_requester();
  }

  void open_requester() {
    const Config config = testing::ledger_config(directory_.path());
    PairAddress address{config.cluster, "ledger", {}};
    for (const auto& member : config.pairs.front().members) address.endpoints.push_back(member.listen);
    auto opened = Requester::open(address, {.deadline = 50s});
    ASSERT_TRUE(opened) << opened.error().text;
    requester_ = *std::move(opened);
  }

  Code request(const ledger::Request& body) {
    const auto reply = requester_->call(ledger::encode(body));
    return reply ? reply->code : reply.error().code;
  }
  ledger::Total total() {
    const auto reply = requester_->query(ledger::encode(ledger::Query{ledger::AskTotal{}}));
    EXPECT_TRUE(reply) << reply.error().text;
    return reply ? ledger::decode_total(reply->payload).value() : ledger::Total{};
  }

  testing::TestDirectory directory_;
  std::map<std::string, Child> members_;
  std::unique_ptr<Requester> requester_;
};

TEST_F(MemberPair, GoesOnWhenThePrimaryIsKilledWhileTransfersRun) {
  start_both();
  ASSERT_EQ(request(ledger::OpenMany{.first = 1, .count = 10, .cents = 1000}), Code::ok);
  std::atomic<bool> stop{false};
  std::atomic<int> done{0};
  std::thread load([&] {
    for (std::uint64_t i = 0; !stop; ++i) {
      const auto code = request(ledger::Transfer{.from = 1 + i % 10, .to = 1 + (i + 3) % 10, .cents = 1, .memo = ""});
      EXPECT_EQ(code, Code::ok) << i << ": " << to_string(code);
      ++done;
    }
  });
  EXPECT_TRUE(eventually([&] { return done > 20; }));
  members_["a"].kill_now();
  const int before = done;
  EXPECT_TRUE(eventually([&] { return done > before + 20; })) << status("b") << output("b");
  EXPECT_TRUE(eventually([&] { return serves("b"); }));
  start("a");
  EXPECT_TRUE(eventually([&] { return is_backup("a") && status_has("b", R"("solo":false)"); })) << status("a") << output("a");
  members_["b"].kill_now();
  const int again = done;
  EXPECT_TRUE(eventually([&] { return done > again + 20; })) << status("a") << output("a");
  stop = true;
  load.join();
  const ledger::Total sum = total();
  EXPECT_EQ(sum.accounts, 10U);
  EXPECT_EQ(sum.cents, 10'000);
  EXPECT_EQ(sum.deposited, 10'000);
}

TEST_F(MemberPair, BothKilledLoseNothing) {
  start_both();
  ASSERT_EQ(request(ledger::OpenMany{.first = 1, .count = 5, .cents = 100}), Code::ok);
  for (int i = 0; i < 10; ++i) ASSERT_EQ(request(ledger::Deposit{.account = 2, .cents = 1, .memo = ""}), Code::ok);
  members_["b"].kill_now();
  members_["a"].kill_now();
  start("a");
  start("b");
  EXPECT_EQ(request(ledger::Deposit{.account = 3, .cents = 1, .memo = ""}), Code::ok);
  EXPECT_EQ(total().cents, 511);
  EXPECT_TRUE(eventually([&] { return (serves("a") && is_backup("b")) || (serves("b") && is_backup("a")); }))
      << status("a") << "\n" << status("b") << output("a") << output("b");
}

TEST_F(MemberPair, SwitchesByOrderAndStopsByOrder) {
  start_both();
  ASSERT_EQ(request(ledger::OpenAccount{.account = 1}), Code::ok);
  EXPECT_THAT(ask("a", R"({"command": "switch"})"), HasSubstr(R"("done":true)"));
  EXPECT_TRUE(eventually([&] { return serves("b") && is_backup("a"); })) << status("a") << status("b");
  EXPECT_EQ(request(ledger::Deposit{.account = 1, .cents = 5, .memo = ""}), Code::ok);
  EXPECT_THAT(ask("b", R"({"command": "audit-verify"})"), HasSubstr(R"("faults":[])"));
  members_["b"].signal(SIGTERM);
  EXPECT_EQ(members_["b"].wait(), MemberExit::stopped) << output("b");
  EXPECT_TRUE(eventually([&] { return serves("a"); })) << status("a") << output("a");
  EXPECT_EQ(request(ledger::Deposit{.account = 1, .cents = 5, .memo = ""}), Code::ok);
  members_["a"].signal(SIGTERM);
  EXPECT_EQ(members_["a"].wait(), MemberExit::stopped) << output("a");
}

TEST_F(MemberPair, ARequestThatCrashesItsMemberIsQuarantinedAfterOneCrashOfEach) {
  start_both();
  std::atomic<bool> stop{false};
  std::map<std::string, int> deaths;
  std::thread supervisor([&] {
    while (!stop) {
      for (const std::string name : {"a", "b"}) {
        if (!members_[name].ended()) continue;
        ++deaths[name];
        members_[name].wait();
        start(name);
      }
      std::this_thread::sleep_for(5ms);
    }
  });
  const auto reply = requester_->call(ledger::encode(ledger::Request{ledger::Misbehave{ledger::Misbehave::How::crash, 0}}));
  const Code code = reply ? reply->code : reply.error().code;
  EXPECT_EQ(code, Code::quarantined) << to_string(code) << output("a") << output("b");
  EXPECT_EQ(request(ledger::OpenAccount{.account = 1}), Code::ok);
  EXPECT_TRUE(eventually([&] { return (serves("a") && is_backup("b")) || (serves("b") && is_backup("a")); }))
      << status("a") << "\n" << status("b");
  stop = true;
  supervisor.join();
  EXPECT_EQ(deaths["a"], 1);
  EXPECT_EQ(deaths["b"], 1);
  EXPECT_TRUE(eventually([&] { return status_has("a", R"("quarantined":[])") && status_has("b", R"("quarantined":[])"); }))
      << status("a") << "\n" << status("b");
}

TEST_F(MemberPair, ASecondMemberOfTheSameNameIsRefusedInOneLine) {
  start("a");
  ASSERT_TRUE(eventually([&] { return lock_holder(directory_.path() / "a").has_value(); }));
  EXPECT_EQ(lock_holder(directory_.path() / "a")->pid, members_["a"].pid());
  const pid_t first = members_["a"].pid();
  Child running = std::move(members_["a"]);
  start("a");
  EXPECT_EQ(members_["a"].wait(), MemberExit::in_use);
  EXPECT_THAT(output("a"), HasSubstr("is in use by process " + std::to_string(first)));
  members_["a"] = std::move(running);
}

TEST_F(MemberPair, AnotherPairsDirectoryIsRefusedInOneLine) {
  std::filesystem::create_directories(directory_.path() / "a");
  ASSERT_TRUE(claim_directory(directory_.path() / "a", {{{9}}, "ledger", "a"}));
  start("a");
  EXPECT_EQ(members_["a"].wait(), MemberExit::bad_config);
  EXPECT_THAT(output("a"), HasSubstr("belongs to another cluster"));
}

}  // namespace
}  // namespace pollux
