// Configurations learnt, and the roles that follow from them.
#include <algorithm>

#include "machine.h"

namespace pollux {

bool Pair::Machine::named_by_incarnation() const {
  if (config_.epoch.value == 0) return false;
  return config_.primary.incarnation == options_.me.incarnation ||
         (config_.backup && config_.backup->incarnation == options_.me.incarnation);
}

bool Pair::Machine::from_second(const Envelope& from) const {
  const std::optional<MemberId> member = second();
  return member && from.from == *member;
}

bool Pair::Machine::from_primary(const Envelope& from) const {
  return from.epoch == config_.epoch && from.from == config_.primary;
}

bool Pair::Machine::primary_heard() const {
  return primary_heard_ever_ && !peer_dead_ && steady() - primary_heard_ < options_.takeover_after;
}

MemberState Pair::Machine::member_state(const Configuration& configuration) const {
  return MemberState{options_.me.incarnation, configuration, witness_, witness_revision_, promised_};
}

void Pair::Machine::persist(const Configuration& configuration) {
  if (persist_ticket_ == persisted_ticket_) persist_began_ = steady();
  persist_ticket_ = next_ticket_++;
  witness_revision_stable_ = witness_revision_;
  out_->push_back(Persist{persist_ticket_, member_state(configuration)});
}

void Pair::Machine::learn(const Configuration& configuration, std::string reason) {
  const Epoch known = newer_ ? newer_->epoch : config_.epoch;
  if (configuration.epoch == known) {
    // Only the floor may differ within an epoch, and it never goes back.
    Configuration& mine = newer_ ? *newer_ : config_;
    if (mine.floor.lsn < configuration.floor.lsn) mine.floor = configuration.floor;
    return;
  }
  if (configuration.epoch < known) return;
  if (configuration.cluster != options_.cluster) return;
  newer_ = configuration;
  newer_reason_ = std::move(reason);
  persist(configuration);  // I10: before acting on it
}

void Pair::Machine::on(Persisted&& event) {
  persisted_ticket_ = event.ticket;
  persist_began_ = steady();
  if (event.ticket == promise_ticket_) {
    promise_ticket_ = 0;
    acknowledge_checkpoints();
  }
  if (event.ticket != persist_ticket_ || !newer_) return;
  const Configuration configuration = *std::exchange(newer_, std::nullopt);
  adopt(configuration, std::exchange(newer_reason_, {}));
}

void Pair::Machine::adopt(const Configuration& configuration, const std::string& reason) {
  POLLUX_CHECK(configuration.epoch > config_.epoch);
  const bool asked_by_me = proposal_ && proposal_->next.epoch <= configuration.epoch;
  const std::string why = asked_by_me && proposal_->next == configuration ? proposal_->reason : reason;
  const bool was_hand_over = hand_over_proposed_;
  config_ = configuration;
  if (asked_by_me) proposal_.reset();  // settled: an epoch above the one it was made from (I6)
  lease_until_ = {};
  beats_.clear();
  restart_catch_up();
  const std::optional<MemberId> was_joining = std::exchange(joining_, std::nullopt);
  handing_ = hand_over_proposed_ = false;
  takeover_ordered_ = false;

  if (config_.primary == options_.me) {
    if (leads_or_serves()) {
      // The same primary with another backup, or none.
      if (config_.backup) {
        POLLUX_CHECK(was_joining == config_.backup);
        joined_at_ = steady();
        acked_progress_ = steady();
        log(Log::Level::info, "the backup " + short_name(config_.backup->incarnation) + " is in sync");
      } else {
        reason_ = why;
        log(Log::Level::warning, "solo: durable on one disk only (" + why + ")");
      }
      // Reads asked under the former configuration are confirmed anew.
      reads_waiting_.insert(reads_waiting_.begin(), std::make_move_iterator(reads_in_round_.begin()),
                            std::make_move_iterator(reads_in_round_.end()));
      reads_in_round_.clear();
      start_confirm_round();
      if (switch_order_) {
        out_->push_back(OrderAnswered{*std::exchange(switch_order_, std::nullopt), Code::conflict,
                                      "the switchover was cancelled: " + why});
      }
      beat();
      if (serving_) take_up_parked();
      return;
    }
    become_leading(config_.backup ? "the primary handed over" : why);
    return;
  }

  if (takeover_order_) {
    out_->push_back(OrderAnswered{*std::exchange(takeover_order_, std::nullopt), Code::conflict,
                                  "another configuration won: " + why});
  }
  if (config_.backup == options_.me) {
    if (switch_order_) {
      out_->push_back(OrderAnswered{*std::exchange(switch_order_, std::nullopt), Code::ok, "switched over"});
    }
    if (leads_or_serves()) {
      POLLUX_CHECK(was_hand_over);
      POLLUX_CHECK(committed_.lsn == executed_.lsn && executing_.empty());
      ++switchovers_;
    }
    step_down(Role::backup, why);
    send(ConfigurationNews{config_});
    // Checkpoints that came while this was being persisted were not heard: they are to be sent again now.
    acknowledge_checkpoints(executed_);
    return;
  }
  if (switch_order_) {
    out_->push_back(OrderAnswered{*std::exchange(switch_order_, std::nullopt), Code::conflict, "not switched: " + why});
  }
  step_down(Role::waiting, why);
}

void Pair::Machine::become_leading(const std::string& reason) {
  POLLUX_CHECK(!incomplete_);
  ahead_.clear();
  const bool from_backup = role_ == Role::backup;
  change_role(Role::leading, reason);
  if (from_backup && config_.solo()) ++takeovers_;
  serving_ = false;
  leads_lsn_ = {};
  executing_.clear();
  acked_ = committed_;
  second_acked_ = true;
  if (config_.backup) grace_over_ = steady();  // handed over: its lease was dropped before it proposed that
  // A backup that was primary until now holds all that is committed and more. After a restart the hash at the
  // commit position may not be at hand; the record after it carries its own.
  sent_ = committed_.hash == Hash{} && committed_.lsn < executed_.lsn ? committed_.lsn.next() : committed_.lsn;
  sent_most_ = sent_;
  acked_progress_ = beat_acked_ = floor_raised_ = steady();
  rejoin_not_before_ = steady();
  reads_waiting_.clear();
  reads_in_round_.clear();
  beat();
}

void Pair::Machine::lead_when_ready() {
  if (role_ != Role::leading || leads_lsn_.value > 0 || !executing_.empty()) return;
  // All that was acknowledged is forced (I9); promises to a former primary are over (I7).
  if (executed_.lsn != durable_.lsn || steady() < grace_over_) return;
  commit();
  dispatched_ = executed_.lsn;
  out_->push_back(ResetExecutor{executed_});
  Execute::Item item;
  item.kind = RecordKind::leads;
  item.leads = std::make_shared<const Leads>(
      Leads{config_.epoch, config_.primary, config_.backup, committed_, reason_});
  dispatch(std::move(item));
}

void Pair::Machine::begin_serving() {
  POLLUX_CHECK(config_.primary == options_.me && !newer_);
  serving_ = true;
  out_->push_back(TellReaders{config_.epoch, committed_.lsn});
  change_role(Role::primary, std::string(reason_));
  out_->push_back(AnnounceRequesters{who_serves()});
  if (takeover_order_) {
    out_->push_back(OrderAnswered{*std::exchange(takeover_order_, std::nullopt), Code::ok, "taken over"});
  }
  take_up_parked();
}

void Pair::Machine::take_up_parked() {
  std::deque<RequesterSaid> parked = std::exchange(parked_, {});
  for (RequesterSaid& message : parked) on(std::move(message));
}

void Pair::Machine::step_down(Role to, const std::string& reason) {
  if (leads_or_serves()) {
    // What is neither forced nor acknowledged is not this pair's history.
    const bool clean = executing_.empty() && executed_.lsn == committed_.lsn;
    rebuild_needed_ = rebuild_needed_ || !clean;
    out_->push_back(ResetExecutor{executed_});
    executing_.clear();
    to_execute_.clear();
    dispatched_ = executed_.lsn;
    serving_ = false;
    change_role(to, reason);
    turn_away_callers(Code::not_primary, "another member is primary now");
    out_->push_back(AnnounceRequesters{who_serves()});
  } else {
    change_role(to, reason);
  }
  primary_heard_ = steady();
  primary_heard_ever_ = false;
  acknowledged_run_.reset();
}

}  // namespace pollux
