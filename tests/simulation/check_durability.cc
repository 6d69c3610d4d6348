#include "simulation/check_durability.h"

#include "simulation/describe.h"
#include "simulation/world.h"

namespace pollux::testing {

void DurabilityChecker::on_durable(const Member& member, const RecordPtr& record) {
  durable_.emplace(member.incarnation(), record->hash);
}

void DurabilityChecker::on_start(const Member& member) {
  for (const RecordPtr& record : member.disk.trail.after(member.disk.trail.base().lsn)) on_durable(member, record);
}

bool DurabilityChecker::was_durable(const IncarnationId& incarnation, const Position& position) const {
  if (position.lsn.value == 0 || durable_.contains({incarnation, position.hash})) return true;
  for (std::size_t i = 0; i < 2; ++i) {
    const Member& member = world_->member(i);
    if (member.incarnation() == incarnation && position.lsn <= member.disk.trail.base().lsn) return true;
  }
  return false;
}

bool DurabilityChecker::durable_under(const Member& member, const PairStatus& status, const Position& position) const {
  if (!was_durable(member.incarnation(), position)) return false;
  if (status.configuration.backup && !was_durable(status.configuration.backup->incarnation, position)) return false;
  // From sending `join` until its outcome is known both configurations are obeyed (I5).
  const auto join = join_sent_.find(member.run());
  const bool under_way = join != join_sent_.end() && join->second.epoch == status.configuration.epoch;
  return !under_way || was_durable(join->second.newcomer.incarnation, position);
}

void DurabilityChecker::check_committed(const Position& position) {
  const auto [known, first] = committed_.emplace(position.lsn, position.hash);
  if (known->second != position.hash) {
    throw Violation("I2: two different records were committed at LSN " + std::to_string(position.lsn.value));
  }
}

void DurabilityChecker::on_actions(const Member& member, const PairStatus& before, const PairStatus& after,
                                   std::span<const Action> actions) {
  for (const Action& action : actions) {
    if (const auto* propose = std::get_if<ProposeWitness>(&action)) {
      const Configuration& next = propose->next;
      if (next.backup && next.primary == member.id()) join_sent_[member.run()] = {next.epoch.prev(), *next.backup};
    }
    if (const auto* commit = std::get_if<Commit>(&action)) {
      check_committed(commit->upto);
      if (!was_durable(member.incarnation(), commit->upto)) {
        throw Violation("I2: " + std::string(member.name()) + " commits " + describe(commit->upto) +
                        ", which is not on its disk");
      }
      if (after.role != Role::primary && after.role != Role::leading) continue;
      world_->committed(commit->upto);
      if (!durable_under(member, before, commit->upto) && !durable_under(member, after, commit->upto)) {
        throw Violation("I2: " + describe(commit->upto) + " is committed and not on every disk of the configuration");
      }
    }
    const auto* send = std::get_if<SendReply>(&action);
    if (send == nullptr || send->reply.lsn.value == 0) continue;
    const Lsn lsn = send->reply.lsn;
    const auto hash = member.disk.trail.hash_at(lsn);
    if (!hash && lsn <= member.disk.trail.base().lsn) continue;  // dropped long after it was committed
    if (!hash) {
      throw Violation("I2: a reply leaves " + std::string(member.name()) + " before its record " +
                      std::to_string(lsn.value) + " is on its disk");
    }
    const Position position{lsn, *hash};
    if (!durable_under(member, before, position) && !durable_under(member, after, position)) {
      throw Violation("I2: a reply leaves before its record " + describe(position) +
                      " is on every disk of the configuration");
    }
    check_committed(position);
  }
}

void DurabilityChecker::on_cut(const Member& member, const RecordPtr& record) {
  // A member that nobody counts on may drop good records, to fetch them again.
  const Configuration& held = world_->witness().configuration();
  const bool counted_on = held.primary.incarnation == member.incarnation() ||
                          (held.backup && held.backup->incarnation == member.incarnation());
  if (counted_on && record->record.lsn <= world_->committed_top().lsn) {
    throw Violation("I5: " + std::string(member.name()) + ", which the configuration names, drops " +
                    describe(record->record));
  }
}

void DurabilityChecker::on_end(const World& world) {
  const SimTrail& trail = world.member(0).disk.trail;
  for (const auto& [lsn, hash] : committed_) {
    if (lsn > trail.last().lsn) throw Violation("committed record " + std::to_string(lsn.value) + " is lost");
    const auto held = trail.hash_at(lsn);
    if (held && *held != hash) throw Violation("committed record " + std::to_string(lsn.value) + " became another one");
  }
}

}  // namespace pollux::testing
