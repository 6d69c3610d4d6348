// Stands in for the `pollux` command in the supervisor's tests: `node_stub FILE node` supervises, and its
// children are `node_stub FILE member PAIR NAME` and `node_stub FILE gateway NAME`, which only lock, talk and
// end.
//
// A file `<data>/behave.<child>` tells a child what to do: "exit N", "deaf" (ignores SIGTERM), "chatty",
// "tells" (what it was started with), or "late" (another process already holds the lock: exits with 4). Member a says that it is primary.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "clocks.h"
#include "directory_lock.h"
#include "pollux/services/config.h"
#include "pollux/services/control.h"
#include "pollux/services/member.h"
#include "pollux/services/node.h"

namespace pollux {
namespace {

void print(const std::string& line) {
  const std::string whole = line + "\n";
  if (::write(1, whole.data(), whole.size()) < 0) _exit(9);
}

int wait_for_term() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int stop : {SIGTERM, SIGUSR1}) ::sigaddset(&set, stop);
  int number = 0;
  ::sigwait(&set, &number);
  print("stopping");
  return MemberExit::stopped;
}

std::string behaviour(const Config& config, const std::string& child) {
  std::ifstream in(config.data / ("behave." + child));
  std::string text;
  std::getline(in, text);
  return text;
}

/// What the node gave this process, before it changed anything: for the behaviour "tells".
struct StartedWith {
  sigset_t blocked{};
  std::string ignored, descriptors;
};

StartedWith look_at_start() {
  StartedWith found;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &found.blocked);
  for (int number = 1; number < 32; ++number) {
    struct sigaction action{};
    if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN)
      found.ignored += " " + std::to_string(number);
  }
  for (int fd = 0; fd < 256; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) found.descriptors += " " + std::to_string(fd);
  }
  return found;
}
StartedWith started_with;

void tell_start() {
  for (const char* name : {"GLIBC_TUNABLES", "POLLUX_NODE_TEST"}) {
    const char* value = std::getenv(name);
    print(std::string(name) + "=" + (value == nullptr ? "not set" : value));
  }
  std::string blocked;
  for (int number = 1; number < 32; ++number) {
    if (::sigismember(&started_with.blocked, number) == 1) blocked += " " + std::to_string(number);
  }
  print("descriptors:" + started_with.descriptors + "; blocked:" + blocked + "; ignored:" + started_with.ignored +
        "; session: " + (::getsid(0) == ::getpid() ? "own" : "not own"));
}

int run_child_behaviour(const std::string& how) {
  if (how == "tells") tell_start();
  if (how == "chatty") {
    for (int i = 0; i < 3000; ++i)
      print("a line of the chatty child that is about sixty bytes long, " + std::to_string(i));
  }
  if (how == "deaf") {
    print("deaf");
    for (;;) ::pause();
  }
  return wait_for_term();
}

int stub_member(const Config& config, const std::string& pair, const std::string& name) {
  const MemberConfig& member = config.find_pair(pair)->members[name == "a" ? 0 : 1];
  const std::string how = behaviour(config, pair + "." + name);
  if (how.starts_with("exit ")) return std::atoi(how.c_str() + 5);
  if (how == "late") {
    std::ofstream(config.data / ("behave." + pair + "." + name)) << "\n";
    if (::fork() != 0) {
      while (!lock_holder(member.directory)) ::usleep(1000);
      return MemberExit::in_use;
    }
    ::setsid();
  }
  const auto lock = ProcessLock::take(member.directory, random_id<RunId>(), *read_boot_id());
  if (!lock) {
    print(lock.error().text);
    return MemberExit::in_use;
  }
  const auto control = ControlServer::open(member.control, [&](const std::string& line, const auto& reply) {
    if (line.find("status") != std::string::npos) {
      reply(name == "a" ? R"({"role":"primary","serving":true,"done":true})"
                        : R"({"role":"backup","serving":false,"done":true})");
    } else {
      print("told " + line);
      reply(R"({"text":"ok","done":true})");
    }
  });
  if (!control) {
    print(control.error().text);
    return 1;
  }
  print("up");
  return run_child_behaviour(how);
}

int stub_gateway(const Config& config, const std::string& name) {
  const std::string how = behaviour(config, "gateway." + name);
  if (how.starts_with("exit ")) return std::atoi(how.c_str() + 5);
  const int fd = ::open((config.data / "run" / (name + ".lock")).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) return MemberExit::in_use;
  const std::string text = "pid=" + std::to_string(::getpid()) + "\nlisten=127.0.0.1:8080\n";
  if (::ftruncate(fd, 0) != 0 || ::write(fd, text.data(), text.size()) < 0) return 1;
  print("up");
  return run_child_behaviour(how);
}

int node(const Config& config, const std::string& self, const std::string& file) {
  NodeOptions options;
  options.command = {self, file};
  options.say = print;
  options.ready = [] { print("ready"); };
  options.child_line = [](std::string_view child, std::string_view line) {
    print(std::string(child) + " | " + std::string(line));
  };
  return run_node(config, options);
}

int run(const std::vector<std::string>& arguments) {
  Result<Config> config = load_config(arguments.at(1));
  if (config) {
    if (Result<void> prepared = prepare_data_directory(*config); !prepared)
      config = std::unexpected(prepared.error());
  }
  if (!config) {
    print(config.error().text);
    return 3;
  }
  const std::string& mode = arguments.at(2);
  if (mode == "node") return node(*config, arguments.at(0), arguments.at(1));
  sigset_t set;
  ::sigemptyset(&set);
  for (const int stop : {SIGTERM, SIGUSR1}) ::sigaddset(&set, stop);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  if (mode == "member") return stub_member(*config, arguments.at(3), arguments.at(4));
  return stub_gateway(*config, arguments.at(3));
}

}  // namespace
}  // namespace pollux

int main(int argc, char** argv) {
  pollux::started_with = pollux::look_at_start();
  return pollux::run({argv, argv + argc});
}
