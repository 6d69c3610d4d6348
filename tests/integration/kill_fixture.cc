#include "integration/kill_fixture.h"

#include <fstream>
#include <iostream>
#include <iterator>
#include <thread>

namespace pollux::testing {

std::vector<std::uint64_t> kill_seeds(std::vector<std::uint64_t> seeds) {
  if (const char* seed = std::getenv("POLLUX_KILL_SEED")) return {std::strtoull(seed, nullptr, 10)};
  return seeds;
}

void KillFixture::seed(std::uint64_t seed) {
  seed_ = seed;
  random_.seed(seed);
  std::cout << "seed " << seed << "; another one: POLLUX_KILL_SEED=n\n";
}

void KillFixture::kill_something(bool with_gateway) {
  const auto choice = random_() % (with_gateway ? 120 : 100);
  if (choice < 35) {
    kill_role("primary");
  } else if (choice < 60) {
    kill_role("backup");
  } else if (choice < 75) {
    kill_both();
  } else if (choice < 100) {
    kill_supervisor();
  } else {
    kill_gateway();
  }
}

bool KillFixture::recover_before_next_kill() {
  if (random_() % 2 == 0) return true;
  std::this_thread::sleep_for(std::chrono::milliseconds(random_() % 400));
  return false;
}

void KillFixture::tell_story() {
  if (HasFailure()) std::cerr << "killed, with seed " << seed_ << ":" << story_ << "\n";
}

// The member of that role, or any one if right now there is none: then it is in between, which is a good
// moment, too.
void KillFixture::kill_role(const std::string& role) {
  if (!kill_role_if_any(role)) kill_told(status(random_() % 2));
}

bool KillFixture::kill_role_if_any(const std::string& role) {
  for (const std::size_t member : {0, 1}) {
    const auto told = pair().status(member);
    if (!told || told->role != role) continue;
    kill_told(*told);
    return true;
  }
  return false;
}

void KillFixture::kill_both() {
  const auto a = status(0), b = status(1);
  if (HasFatalFailure()) return;
  const bool a_first = random_() % 2 == 0;
  kill_told(a_first ? a : b);
  kill_told(a_first ? b : a);
}

// Members go on without their supervisor; the next one adopts them. Sometimes one dies while there is none.
void KillFixture::kill_supervisor() {
  note("supervisor");
  pair().node()->signal(SIGKILL);
  ASSERT_TRUE(pair().node()->wait(std::chrono::seconds(30)));
  if (random_() % 3 == 0) kill_role_if_any(random_() % 2 == 0 ? "primary" : "backup");
  const auto started = pair().start_node();
  ASSERT_TRUE(started) << started.error().text;
}

void KillFixture::kill_gateway() {
  pid_t pid = 0;
  wait_until("the gateway's process", [&] { return (pid = gateway_pid()) != 0; });
  if (HasFatalFailure()) return;
  note("gateway");
  kill(pid, SIGKILL);
}

pid_t KillFixture::gateway_pid() {
  for (const pid_t pid : processes_with_argument(pollux_command(), pair().home().string())) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline", std::ios::binary);
    const std::string arguments((std::istreambuf_iterator<char>(file)), {});
    if (arguments.find(std::string("\0gateway\0", 9)) != std::string::npos) return pid;
  }
  return 0;
}

void KillFixture::kill_told(const MemberStatus& victim) {
  if (HasFatalFailure()) return;
  note("member " + victim.member + " (" + victim.role + ")");
  kill(victim.pid, SIGKILL);
}

void KillFixture::note(const std::string& victim) {
  ++kills_;
  story_ += "\n  " + std::to_string(kills_) + ": " + victim;
}

}  // namespace pollux::testing
