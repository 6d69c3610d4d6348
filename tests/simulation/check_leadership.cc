#include "simulation/check_leadership.h"

#include "simulation/describe.h"
#include "simulation/world.h"

namespace pollux::testing {

void LeadershipChecker::on_actions(const Member& member, const PairStatus& /*before*/, const PairStatus& after,
                                   std::span<const Action> actions) {
  for (const Action& action : actions) {
    const auto* propose = std::get_if<ProposeWitness>(&action);
    if (propose != nullptr && propose->next.backup) join_sent_[member.run()] = propose->next.epoch.prev();
  }
  if (after.role != Role::leading && after.role != Role::primary) {
    if (after.serving) throw Violation("I9: a member serves that is neither leading nor primary");
    return;
  }
  const Epoch epoch = after.configuration.epoch;
  const auto [leader, first] = leaders_.emplace(epoch, member.id());
  if (leader->second != member.id()) {
    throw Violation("I1: epoch " + std::to_string(epoch.value) + " has two leaders");
  }
  const Configuration* granted = world_->witness().of_epoch(epoch);
  if (granted == nullptr || granted->primary != member.id()) {
    throw Violation("I1: " + std::string(member.name()) + " leads in epoch " + std::to_string(epoch.value) +
                    ", which the witness did not give to this run");
  }
  if (granted->backup != after.configuration.backup) {
    throw Violation("I2: the primary of epoch " + std::to_string(epoch.value) +
                    " does not know who its backup is by the witness");
  }
  const auto join = join_sent_.find(member.run());
  const bool join_under_way = join != join_sent_.end() && join->second == epoch;
  const bool alone = after.serving && after.configuration.solo() && !join_under_way;
  const Configuration& held = world_->witness().configuration();
  const bool still_alone = held.primary == member.id() && held.solo();  // it may have won the next epoch already
  if (alone && held.epoch != epoch && !still_alone) {
    throw Violation("I4, I5: a solo primary serves in epoch " + std::to_string(epoch.value) + " while the witness holds " +
                    describe(held));
  }
}

void LeadershipChecker::on_witness_adopted(const SimWitness& witness, const Configuration& over) {
  const Configuration& now = witness.held();
  const Configuration* given = witness.of_epoch(now.epoch);
  if (given == nullptr || given->primary != now.primary || given->backup != now.backup) {
    throw Violation("I13: a witness was given a configuration that none ever gave: " + describe(now));
  }
  if (now.epoch <= over.epoch) throw Violation("I13: a witness was given an older configuration than it knows");
  for (std::size_t i = 0; i < 2; ++i) {
    const Member& member = world_->member(i);
    if (member.disk.state.configuration.epoch > now.epoch) {
      throw Violation("I13: a witness was given " + describe(now) + ", and " + member.name() + " knows epoch " +
                      std::to_string(member.disk.state.configuration.epoch.value));
    }
  }
  if (leaders_.upper_bound(now.epoch) != leaders_.end()) {
    throw Violation("I13: a witness was given " + describe(now) + " after a later epoch was led");
  }
}

void LeadershipChecker::on_witness(const SimWitness& witness, const Configuration& before) {
  const Configuration& now = witness.configuration();
  if (now.floor.lsn < before.floor.lsn) throw Violation("the witness's floor goes back");
  if (now.epoch == before.epoch) return;
  if (before.epoch.value == 0) return;
  const bool lead = !now.backup;
  const bool join = now.backup && now.primary == before.primary && before.solo() && *now.backup != now.primary;
  const bool hand_over = now.backup && before.backup && now.primary == *before.backup && *now.backup == before.primary;
  if (!lead && !join && !hand_over) {
    throw Violation("a change that is neither lead, join nor switch: " + describe(before) + " to " + describe(now));
  }
  // Who takes a place in the configuration holds all that was ever committed.
  const Position& committed = world_->committed_top();
  for (std::size_t i = 0; i < 2; ++i) {
    const Member& member = world_->member(i);
    const bool leads = (lead || hand_over) && now.primary == member.id();
    const bool joins = join && *now.backup == member.id();
    if (!leads && !joins) continue;
    if (member.disk.trail.last().lsn < committed.lsn || !member.disk.trail.holds(committed)) {
      throw Violation("I3, I5: " + std::string(member.name()) + " gets a place in " + describe(now) +
                      " and does not hold what is committed up to " + describe(committed));
    }
  }
  if (!lead) return;
  const IncarnationId winner = now.primary.incarnation;
  const bool named = winner == before.primary.incarnation || (before.backup && winner == before.backup->incarnation);
  if (!named) throw Violation("I3: a member that the configuration does not name has won `lead`");
  for (std::size_t i = 0; i < 2; ++i) {
    const Member& member = world_->member(i);
    if (member.incarnation() != winner || member.run() != now.primary.run) continue;
    if (!member.disk.trail.holds(now.floor) || member.disk.trail.last().lsn < now.floor.lsn) {
      throw Violation("I3: a member below the floor has won `lead`");
    }
  }
}

}  // namespace pollux::testing
