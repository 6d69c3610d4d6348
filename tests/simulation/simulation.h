// Runs one seed: makes its world, lets it be harmed, heals it, and checks it all along and at the end.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "simulation/plan.h"
#include "simulation/probes.h"

namespace pollux::testing {

struct SeedResult {
  bool ok = true;
  std::string what;            ///< the rule that was broken
  ProbeCounts probes;
  std::uint64_t steps = 0, operations = 0, records = 0;
  std::uint64_t fingerprint = 0;  ///< of all events and actions: equal for equal seeds
};

/// `trace`: where to tell everything that happens; null: nowhere.
SeedResult run_seed(std::uint64_t seed, std::ostream* trace = nullptr);
SeedResult run_plan(const Plan& plan, std::ostream* trace = nullptr);

/// The command that runs a seed again.
std::string replay_command(std::uint64_t seed);

}  // namespace pollux::testing
