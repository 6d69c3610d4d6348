// An operator's orders: switchover, takeover, stop. To adopt a witness is in adopt_witness.cc.
#include <algorithm>

#include "machine.h"

namespace pollux {

void Pair::Machine::on(SwitchOrdered&& event) {
  const auto refuse = [&](std::string why) {
    out_->push_back(OrderAnswered{event.ticket, Code::conflict, std::move(why)});
  };
  if (role_ != Role::primary || !serving_ || newer_) return refuse("this member is not the serving primary");
  if (!config_.backup) return refuse("the pair is solo: there is no backup to switch to");
  if (handing_ || proposal_) return refuse("another change of roles is under way");
  switch_order_ = event.ticket;
  handing_ = true;
  handing_since_ = steady();
}

void Pair::Machine::finish_switch() {
  if (!handing_ || hand_over_proposed_ || !config_.backup) return;
  // Drained: everything executed is committed, so the successor begins with the same history.
  if (!executing_.empty() || committed_.lsn != executed_.lsn || acked_.lsn != executed_.lsn) return;
  if (proposal_) return;
  lease_until_ = {};  // no reads from here on: the successor need not wait for grace
  hand_over_proposed_ = true;
  handing_since_ = steady();
  beat();  // tells the commit position
  Configuration next = config_;
  next.epoch = config_.epoch.next();
  next.primary = *config_.backup;
  next.backup = options_.me;
  propose(Proposal::hand_over, std::move(next), stopping_ ? "the primary is shutting down" : "switchover by order");
}

void Pair::Machine::cancel_switch(const std::string& reason) {
  // Only while nothing was proposed; afterwards a new epoch must settle it (I6).
  POLLUX_CHECK(handing_ && !hand_over_proposed_);
  handing_ = false;
  if (switch_order_) {
    out_->push_back(OrderAnswered{*std::exchange(switch_order_, std::nullopt), Code::conflict, reason});
  }
  if (reads_in_round_.empty()) start_confirm_round();
}

void Pair::Machine::on(TakeoverOrdered&& event) {
  if (role_ != Role::backup || newer_ || config_.backup != options_.me) {
    out_->push_back(OrderAnswered{event.ticket, Code::conflict,
                                  "only the backup named in the pair's configuration may take over; this member is " +
                                      std::string(to_string(role_))});
    return;
  }
  if (takeover_order_) {
    out_->push_back(OrderAnswered{event.ticket, Code::conflict, "a takeover was ordered already"});
    return;
  }
  takeover_order_ = event.ticket;
  takeover_ordered_ = true;
  consider_takeover();
}

// When both are ordered to stop, the primary is to hear of that before it sees its backup die: it would go on alone.
// However late it hears of it, a backup waits for its end; the supervisor kills both in the end.
bool Pair::Machine::lingers() const {
  return role_ == Role::backup && !stops_alone_ && !peer_dead_ && steady() - stop_ordered_ < options_.stop_linger;
}

void Pair::Machine::on(StopOrdered&& event) {
  if (stopping_) return;
  stopping_ = true;
  stops_alone_ = event.alone;
  stop_ordered_ = steady();
  if (lingers()) return log(Log::Level::info, "ordered to stop: waiting for the primary to stop first");
  if (role_ != Role::primary || !serving_) return stop(false, Code::ok, "stopped by order");
  if (config_.backup && !handing_ && !proposal_ && !newer_) {
    handing_ = true;
    handing_since_ = steady();
  }
}

}  // namespace pollux
