#include "simulation/probes.h"

#include <utility>

#include "simulation/world.h"

namespace pollux::testing {

std::string_view name(Probe probe) {
  static constexpr std::string_view names[] = {
#define POLLUX_SIM_PROBE(name, words) #name,
#include "simulation/probes.inc"
#undef POLLUX_SIM_PROBE
  };
  return names[static_cast<std::size_t>(probe)];
}

std::string_view words(Probe probe) {
  static constexpr std::string_view texts[] = {
#define POLLUX_SIM_PROBE(name, words) words,
#include "simulation/probes.inc"
#undef POLLUX_SIM_PROBE
  };
  return texts[static_cast<std::size_t>(probe)];
}

std::string ProbeCounts::never_reached() const {
  std::string text;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) {
      const auto probe = static_cast<Probe>(i);
      text += "  " + std::string(name(probe)) + ": " + std::string(words(probe)) + "\n";
    }
  }
  return text;
}

std::string ProbeCounts::list() const {
  std::string text;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const auto probe = static_cast<Probe>(i);
    std::string count = std::to_string(counts_[i]);
    count.insert(0, count.size() < 9 ? 9 - count.size() : 0, ' ');
    text += count + "  " + std::string(name(probe)) + ": " + std::string(words(probe)) + "\n";
  }
  return text;
}

ProbeObserver::OfMember& ProbeObserver::of(const Member& member) {
  return of_.at(static_cast<std::size_t>(member.index()));
}

void ProbeObserver::on_start(const Member& member) {
  const auto index = static_cast<std::size_t>(member.index());
  OfMember& mine = of(member);
  const bool wiped = !incarnations_.at(index).none() && incarnations_.at(index) != member.incarnation();
  const bool restored = restored_.at(index) != member.disk_restored;
  mine = OfMember{.wiped_since = mine.wiped_since || wiped, .restored_since = mine.restored_since || restored};
  incarnations_.at(index) = member.incarnation();
  restored_.at(index) = member.disk_restored;
}

void ProbeObserver::on_death(const Member& member, Death death) {
  const Member& other = world_->other(member);
  if (!other.up()) hit(Probe::both_down);
  if (of(member).snapshot_under_way) hit(Probe::snapshot_interrupted);
  if (death == Death::aborted && member.disk.in_execution && hung_.contains(*member.disk.in_execution)) {
    hit(Probe::hung_executor);
  }
}

void ProbeObserver::on_pause(const Member& member) {
  of(member).paused_as_primary = member.status().role == Role::primary;
}

void ProbeObserver::on_execute(const Member& /*member*/, const SyncId& sync, const RegisterRequest& request) {
  if (request.verb == Verb::hang) hung_.insert(sync);
}

void ProbeObserver::on_event(const Member& member, const PairStatus& before, const Event& event) {
  OfMember& mine = of(member);
  mine.cause = std::holds_alternative<Tick>(event)              ? Cause::tick
               : std::holds_alternative<TakeoverOrdered>(event) ? Cause::order
                                                                : Cause::other;
  mine.died.reset();
  if (const auto* death = std::get_if<DeathReported>(&event)) {
    mine.cause = Cause::death;
    mine.died = death->run;
  }
  if (std::holds_alternative<TailRead>(event) && before.role == Role::primary) hit(Probe::tail_catch_up);
  if (const auto* installed = std::get_if<SnapshotInstalled>(&event)) {
    mine.snapshot_under_way = !installed->rows_complete;
    if (installed->rows_complete) hit(Probe::snapshot_catch_up);
  }
  if (std::holds_alternative<TrailCut>(event)) hit(Probe::trail_cut);
  if (const auto* repaired = std::get_if<RecordRepaired>(&event); repaired != nullptr && repaired->ok) {
    hit(Probe::damaged_record_repaired);
  }
  if (std::holds_alternative<StorageFailed>(event)) hit(Probe::failed_disk);
  if (const auto* said = std::get_if<WitnessSaid>(&event)) {
    using Outcome = WitnessSaid::Outcome;
    if (said->outcome == Outcome::lost) hit(Probe::proposal_lost);
    if (said->outcome == Outcome::in_doubt && mine.proposed_join) {
      mine.join_in_doubt = true;
      hit(Probe::join_in_doubt);
    }
    if (said->outcome == Outcome::in_doubt && mine.proposed_switch) hit(Probe::switch_in_doubt);
    const auto& disk = member.disk.state;
    if (said->view && said->view->configuration.epoch > disk.configuration.epoch &&
        said->view->configuration.primary.incarnation == member.incarnation() &&
        said->view->configuration.primary.run != member.run()) {
      hit(Probe::dead_runs_epoch);
    }
  }
}

void ProbeObserver::see_proposal(const Member& member, const PairStatus& before, const PairStatus& after,
                                 const Configuration& next) {
  OfMember& mine = of(member);
  const bool lead = !next.backup;
  if (lead && next.epoch.value > 1 && before.role == Role::backup) {
    if (mine.cause == Cause::death) hit(Probe::takeover_by_death_report);
    if (mine.cause == Cause::tick) hit(Probe::takeover_by_silence);
    if (mine.cause == Cause::order) hit(Probe::takeover_by_order);
  }
  mine.proposed_join = next.backup && next.primary == member.id() && after.joining;
  mine.proposed_switch = mine.proposed_switch || (next.backup && next.primary != member.id());
}

void ProbeObserver::see_reply(const PairStatus& after, const RequesterReply& reply, std::uint32_t requester) {
  switch (reply.code) {
    case Code::busy: hit(Probe::busy); return;
    case Code::full: hit(Probe::full); return;
    case Code::not_primary: hit(Probe::not_primary); return;
    case Code::window_exceeded: hit(Probe::window_exceeded); return;
    case Code::sync_id_too_old: hit(Probe::sync_id_too_old); return;
    case Code::session_expired: hit(Probe::session_expired); return;
    case Code::tombstone: hit(Probe::tombstone); break;
    case Code::quarantined: hit(Probe::quarantined); break;
    case Code::aborted: hit(Probe::aborted); break;
    case Code::deadline_exceeded: hit(Probe::deadline_exceeded); break;
    default: break;
  }
  if (reply.lsn.value == 0) return;
  const Operation* operation = world_->requester(requester).operation(reply.number);
  if (operation == nullptr || operation->query) return;
  const auto made = executed_in_.find(operation->sync);
  if (made != executed_in_.end() && made->second < after.configuration.epoch) hit(Probe::stored_reply_after_takeover);
  if (after.disk_full && operation->request.verb == Verb::erase && reply.code == Code::ok) hit(Probe::freed_space);
  if (!answered_.insert(operation->sync).second) hit(Probe::stored_reply_repeated);
  if (reply.code != Code::tombstone && world_->requester(requester).asked_with(reply.number)) hit(Probe::outcome_found);
}

void ProbeObserver::see_message(const PeerBody& body) {
  if (std::holds_alternative<ConfigurationNews>(body)) hit(Probe::older_epoch_answered);
  const auto* ack = std::get_if<CheckpointAck>(&body);
  if (ack != nullptr && ack->resend_after) hit(Probe::resend_after_gap);
}

void ProbeObserver::see_role(const Member& member, const RoleChanged& change) {
  OfMember& mine = of(member);
  const bool led = change.from == Role::primary || change.from == Role::leading;
  const bool leads = change.to == Role::primary || change.to == Role::leading;
  if (led && !leads && change.to != Role::stopped) {
    hit(Probe::deposed);
    if (mine.paused_as_primary) hit(Probe::paused_primary_returns);
  }
  if (change.to == Role::backup) {
    if (mine.wiped_since) hit(Probe::wiped_member_joined);
    if (mine.restored_since) hit(Probe::restored_member_joined);
    mine.wiped_since = mine.restored_since = false;
  }
}

void ProbeObserver::on_actions(const Member& member, const PairStatus& before, const PairStatus& after,
                               std::span<const Action> actions) {
  OfMember& mine = of(member);
  bool proposed = false;
  for (const Action& action : actions) {
    if (const auto* propose = std::get_if<ProposeWitness>(&action)) {
      proposed = true;
      see_proposal(member, before, after, propose->next);
    } else if (const auto* send = std::get_if<SendReply>(&action)) {
      see_reply(after, send->reply, static_cast<std::uint32_t>(send->route.value));
    } else if (const auto* tell = std::get_if<SendPeer>(&action)) {
      see_message(tell->message.body);
    } else if (const auto* change = std::get_if<RoleChanged>(&action)) {
      see_role(member, *change);
    } else if (const auto* answer = std::get_if<OrderAnswered>(&action)) {
      hit(answer->code == Code::ok ? Probe::order_done : Probe::order_refused);
    } else if (std::holds_alternative<RunQuery>(action)) {
      if (after.solo) hit(Probe::read_solo);
      else hit(world_->plan().options.reads == ReadMode::lease ? Probe::read_by_lease : Probe::read_confirmed);
    } else if (const auto* log = std::get_if<Log>(&action)) {
      if (log->text.starts_with("this member may not lead")) hit(Probe::floor_refusal);
    } else if (const auto* stop = std::get_if<Stop>(&action)) {
      if (stop->abort && !member.disk.in_execution) hit(Probe::hung_force);
      if (!stop->abort && stop->reason.code == Code::ok) hit(Probe::stopped_by_order);
    }
  }
  if (mine.cause == Cause::death && mine.died != world_->other(member).run() && !proposed) {
    hit(Probe::late_death_report_ignored);
  }
  if (after.witness_refused) {
    if (!mine.was_refused) hit(Probe::witness_refused);
    mine.was_refused = true;
  } else if (mine.was_refused) {
    mine.was_refused = false;
    hit(Probe::witness_adopted);
  }
  if (before.serving && !after.serving && after.role == Role::primary) hit(Probe::silent_primary_stops_serving);
}

void ProbeObserver::on_record(const Member& /*member*/, const RecordPtr& record, const Hash& /*previous*/) {
  const RecordView& made = record->record;
  if (made.kind == RecordKind::request) executed_in_[made.sync] = made.epoch;
  if (made.kind != RecordKind::session_closed) return;
  hit(Probe::session_idle);
}

void ProbeObserver::on_cut(const Member& /*member*/, const RecordPtr& /*record*/) { hit(Probe::records_set_aside); }

void ProbeObserver::on_read_beside(bool found) {
  hit(found ? Probe::read_beside : Probe::read_beside_too_early);
}

void ProbeObserver::on_witness_adopted(const SimWitness& /*witness*/, const Configuration& /*over*/) {
  hit(Probe::witness_brought_forward);
}

void ProbeObserver::on_witness(const SimWitness& witness, const Configuration& before) {
  const Configuration& now = witness.configuration();
  if (now.epoch == before.epoch) return;
  if (now.epoch.value == 1) hit(Probe::founded);
  if (now.backup && now.primary == before.primary) {
    hit(Probe::joined);
    for (std::size_t i = 0; i < 2; ++i) {
      OfMember& mine = of_.at(i);
      if (world_->member(i).id() == now.primary && std::exchange(mine.join_in_doubt, false)) hit(Probe::join_landed_late);
    }
  }
  if (now.backup && before.backup && now.primary == *before.backup) hit(Probe::switched);
  for (std::size_t i = 0; i < 2; ++i) {
    const Member& member = world_->member(i);
    if (now.primary.incarnation != member.incarnation() || now.backup) continue;
    OfMember& mine = of(member);
    if (before.primary.incarnation == now.primary.incarnation && before.primary.run != now.primary.run) {
      hit(Probe::restarted_primary_leads);
    }
    if (before.primary != now.primary) continue;
    if (before.backup) {
      hit(Probe::went_solo);
      const Member& other = world_->other(member);
      if (other.up() && !other.paused() && other.run() == before.backup->run) hit(Probe::left_behind);
    }
    if (mine.join_in_doubt) hit(Probe::join_settled_by_lead);
    if (mine.proposed_switch) hit(Probe::switch_cancelled);
    mine.join_in_doubt = mine.proposed_switch = false;
  }
}

}  // namespace pollux::testing
