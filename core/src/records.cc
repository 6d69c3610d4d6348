// Records as they become part of this member's history.
#include "machine.h"

namespace pollux {

namespace {
constexpr std::uint64_t dirty_sessions_kept = 1024;
}  // namespace

void Pair::Machine::accept_record(const RecordPtr& record, bool add_to_overlay) {
  POLLUX_CHECK(record != nullptr);
  POLLUX_CHECK(record->record.lsn == executed_.lsn.next());
  executed_ = record->position();
  executed_bytes_ += record->bytes.size();
  unforced_bytes_ += record->bytes.size();
  recent_.push(record);
  sessions_.apply(record->record);
  // The tables keep their own account of what to rewrite. Not at every record: to forget is dearer than to note.
  if (executed_.lsn.value % dirty_sessions_kept == 0) static_cast<void>(sessions_.take_dirty());
  if (!quarantined_.empty()) quarantined_.erase(record->record.sync);
  if (add_to_overlay) out_->push_back(AddToOverlay{record});
}

void Pair::Machine::on(Executed&& event) {
  // Ignore: what a primary gave to its executor before it stepped down.
  if (!leads_or_serves()) return;
  front_since_ = steady();
  for (const RecordPtr& record : event.records) take_executed(record);
}

void Pair::Machine::take_executed(const RecordPtr& sealed) {
  const RecordView& record = sealed->record;
  POLLUX_CHECK(!executing_.empty() && executing_.front() == record.lsn);
  executing_.pop_front();
  accept_record(sealed, false);

  if (record.kind == RecordKind::leads) {
    leads_lsn_ = record.lsn;
    return;
  }
  const auto found = in_flight_.find(record.sync);
  POLLUX_CHECK(found != in_flight_.end());
  for (const Caller& caller : found->second) {
    RequesterReply reply = reply_of(caller.number, record.code, std::string(record.reply));
    reply.lsn = record.lsn;
    if (record.kind == RecordKind::session_opened) reply.session = record.sync.session;
    answer_after(record.lsn, caller.route, std::move(reply));
  }
  in_flight_.erase(found);
  const auto count = in_flight_of_session_.find(record.sync.session);
  POLLUX_CHECK(count != in_flight_of_session_.end());
  if (--count->second == 0) in_flight_of_session_.erase(count);
}

void Pair::Machine::learn_committed(const Position& committed) {
  if (committed.lsn <= committed_.lsn) return;
  // Before the last common record is found, this member's records need not be the pair's history.
  if (role_ != Role::backup && phase_ != Phase::tail) return;
  // Only what is on this disk: a member that catches up hears of commits far ahead of it.
  const Lsn lsn = std::min(committed.lsn, durable_.lsn);
  if (lsn <= committed_.lsn) return;
  const std::optional<Position> mine = recent_.position(lsn);
  if (!mine) return;
  if (lsn == committed.lsn && mine->hash != committed.hash) {
    log(Log::Level::error, "the primary's commit position does not fit this member's trail at LSN " +
                               std::to_string(lsn.value) + ": refused");
    return;
  }
  committed_ = *mine;
  unapplied_.emplace_back(committed_.lsn, executed_bytes_);
  out_->push_back(Commit{committed_});
}

std::optional<Hash> Pair::Machine::hash_in_memory(Lsn lsn) const {
  if (lsn == executed_.lsn) return executed_.hash;
  if (lsn == durable_.lsn) return durable_.hash;
  const std::optional<Position> position = recent_.position(lsn);
  if (!position || position->hash == Hash{}) {
    if (lsn.value == 0) return Hash{};
    return std::nullopt;
  }
  return position->hash;
}

}  // namespace pollux
