// Catch-up, receiving side: find the last record in common with the primary, cut the trail there, then pull
// the tail; or pull a snapshot when the tail is gone or the tables went too far.
//
// Everything is pulled, so the primary keeps no state for it and is never blocked; an answer that does not
// come is asked for again.
#include <algorithm>

#include "machine.h"

namespace pollux {

void Pair::Machine::enter(Phase phase) {
  phase_ = phase;
  phase_since_ = steady();
}

void Pair::Machine::start_catch_up() {
  POLLUX_CHECK(role_ == Role::catching_up);
  if (phase_ != Phase::none) return;
  found_then_gone_ = false;
  drive_catch_up();
}

void Pair::Machine::restart_catch_up() {
  // An order to the disk can't be taken back: its answer comes first.
  const bool disk_works = phase_ == Phase::cut || phase_ == Phase::snapshot_begin ||
                          phase_ == Phase::snapshot_install || phase_ == Phase::reset;
  if (disk_works) {
    restart_catch_up_ = true;
  } else if (phase_ != Phase::tail || !bound_by_promise()) {
    enter(Phase::none);
  }
}

void Pair::Machine::drive_catch_up() {
  if (role_ != Role::catching_up || newer_) return;
  // As long as the configuration names this member, its records may be needed: nothing is cut. The primary
  // first goes on alone.
  if (named_by_incarnation()) return;
  switch (phase_) {
    case Phase::none:
      if (force_under_way_ || bound_by_promise()) return;
      if (incomplete_) return start_snapshot(true);
      if (executed_.lsn > durable_.lsn) {
        // Never forced, never acknowledged: not history.
        rebuild_needed_ = true;
        executed_ = durable_;
        dispatched_ = forcing_ = durable_.lsn;
        unforced_bytes_ = 0;
        recent_.reset(durable_);
      }
      common_known_ = false;
      common_high_ = durable_.lsn.next();
      return find_common();
    case Phase::find:
    case Phase::compare:
    case Phase::snapshot:
      if (steady() - phase_since_ < options_.catch_up_retry) return;
      if (phase_ == Phase::snapshot) return ask_snapshot();
      return find_common();
    case Phase::tail:
      if (!tail_asked_ || steady() - phase_since_ >= options_.catch_up_retry) ask_tail();
      return;
    case Phase::cut:
    case Phase::snapshot_begin:
    case Phase::snapshot_install:
    case Phase::reset: return;
  }
}

void Pair::Machine::find_common() {
  // Known: equal at common_low_ (if common_known_), different at common_high_. Ask about LSNs between,
  // doubling the distance from the top, since histories differ at their ends.
  constexpr std::size_t asked_max = 64;
  std::vector<Lsn> lsns;
  const std::uint64_t low = common_known_ ? common_low_.lsn.value : 0;
  const std::uint64_t top = common_high_.value - 1;
  if (common_known_ && top == low) return found_common(common_low_);
  for (std::uint64_t distance = 0; lsns.size() + 1 < asked_max; distance = distance == 0 ? 1 : distance * 2) {
    if (distance > top - low) break;
    lsns.push_back(Lsn{top - distance});
  }
  POLLUX_CHECK(!lsns.empty());
  if (!common_known_ && lsns.back().value != 0) lsns.push_back(Lsn{0});
  const std::uint64_t ticket = next_ticket_++;
  std::erase_if(peer_reads_, [](const auto& read) { return read.second.purpose == PeerRead::For::own_hashes; });
  peer_reads_[ticket] = PeerRead{PeerRead::For::own_hashes, {}, {}, steady()};
  enter(Phase::find);
  out_->push_back(ReadHashes{ticket, std::move(lsns)});
}

void Pair::Machine::on_peer(const Envelope& from, HashTell&& message) {
  if (phase_ != Phase::compare || newer_ || !from_primary(from)) return;
  primary_heard_ = steady();
  bool all_known = true;
  for (const Position& position : mine_) {
    const auto theirs = std::find_if(message.known.begin(), message.known.end(),
                                     [&](const Position& p) { return p.lsn == position.lsn; });
    if (theirs != message.known.end() && theirs->hash == position.hash) {
      if (!common_known_ || position.lsn > common_low_.lsn) common_low_ = position;
      common_known_ = true;
    } else {
      // Different, above the primary's end, or no longer known there.
      all_known = all_known && theirs != message.known.end();
      if (position.lsn < common_high_ && (!common_known_ || position.lsn > common_low_.lsn)) common_high_ = position.lsn;
    }
  }
  if (!common_known_) return start_snapshot(false);
  if (common_high_.value <= common_low_.lsn.value) common_high_ = common_low_.lsn.next();
  find_common();
}

void Pair::Machine::found_common(const Position& common) {
  if (applied_ > common.lsn) return start_snapshot(false);  // the tables hold what is not history
  if (common == durable_ && !rebuild_needed_) {
    enter(Phase::tail);
    return ask_tail();
  }
  if (common.lsn < durable_.lsn) {
    log(Log::Level::warning, std::to_string(durable_.lsn.value - common.lsn.value) +
                                 " records above LSN " + std::to_string(common.lsn.value) +
                                 " are not the pair's history: they are set aside");
  }
  enter(Phase::cut);
  out_->push_back(CutTrail{common});
}

void Pair::Machine::on(TrailCut&& event) {
  POLLUX_CHECK(phase_ == Phase::cut);
  POLLUX_CHECK(event.applied <= event.last.lsn);
  rebuild_needed_ = false;
  applied_ = event.applied;
  sessions_ = std::move(event.sessions);
  const Position base = event.unapplied.empty() ? event.last : Position{applied_, {}};
  recent_.reset(base);
  executed_ = base;
  unapplied_.clear();
  for (const RecordPtr& record : event.unapplied) accept_record(record, true);
  POLLUX_CHECK(executed_ == event.last);
  durable_ = executed_;
  dispatched_ = forcing_ = executed_.lsn;
  unforced_bytes_ = 0;
  applied_bytes_ = executed_bytes_;
  if (committed_.lsn > executed_.lsn) committed_ = executed_;
  enter(Phase::tail);
  tail_asked_ = false;
  if (std::exchange(restart_catch_up_, false)) enter(Phase::none);
  drive_catch_up();
}

void Pair::Machine::ask_tail() {
  // What arrives faster than it can be forced and applied waits at the primary.
  if (unforced_bytes_ >= options_.in_flight_bytes_max / 2) return;
  if (executed_.lsn.value - applied_.value >= options_.unapplied_records_max) return;
  tail_asked_ = true;
  phase_since_ = steady();
  send(TailAsk{executed_, durable_, !incomplete_});
}

void Pair::Machine::on_peer(const Envelope& from, Tail&& message) {
  if (role_ != Role::catching_up || phase_ != Phase::tail || newer_ || !from_primary(from)) return;
  primary_heard_ = steady();
  if (message.gone) {
    // Not the primary's history after all, or no longer in its trail.
    if (message.previous != executed_ || bound_by_promise()) return;
    if (incomplete_ || found_then_gone_) return start_snapshot(false);
    found_then_gone_ = true;
    return enter(Phase::none);
  }
  if (message.previous.lsn > executed_.lsn) return;
  if (message.previous.lsn == executed_.lsn && message.previous.hash != executed_.hash) return;
  const bool asked = std::exchange(tail_asked_, false);
  bool news = false;
  for (const RecordPtr& record : message.records) {
    if (record->record.lsn <= executed_.lsn) {
      const auto known = hash_in_memory(record->record.lsn);
      if (known && *known != record->hash) return;
      continue;
    }
    if (record->record.lsn != executed_.lsn.next()) return;
    accept_record(record, true);
    news = true;
  }
  learn_committed(message.committed);
  if (news) {
    found_then_gone_ = false;
    ask_tail();
  } else if (asked) {
    tail_asked_ = true;  // at the end: ask again after a while, until the primary lets this member join
  }
}

void Pair::Machine::start_snapshot(bool resume) {
  log(Log::Level::info, resume ? "an unfinished snapshot is resumed" : "the tail is not enough: a snapshot is needed");
  incomplete_ = true;
  incomplete_until_ = {};
  rebuild_needed_ = false;
  enter(Phase::snapshot_begin);
  out_->push_back(InstallSnapshot{true, resume, {}});
}

void Pair::Machine::ask_snapshot() {
  enter(Phase::snapshot);
  send(SnapshotAsk{snapshot_cursor_});
}

void Pair::Machine::on_peer(const Envelope& from, SnapshotTell&& message) {
  if (phase_ != Phase::snapshot || newer_ || !from_primary(from) || message.cursor != snapshot_cursor_) return;
  primary_heard_ = steady();
  enter(Phase::snapshot_install);
  out_->push_back(InstallSnapshot{false, false, std::move(message)});
}

void Pair::Machine::on(SnapshotInstalled&& event) {
  POLLUX_CHECK(phase_ == Phase::snapshot_begin || phase_ == Phase::snapshot_install);
  if (std::exchange(restart_catch_up_, false)) {
    enter(Phase::none);
    return drive_catch_up();
  }
  if (event.rows_complete) {
    incomplete_until_ = event.last_tag.lsn;
    enter(Phase::reset);
    out_->push_back(ResetTrail{event.first_tag});
    return;
  }
  snapshot_cursor_ = std::move(event.next);
  ask_snapshot();
}

void Pair::Machine::on(TrailReset&& event) {
  POLLUX_CHECK(phase_ == Phase::reset);
  recent_.reset(event.base);
  executed_ = durable_ = committed_ = event.base;
  applied_ = forcing_ = dispatched_ = event.base.lsn;
  sessions_ = std::move(event.sessions);
  unapplied_.clear();
  applied_bytes_ = executed_bytes_;
  unforced_bytes_ = 0;
  if (applied_ >= incomplete_until_) incomplete_ = false;
  enter(Phase::tail);
  tail_asked_ = false;
  if (std::exchange(restart_catch_up_, false)) enter(Phase::none);
  drive_catch_up();
}

}  // namespace pollux
