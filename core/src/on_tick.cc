// What time brings: heartbeats, time-outs, retries.
#include <algorithm>

#include "machine.h"

namespace pollux {

// After a pause (SIGSTOP, a stalled VM) everybody seems to have been silent. That was this member: the others get the
// time that they always get to be heard.
void Pair::Machine::forgive_own_pause() {
  const Instant before = std::exchange(ticked_, steady());
  if (before == Instant{} || steady() - before < options_.takeover_after) return;
  const Duration pause = steady() - before;
  for (Instant* heard : {&primary_heard_, &beat_acked_, &acked_progress_}) {
    if (*heard != Instant{}) *heard = std::min(*heard + pause, steady());
  }
}

void Pair::Machine::on(Tick&&) {
  forgive_own_pause();
  // Progress that heartbeats vouch for (I11): a thread that hangs stops them, at once.
  if (!executing_.empty() && steady() - front_since_ >= options_.execute_limit) {
    return stop(true, Code::io_error, "a request has been executing for longer than execute_limit_ms");
  }
  const bool force_hangs = force_under_way_ && steady() - force_began_ >= options_.force_limit;
  const bool persist_hangs = persist_ticket_ != persisted_ticket_ && steady() - persist_began_ >= options_.force_limit;
  if (force_hangs || persist_hangs) {
    return stop(true, Code::io_error, "a flush has taken longer than force_limit_ms: the disk hangs");
  }
  // To cut a trail or to empty the tables is more than a flush, and still has an end.
  constexpr int disk_phase_factor = 12;
  const bool disk_works = phase_ == Phase::cut || phase_ == Phase::snapshot_begin || phase_ == Phase::snapshot_install ||
                          phase_ == Phase::reset;
  if (disk_works && steady() - phase_since_ >= disk_phase_factor * options_.force_limit) {
    return stop(true, Code::io_error, "a change of the trail or the tables hangs: the disk hangs");
  }
  if (stopping_) {
    const bool drained = role_ != Role::primary || (queue_.empty() && executing_.empty() && replies_.empty() && !handing_);
    const bool late = steady() - stop_ordered_ >= 2 * options_.switch_limit;
    if (!lingers() && (drained || late)) return stop(false, Code::ok, "stopped by order");
  }

  if (leads_or_serves()) {
    if (steady() - beat_sent_ >= options_.heartbeat) beat();
    consider_left_behind();
    if (stopped_) return;
    if (needs_backup() && (acked_.lsn < sent_ || !second_acked_) &&
        steady() - std::max(checkpoint_sent_, acked_progress_) >= options_.resend_after) {
      sent_ = acked_.lsn;  // go back to what is known to be there, and send again
      checkpoint_wanted_ = true;
    }
    if (!reads_in_round_.empty() && needs_backup() && steady() - confirm_sent_ >= options_.resend_after) {
      confirm_sent_ = steady();
      send(Confirm{confirm_number_});
    }
    if (handing_ && !hand_over_proposed_ && steady() - handing_since_ >= options_.switch_limit) {
      cancel_switch("the pair did not drain within switch_limit_ms");
    }
    if (role_ == Role::primary && !newer_ && steady() - floor_raised_ >= options_.floor_interval) {
      floor_raised_ = steady();
      if (committed_.lsn > config_.floor.lsn && committed_.hash != Hash{}) {
        config_.floor = committed_;
        out_->push_back(RaiseFloor{config_});
      }
      if (witness_revision_ != witness_revision_stable_) persist(config_);
    }
    if (role_ == Role::primary && serving_ && !handing_ && !newer_ && !stopping_ &&
        steady() - sessions_checked_ >= std::chrono::seconds(1)) {
      sessions_checked_ = steady();
      expire_sessions();
    }
    for (auto* reads : {&reads_waiting_, &reads_in_round_}) {
      while (!reads->empty() && reads->front().deadline < steady()) {
        answer(reads->front().query.route, reads->front().query.number, Code::deadline_exceeded,
               "the read could not be confirmed in time");
        reads->pop_front();
      }
    }
    if (reads_in_round_.empty() && !reads_waiting_.empty()) start_confirm_round();
  } else {
    if (steady() - hello_sent_ >= options_.heartbeat && (role_ != Role::backup || !primary_heard())) {
      hello_sent_ = steady();
      send(PeerHello{options_.boot, durable_, applied_, role_ == Role::catching_up, config_, options_.death_sign});
    }
    if (role_ == Role::starting && witness_heard_ && !newer_) change_role(Role::waiting, "the witness answered");
    if (role_ == Role::catching_up && !primary_heard()) {
      // If it comes back in the same epoch, catch-up goes on where it was: everything is pulled.
      change_role(Role::waiting, "the primary fell silent");
    }
    consider_takeover();
    consider_restart_lead();
    drive_catch_up();
  }

  drive_adoption();
  retry_proposal();
  if (stopped_) return;
  const bool wants_witness = !leads_or_serves() && role_ != Role::backup;
  const bool doubts = proposal_ && proposal_->in_doubt;
  if ((wants_witness || doubts || witness_refused_ || adoptable_ || (role_ == Role::backup && !primary_heard())) &&
      steady() - witness_asked_ >= options_.witness_retry) {
    witness_asked_ = steady();
    read_ticket_ = next_ticket_++;
    out_->push_back(ReadWitness{read_ticket_});
  }
  std::erase_if(peer_reads_, [&](const auto& read) { return steady() - read.second.asked > std::chrono::seconds(10); });
  if (!damaged_.empty() && steady() - damaged_asked_ >= std::chrono::seconds(1)) {
    damaged_asked_ = steady();
    send(RecordAsk{*damaged_.begin()});
  }
}

}  // namespace pollux
