// The seeds that every build runs, and that a seed's run can be repeated exactly.
#include "simulation/simulation.h"

#include <gtest/gtest.h>

namespace pollux::testing {
namespace {

constexpr std::uint64_t seeds = 2000;
constexpr std::uint64_t failures_shown = 3;

TEST(Simulation, NoSeedBreaksARuleAndEveryRareBranchIsReached) {
  ProbeCounts probes;
  std::uint64_t failures = 0;
  for (std::uint64_t seed = 1; seed <= seeds && failures < failures_shown; ++seed) {
    const SeedResult result = run_seed(seed);
    probes.add(result.probes);
    if (result.ok) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << ": " << result.what << "\n  replay: " << replay_command(seed);
  }
  if (failures > 0) return;
  EXPECT_EQ(probes.never_reached(), "") << "never reached; see probes.inc";
}

TEST(Simulation, ASeedReplaysItsRunExactly) {
  for (const std::uint64_t seed : {7, 41, 300}) {
    const SeedResult first = run_seed(seed);
    const SeedResult second = run_seed(seed);
    EXPECT_EQ(first.fingerprint, second.fingerprint) << "seed " << seed;
    EXPECT_EQ(first.steps, second.steps);
    EXPECT_EQ(first.what, second.what);
  }
  EXPECT_NE(run_seed(7).fingerprint, run_seed(8).fingerprint);
}

}  // namespace
}  // namespace pollux::testing
