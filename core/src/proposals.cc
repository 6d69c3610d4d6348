// Proposals to the witness: lead, join, hand over (the design's `switch`). One is under way at a time.
#include <algorithm>

#include "machine.h"

namespace pollux {

void Pair::Machine::propose(Proposal kind, Configuration next, std::string reason) {
  POLLUX_CHECK(next.epoch == config_.epoch.next());
  proposal_ = Pending{kind, std::move(next), std::move(reason), next_ticket_++, steady(), false};
  out_->push_back(ProposeWitness{proposal_->ticket, proposal_->next});
}

void Pair::Machine::propose_lead(const std::string& reason) {
  if (newer_ || witness_refused_ || incomplete_) return;
  // A join or hand-over in doubt is got rid of by winning the next epoch oneself (I6).
  if (proposal_ && proposal_->kind == Proposal::lead) return;
  if (below_floor()) return;
  Configuration next = config_;
  next.cluster = options_.cluster;
  next.epoch = config_.epoch.next();
  next.primary = options_.me;
  next.backup.reset();
  propose(Proposal::lead, std::move(next), reason);
}

bool Pair::Machine::below_floor() {
  if (durable_.lsn < config_.floor.lsn && executed_.lsn < config_.floor.lsn) {
    if (told_once_.insert("floor").second) {
      log(Log::Level::error, "this member may not lead: its trail ends at LSN " +
                                 std::to_string(durable_.lsn.value) + ", below the committed LSN " +
                                 std::to_string(config_.floor.lsn.value) + " that the witness knows");
    }
    return true;
  }
  if (const auto mine = hash_in_memory(config_.floor.lsn); mine && *mine != config_.floor.hash) {
    if (told_once_.insert("floor hash").second) {
      log(Log::Level::error, "this member may not lead: its trail differs from the committed one at LSN " +
                                 std::to_string(config_.floor.lsn.value));
    }
    return true;
  }
  return false;
}

void Pair::Machine::go_solo(const std::string& reason, bool proven_death) {
  POLLUX_CHECK(leads_or_serves());
  // Ordered to stop, it need not go on alone: while both are named, either can lead when they start again.
  if (stopping_) return stop(false, Code::ok, "stopped by order");
  if (proposal_ && proposal_->kind == Proposal::lead) return;
  // A link that flaps is joined more and more slowly; a process that died and is back at once is none.
  if (!proven_death && joined_at_ != Instant{} && steady() - joined_at_ < options_.rejoin_backoff_max) {
    rejoin_backoff_ = std::min(rejoin_backoff_ * 2, options_.rejoin_backoff_max);
  } else {
    rejoin_backoff_ = options_.rejoin_backoff_min;
  }
  rejoin_not_before_ = steady() + rejoin_backoff_;
  // The newcomer's promise (I5) ends with the epoch: a new one is won although this member is alone already.
  if (joining_ && !proposal_) give_up_join();
  propose_lead(reason);
}

void Pair::Machine::begin_join(const MemberId& newcomer, const Position& after, const Position& durable) {
  POLLUX_CHECK(role_ == Role::primary && config_.solo() && !joining_ && !proposal_);
  // From now on both configurations are obeyed, until the outcome is known (I5). The proposal follows as soon
  // as the newcomer has acknowledged what was committed so far; nothing more is committed without it.
  joining_ = newcomer;
  acked_ = durable;
  second_acked_ = false;
  checkpoint_wanted_ = true;
  sent_ = sent_most_ = after.lsn;
  acked_progress_ = steady();
  lease_until_ = {};
}

void Pair::Machine::propose_join() {
  // Not before the newcomer holds all that was committed without it: once `join` stands it may lead.
  if (!joining_ || proposal_ || newer_ || witness_refused_ || role_ != Role::primary) return;
  if (!second_acked_ || acked_.lsn < committed_.lsn) return;
  POLLUX_CHECK(config_.solo());
  Configuration next = config_;
  next.epoch = config_.epoch.next();
  next.backup = joining_;
  propose(Proposal::join, std::move(next), "the backup is in sync");
}

void Pair::Machine::give_up_join() {
  // Nothing was proposed: the configuration is what it was, and the primary alone in it.
  POLLUX_CHECK(joining_ && !proposal_ && config_.solo());
  joining_.reset();
  second_acked_ = true;
  reads_waiting_.insert(reads_waiting_.begin(), std::make_move_iterator(reads_in_round_.begin()),
                        std::make_move_iterator(reads_in_round_.end()));
  reads_in_round_.clear();
  start_confirm_round();
}

void Pair::Machine::on(WitnessSaid&& event) {
  if (event.ticket < witness_heard_from_) return;  // of the time before an adoption
  const bool for_read = event.ticket != 0 && event.ticket == read_ticket_;
  const bool for_proposal = proposal_ && event.ticket == proposal_->ticket;
  if (for_read) read_ticket_ = 0;
  if (adoption_ && event.ticket == adoption_->ticket) adoption_->ticket = 0;
  if (event.view && !witness_is_ours(*event.view)) return;
  if (event.outcome == WitnessSaid::Outcome::in_doubt) {
    if (for_proposal) proposal_->in_doubt = true;
    return;
  }
  POLLUX_CHECK(event.view.has_value());
  witness_heard_ = true;
  const Configuration& seen = event.view->configuration;
  if (for_proposal && event.outcome == WitnessSaid::Outcome::won) {
    POLLUX_CHECK(seen.epoch >= proposal_->next.epoch);
    learn(seen, proposal_->reason);
    return;
  }
  if (for_proposal && event.outcome == WitnessSaid::Outcome::lost && seen.epoch <= config_.epoch && !newer_) {
    // Nothing newer stands there: the proposal was refused for another reason. It may be made again.
    proposal_->in_doubt = true;
  }
  learn(seen, "the witness names another configuration");
}

bool Pair::Machine::witness_is_ours(const WitnessView& view) {
  // An answer may have been overtaken by a newer one; a witness that keeps knowing less went back in time.
  constexpr int low_answers_max = 3;
  const Epoch known = newer_ ? newer_->epoch : config_.epoch;
  // By an operator's order: whatever its id and its revisions, if it knows no less of the pair.
  const Configuration& mine = newer_ ? *newer_ : config_;
  const bool another_history =
      view.configuration.epoch == mine.epoch &&
      (view.configuration.primary != mine.primary || view.configuration.backup != mine.backup);
  const bool adopted = adoptable_ == view.witness && !another_history;
  const bool other = !witness_.none() && view.witness != witness_ && !adopted;
  const bool low =
      view.configuration.epoch < known || another_history || (!other && !adopted && view.revision < witness_revision_);
  if (!other && !low) {
    const bool changed = adopted && (view.witness != witness_ || view.revision < witness_revision_);
    witness_ = view.witness;
    witness_revision_ = view.revision;
    witness_low_ = 0;
    witness_refused_ = false;
    adoptable_.reset();
    const bool by_order = adoption_ && adoption_->pledged;
    if (changed) persist(mine);
    if (changed || by_order) {
      log(Log::Level::warning,
          "the witness " + short_name(witness_) + " was adopted by order of an operator");
    }
    if (adoption_) {
      end_adoption(Code::ok, by_order ? "the witness " + short_name(witness_) +
                                            " was given what this pair knows, and is adopted"
                                      : "the witness is well again");
    }
    return true;
  }
  if (low) ++witness_low_;
  if (!other && witness_low_ < low_answers_max) return false;
  refuse_witness(view, other);
  return false;
}

void Pair::Machine::refuse_witness(const WitnessView& view, bool other) {
  const Epoch known = newer_ ? newer_->epoch : config_.epoch;
  refused_view_ = view;
  if (!std::exchange(witness_refused_, true)) {
    log(Log::Level::error,
        other ? "the witness is not the one this pair knows (" + short_name(view.witness) + ", not " +
                    short_name(witness_) + "): no role changes until 'pollux witness adopt'"
              : "the witness went back in time (epoch " + std::to_string(view.configuration.epoch.value) +
                    ", this member knows " + std::to_string(known.value) +
                    "): no role changes until 'pollux witness adopt'");
  }
}

void Pair::Machine::retry_proposal() {
  if (!proposal_ || newer_ || witness_refused_) return;
  if (steady() - proposal_->sent < options_.witness_retry) return;
  if (proposal_->kind == Proposal::lead) {
    // An adopted witness may know of a higher floor than this proposal was made with.
    if (below_floor()) return;
    // The same proposal again: if the first one won, the witness says so.
    proposal_->sent = steady();
    proposal_->in_doubt = false;
    proposal_->ticket = next_ticket_++;
    out_->push_back(ProposeWitness{proposal_->ticket, proposal_->next});
    return;
  }
  const Duration patience =
      proposal_->kind == Proposal::join ? options_.left_behind_after : options_.switch_limit;
  if (proposal_->in_doubt || steady() - proposal_->sent >= patience) {
    if (stopping_) return stop(false, Code::ok, "stopped by order");
    propose_lead(proposal_->kind == Proposal::join ? "a join was in doubt" : "a switchover was in doubt");
  }
}

void Pair::Machine::consider_takeover() {
  if (role_ != Role::backup || proposal_ || newer_ || stopping_) return;
  if (takeover_ordered_) {
    propose_lead("ordered by an operator");
  } else if (peer_dead_ && acknowledged_run_ == config_.primary.run) {
    propose_lead("the primary died");
  } else if (steady() - std::max(primary_heard_, started_) >= options_.takeover_after) {
    propose_lead("the primary fell silent");
  }
}

void Pair::Machine::consider_restart_lead() {
  if (proposal_ || newer_ || incomplete_ || !witness_heard_) return;
  if (role_ != Role::waiting && role_ != Role::starting) return;
  if (steady() - primary_heard_ < options_.takeover_after && primary_heard_ever_) return;
  const Duration since = steady() - started_;
  if (config_.epoch.value == 0) {
    // A pair that was never led. An empty member of the founding name begins.
    // It first listens for a peer that knows better: the witness alone may have been wiped.
    const bool alone = peer_ever_heard_ || since >= options_.takeover_after;
    if (options_.may_found && alone && executed_.lsn.value == 0) propose_lead("the pair is founded");
    return;
  }
  if (!named_by_incarnation()) return;
  if (config_.primary.incarnation == options_.me.incarnation) {
    // Its backup, if it is there, takes over faster than this; solo there is nobody else to wait for.
    if (!config_.solo() && since < options_.takeover_after) return;
    propose_lead("the primary restarted");
  } else if (since >= options_.takeover_after + options_.grace) {
    propose_lead("the backup restarted and found no primary");
  }
}

void Pair::Machine::consider_left_behind() {
  if (!leads_or_serves() || newer_ || !needs_backup()) return;
  const MemberId member = *second();
  if (peer_past_runs_.contains(member.run) || (peer_dead_ && peer_ && peer_->run == member.run)) {
    return go_solo("the backup died", true);
  }
  const bool owes = !second_acked_ || acked_.lsn < sent_ || acked_.lsn < executed_.lsn;
  if (owes && steady() - acked_progress_ >= options_.left_behind_after) {
    return go_solo("the backup does not acknowledge checkpoints");
  }
  const Instant heard = std::max({beat_acked_, joined_at_, acked_progress_});
  if (config_.backup && steady() - heard >= std::max(options_.left_behind_after, options_.takeover_after)) {
    go_solo("the backup fell silent");
  }
}

}  // namespace pollux
