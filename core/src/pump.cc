// What moves on after every event, as far as it can: requests to the executor, records to the forcer and to
// the peer, the commit position, replies.
//
// Natural batching: while one force is under way, records gather; the next force takes them all. The same
// batch goes to the backup, which forces it side by side.
#include "machine.h"

#include <algorithm>

namespace pollux {

namespace {
/// Of resend_bytes, what is kept while both members are in sync.
constexpr std::size_t in_sync_share = 16;
}  // namespace

void Pair::Machine::pump() {
  // Whoever waits is waited for: nothing else takes parked messages up.
  POLLUX_CHECK(parked_.empty() || newer_ || role_ == Role::leading);
  if (leads_or_serves() && !newer_) {
    // Commits first: they give credit, and may be what a new primary waits for to serve.
    lead_when_ready();
    commit();
    propose_join();
    finish_switch();
  }
  dispatch_requests();
  if (!to_execute_.empty()) {
    out_->push_back(Execute{std::move(to_execute_)});
    to_execute_.clear();
  }
  force_batch();
  if (leads_or_serves() && !newer_) send_checkpoints();
  trim_recent();
}

void Pair::Machine::dispatch_requests() {
  if (role_ != Role::primary || !serving_ || newer_ || handing_) return;
  while (!queue_.empty()) {
    // Credits: the backup's, the executor's and the tables' queues are bounded by not starting more work.
    if (executing_.size() >= options_.executing_max) return;
    if (dispatched_.value - committed_.lsn.value >= options_.in_flight_records_max) return;
    if (unforced_bytes_ >= options_.in_flight_bytes_max) return;
    if (committed_.lsn.value - std::min(applied_, committed_.lsn).value >= options_.unapplied_records_max) return;
    if (executed_bytes_ - applied_bytes_ >= options_.unapplied_bytes_max && !unapplied_.empty()) return;
    Queued& next = queue_.front();
    queue_bytes_ -= next.payload.size();
    if (next.deadline < steady() && !next.verdict) {
      // A record all the same: an earlier copy of this request, still on its way, must not execute later.
      next.verdict = Code::deadline_exceeded;
      next.payload.clear();
    }
    Execute::Item item;
    item.kind = next.kind;
    item.sync = next.sync;
    item.ack_below = next.ack_below;
    item.trace = next.trace;
    item.payload = std::move(next.payload);
    item.verdict = next.verdict;
    queue_.pop_front();
    dispatch(std::move(item));
  }
}

void Pair::Machine::dispatch(Execute::Item&& item) {
  POLLUX_CHECK(leads_or_serves());
  dispatched_ = dispatched_.next();
  item.lsn = dispatched_;
  item.epoch = config_.epoch;
  item.time_at_least = now_.wall;
  if (executing_.empty()) front_since_ = steady();
  executing_.push_back(item.lsn);
  to_execute_.push_back(std::move(item));
}

void Pair::Machine::force_batch() {
  if (force_under_way_ || executed_.lsn == forcing_) return;
  if (newer_) return;  // what this member is to become decides whether these records stay
  if (!leads_or_serves() && role_ != Role::backup && phase_ != Phase::tail) return;
  std::vector<RecordPtr> batch =
      recent_.range(forcing_, executed_.lsn, options_.batch_records_max, options_.batch_bytes_max);
  POLLUX_CHECK(!batch.empty() && batch.front()->record.lsn == forcing_.next());
  for (const RecordPtr& record : batch) unforced_bytes_ -= std::min(unforced_bytes_, record->bytes.size());
  forcing_ = batch.back()->record.lsn;
  force_under_way_ = true;
  force_began_ = steady();
  out_->push_back(Force{std::move(batch)});
}

void Pair::Machine::send_checkpoints() {
  if (!needs_backup()) return;
  while (sent_ < forcing_ || checkpoint_wanted_) {
    const std::optional<Position> previous = recent_.position(sent_);
    if (!previous) return;  // no longer in memory: the second member asks for its tail
    if (previous->hash == Hash{} && previous->lsn.value != 0) return;
    Checkpoint checkpoint;
    checkpoint.previous = *previous;
    checkpoint.records = recent_.range(sent_, forcing_, options_.batch_records_max, options_.batch_bytes_max);
    checkpoint.committed = committed_;
    checkpoint_wanted_ = false;
    // Nothing was outstanding: the clock starts now. Sending again does not start it anew.
    if (second_acked_ && acked_.lsn >= sent_most_) acked_progress_ = steady();
    if (!checkpoint.records.empty()) sent_ = checkpoint.records.back()->record.lsn;
    sent_most_ = std::max(sent_most_, sent_);
    checkpoint_sent_ = steady();
    send(std::move(checkpoint));
  }
}

void Pair::Machine::commit() {
  // I2: durable on every member of the configuration, and of the one that may replace it (I5).
  Lsn upto = durable_.lsn;
  if (needs_backup()) upto = second_acked_ ? std::min(upto, acked_.lsn) : Lsn{0};
  if (upto > committed_.lsn) {
    const std::optional<Position> position = recent_.position(upto);
    POLLUX_CHECK(position.has_value());
    committed_ = *position;
    unapplied_.emplace_back(committed_.lsn, executed_bytes_);
    if (serving_) out_->push_back(TellReaders{config_.epoch, committed_.lsn});
    out_->push_back(Commit{committed_});
  }
  if (role_ == Role::leading && leads_lsn_.value > 0 && committed_.lsn >= leads_lsn_) begin_serving();
  release_replies();
}

void Pair::Machine::release_replies() {
  while (!replies_.empty() && replies_.front().barrier <= committed_.lsn) {
    out_->push_back(SendReply{replies_.front().route, std::move(replies_.front().reply)});
    replies_.pop_front();
  }
}

void Pair::Machine::trim_recent() {
  // For a member that joins a busy primary they must reach back over its last chunk of the tail, so they are
  // counted as they are sent. While both members are there nobody asks for old ones, and those just committed
  // are still in the processor's caches.
  const bool both = config_.backup && !joining_;
  while (!recent_.empty() && (both ? recent_.memory() > options_.resend_bytes / in_sync_share
                                   : recent_.bytes() > options_.resend_bytes)) {
    const Lsn first = recent_.base().lsn.next();
    if (first > committed_.lsn || first > forcing_ || first > durable_.lsn) return;
    recent_.pop_front();
  }
}

}  // namespace pollux
