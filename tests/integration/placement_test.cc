// `cpus`: a member's threads run where its configuration says, and only there.
#include <gmock/gmock.h>
#include <sched.h>

#include <algorithm>
#include <fstream>

#include "integration/pair_under_test.h"

namespace pollux::testing {
namespace {

using ::testing::HasSubstr;

class PlacementTest : public PairUnderTest {
 protected:
  /// The CPUs this test itself may use.
  static std::vector<int> usable() {
    cpu_set_t set;
    std::vector<int> cpus;
    EXPECT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
    }
    return cpus;
  }
  /// Of every thread of a process.
  static std::vector<std::vector<int>> cpus_of_threads(pid_t pid) {
    std::vector<std::vector<int>> all;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
      cpu_set_t set;
      if (::sched_getaffinity(std::stoi(thread.path().filename()), sizeof set, &set) != 0)
        continue;  // has ended
      std::vector<int> cpus;
      for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
      }
      all.push_back(cpus);
    }
    return all;
  }
};

TEST_F(PlacementTest, EveryThreadOfAMemberRunsWhereItIsToldAndTheOtherMemberAnywhere) {
  const auto cpus = usable();
  ASSERT_FALSE(cpus.empty());
  start_with({.cpus_a = {cpus.back()}});
  if (HasFatalFailure()) return;
  const auto threads = cpus_of_threads(status(0).pid);
  EXPECT_GE(threads.size(), 8u) << "core, executor, forcer, applier, queries, ...";
  EXPECT_THAT(threads, ::testing::Each(std::vector<int>{cpus.back()}));
  EXPECT_THAT(cpus_of_threads(status(1).pid), ::testing::Each(cpus));

  // After a restart, too: it is the configuration's, not the process's.
  const auto before = status(0);
  kill_member(0);
  wait_until("the member to be back", [&] {
    const auto told = pair().status(0);
    return told && told->run != before.run;
  });
  EXPECT_THAT(cpus_of_threads(status(0).pid), ::testing::Each(std::vector<int>{cpus.back()}));
}

TEST_F(PlacementTest, ACpuThatIsNotThereIsOneClearLineAndNoMemberRunsSomewhereElse) {
  const auto home =
      std::move(*TemporaryDirectory::make(std::filesystem::temp_directory_path(), "pollux-cpus-"));
  const auto file = home->path() / "pollux.toml";
  std::ofstream(file) << "data = \"data\"\n[[pair]]\nname = \"ledger\"\nservice = \"ledger\"\n"
                         "[[pair.member]]\nname = \"a\"\ncpus = [1023]\n";
  const auto result = run_pollux({"--config", file.string(), "member", "ledger", "a"});
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_THAT(result.output, HasSubstr("pair.member.cpus: this host has no CPU 1023; it has "));
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
}

}  // namespace
}  // namespace pollux::testing
