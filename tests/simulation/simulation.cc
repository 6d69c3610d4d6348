#include "simulation/simulation.h"

#include <exception>

#include "pollux/core/check.h"
#include "simulation/check_durability.h"
#include "simulation/check_epochs.h"
#include "simulation/check_history.h"
#include "simulation/check_leadership.h"
#include "simulation/check_linearizable.h"
#include "simulation/check_poison.h"
#include "simulation/describe.h"
#include "simulation/nemesis.h"
#include "simulation/record_store.h"
#include "simulation/trace.h"
#include "simulation/world.h"

namespace pollux::testing {
namespace {

/// A failed POLLUX_CHECK, in core or in the simulator itself.
struct CheckFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void throw_check(const char* condition, const char* file, int line, const char* why) {
  throw CheckFailed("check failed: " + std::string(condition) + " (" + file + ":" + std::to_string(line) + ") " + why);
}

class HandlerScope {
 public:
  HandlerScope() { set_check_handler(throw_check); }
  ~HandlerScope() { set_check_handler(nullptr); }
};

void live(World& world, const Plan& plan) {
  if (const auto valid = check(plan.options); !valid) throw Violation("bad options: " + valid.error().text);
  Nemesis nemesis(world, world.fork_random());
  world.begin();
  nemesis.begin(plan.busy_time);
  world.run_for(plan.busy_time);
  world.observe([](Observer& observer) { observer.on_fault("all faults end"); });
  world.heal();
  world.settle();
  // Idle sessions may still be closed; nothing else happens any more.
  for (int i = 0; i < 50 && (i == 0 || !world.at_rest()); ++i) world.run_for(std::chrono::milliseconds(100));
  if (!world.at_rest()) throw Violation("liveness: the pair came to rest and did not stay so:\n" + world.describe());
  world.observe([&](Observer& observer) { observer.on_end(world); });
}

}  // namespace

SeedResult run_plan(const Plan& plan, std::ostream* trace) {
  const HandlerScope handler;
  SeedResult result;
  World world(plan);
  Trace tracer(world, trace);
  Fingerprint fingerprint(world);
  RecordStore store;
  LeadershipChecker leadership(world);
  DurabilityChecker durability(world);
  EpochChecker epochs;
  HistoryChecker history(world, store);
  LinearizabilityChecker linearizability;
  PoisonChecker poison(world);
  ProbeObserver probes(world, result.probes);
  if (trace != nullptr) world.watch_with(&tracer);
  for (Observer* observer : std::initializer_list<Observer*>{&fingerprint, &store, &leadership, &durability, &epochs,
                                                             &history, &linearizability, &poison, &probes}) {
    world.watch_with(observer);
  }
  try {
    live(world, plan);
  } catch (const std::exception& failure) {  // Violation or CheckFailed
    result.ok = false;
    result.what = failure.what();
    if (trace != nullptr) {
      for (const Operation& operation : world.history()) *trace << "  " << describe(operation) << "\n";
      *trace << "\n" << result.what << "\n" << world.describe();
    }
  }
  result.steps = world.schedule().steps();
  result.operations = world.history().size();
  result.records = world.committed_top().lsn.value;
  result.fingerprint = fingerprint.value();
  return result;
}

SeedResult run_seed(std::uint64_t seed, std::ostream* trace) { return run_plan(plan_of(seed), trace); }

std::string replay_command(std::uint64_t seed) { return "pollux_simulation --seed " + std::to_string(seed) + " --trace"; }

}  // namespace pollux::testing
