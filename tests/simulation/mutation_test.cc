// A checker that can't fail is a defect: each rule is broken on purpose in some seeds, and the simulator must
// find it. What it says then must name the matter.
#include <gtest/gtest.h>

#include <functional>
#include <ostream>

#include "simulation/simulation.h"

namespace pollux::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Case {
  Mutation mutation;
  std::string says;                       ///< one of these words is in what the checkers say; separated by '|'
  std::function<void(Plan&)> worsen;      ///< makes the broken rule matter more often
};

constexpr std::uint64_t seeds_max = 600;  // some mutants are rare

bool says_one_of(const std::string& what, const std::string& words) {
  for (std::size_t begin = 0; begin <= words.size();) {
    const std::size_t end = std::min(words.find('|', begin), words.size());
    if (what.find(words.substr(begin, end - begin)) != std::string::npos) return true;
    begin = end + 1;
  }
  return false;
}

void often_killed(Plan& plan) { plan.kill = {milliseconds(700)}; }

const std::vector<Case> cases{
    {Mutation::reply_before_commit, "not in the trail|otherwise than the trail|before its record|not linearizable", often_killed},
    {Mutation::forced_too_early, "not on its disk|is on its disk|does not hold|durable|on every disk", often_killed},
    {Mutation::forget_epoch, "I10|I1|I3", often_killed},
    {Mutation::forget_sessions, "in the trail twice|was answered|a final answer", often_killed},
    {Mutation::forget_quarantine, "poison", [](Plan& plan) { plan.poison = 0.05; }},
    {Mutation::lying_death_report, "not linearizable|I2|I4", [](Plan& plan) {
       plan.options.reads = ReadMode::lease;
       plan.only_queries_and_puts = true;
       plan.think = milliseconds(8);
       plan.keys = 1;
       plan.requesters = 4;
       plan.queries = 0.85;
       plan.outstanding_max = 8;
       plan.loss = 0.3;  // of the news who serves now
       plan.witness_delay = milliseconds(1);
       plan.witness_fault = {};
     }},
    {Mutation::fast_clock, "not linearizable", [](Plan& plan) {
       plan.options.reads = ReadMode::lease;
       plan.options.lease = plan.options.grace * 95 / 100;
       plan.only_queries_and_puts = true;
       plan.think = milliseconds(8);
       plan.cut = {milliseconds(600)};
       plan.witness_delay = milliseconds(1);
       plan.witness_fault = {};
     }},
    {Mutation::witness_grants_twice, "I1|I2|I4", [](Plan& plan) {
       plan.cut = {milliseconds(600)};
       often_killed(plan);
     }},
    {Mutation::wipe_in_sync, "I3|lost|does not hold|I2", [](Plan& plan) {
       plan.wiped = 0.5;
       often_killed(plan);
     }},
    {Mutation::old_disk_without_floor, "I3|lost|does not hold|I2|I10", [](Plan& plan) {
       plan.old_disk = 0.8;
       often_killed(plan);
       plan.kill_both = {seconds(1)};
     }},
    {Mutation::read_uncommitted, "not linearizable", [](Plan& plan) {
       plan.queries = 0.6;
       plan.kill = {milliseconds(500)};
       plan.cut = {milliseconds(500)};
     }},
    {Mutation::readers_not_told, "not linearizable", [](Plan& plan) {
       plan.reads_beside = 0.8;
       plan.queries = 0.6;
       plan.keys = 1;
       often_killed(plan);
     }},
    {Mutation::told_epoch_forgotten, "not linearizable", [](Plan& plan) {
       plan.reads_beside = 0.8;
       plan.queries = 0.6;
       plan.keys = 1;
       plan.kill_both = {milliseconds(500)};
     }},
    {Mutation::read_applied_only, "not linearizable", nullptr},
    {Mutation::ask_answers_tombstone, "not in the trail|was answered", [](Plan& plan) { plan.gives_up = 0.8; }},
    {Mutation::change_stored_replies, "was answered|otherwise than the trail", often_killed},
    {Mutation::bit_flip_unseen, "differs at LSN", [](Plan& plan) {
       plan.bit_flip = {milliseconds(500)};
       plan.trail_keeps = 0;
       plan.kill = plan.kill_both = plan.power_loss = {};
     }},
    {Mutation::never_heals, "liveness", [](Plan& plan) { plan.heal_limit = seconds(5); }},
};

void PrintTo(const Case& mutant, std::ostream* out) { *out << to_string(mutant.mutation); }

class Mutants : public ::testing::TestWithParam<Case> {};

TEST_P(Mutants, AreFound) {
  const Case& mutant = GetParam();
  std::string others;
  for (std::uint64_t seed = 1; seed <= seeds_max; ++seed) {
    Plan plan = plan_of(seed);
    plan.mutation = mutant.mutation;
    if (mutant.worsen) mutant.worsen(plan);
    const SeedResult result = run_plan(plan);
    if (result.ok) continue;
    if (says_one_of(result.what, mutant.says)) return;
    others += "seed " + std::to_string(seed) + ": " + result.what + "\n";
  }
  FAIL() << "no checker noticed in " << seeds_max << " seeds; others said:\n" << others;
}

INSTANTIATE_TEST_SUITE_P(Simulation, Mutants, ::testing::ValuesIn(cases),
                         [](const auto& test) { return std::string(to_string(test.param.mutation)); });

}  // namespace
}  // namespace pollux::testing
