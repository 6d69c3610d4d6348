#include "simulation/disk.h"

#include <algorithm>

#include "pollux/core/check.h"
#include "pollux/proto/record_codec.h"

namespace pollux::testing {

SimTrail::Stored* SimTrail::at(Lsn lsn) {
  if (lsn <= base_.lsn || lsn > last().lsn) return nullptr;
  return &records_[lsn.value - base_.lsn.value - 1];
}
const SimTrail::Stored* SimTrail::find(Lsn lsn) const {
  if (lsn <= base_.lsn || lsn > last().lsn) return nullptr;
  return &records_[lsn.value - base_.lsn.value - 1];
}

std::optional<Hash> SimTrail::hash_at(Lsn lsn) const {
  if (lsn == base_.lsn) return base_.hash;
  const Stored* stored = find(lsn);  // hashes are stored beside the records: a damaged record keeps its own
  return stored == nullptr ? std::nullopt : std::optional(stored->record->hash);
}

bool SimTrail::holds(const Position& position) const {
  if (position.lsn < base_.lsn) return true;
  return hash_at(position.lsn) == position.hash;
}

std::vector<RecordPtr> SimTrail::after(Lsn lsn) const {
  std::vector<RecordPtr> result;
  for (Lsn at = std::max(lsn, base_.lsn).next(); at <= last().lsn; at = at.next()) result.push_back(find(at)->record);
  return result;
}

void SimTrail::append(const RecordPtr& record) {
  POLLUX_CHECK_WHY(record->record.lsn == last().lsn.next(), "a record appended with a gap");
  POLLUX_CHECK_WHY(chain_hash(last().hash, record->bytes) == record->hash, "a record appended that does not chain");
  records_.push_back({record, false});
}

std::vector<RecordPtr> SimTrail::cut(const Position& to) {
  POLLUX_CHECK_WHY(hash_at(to.lsn) == to.hash, "a trail cut at a position it does not hold");
  std::vector<RecordPtr> removed = after(to.lsn);
  records_.resize(to.lsn.value - base_.lsn.value);
  return removed;
}

std::vector<RecordPtr> SimTrail::reset(const Position& base) {
  std::vector<RecordPtr> removed = after(base_.lsn);
  records_.clear();
  base_ = base;
  return removed;
}

void SimTrail::drop_below(Lsn upto) {
  while (!records_.empty() && records_.front().record->record.lsn <= upto) {
    base_ = records_.front().record->position();
    records_.pop_front();
  }
}

bool SimTrail::damage(Lsn lsn) {
  Stored* stored = at(lsn);
  if (stored == nullptr) return false;
  stored->damaged = true;
  return true;
}

void SimTrail::falsify(Lsn lsn) {
  Stored* stored = at(lsn);
  if (stored == nullptr) return;
  std::string bytes(stored->record->bytes);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  RecordView fields = stored->record->record;
  const std::size_t reply_at = bytes.size();
  bytes += std::string(fields.reply) + "0";
  fields.reply = std::string_view(bytes).substr(reply_at);
  fields.changes = {};
  stored->record = SealedRecord::make(fields, bytes, stored->record->hash);
}

bool SimTrail::repair(const RecordPtr& record) {
  Stored* stored = at(record->record.lsn);
  if (stored == nullptr || stored->record->hash != record->hash) return false;
  stored->damaged = false;
  return true;
}

bool SimTrail::damaged() const {
  return std::ranges::any_of(records_, [](const Stored& stored) { return stored.damaged; });
}

void SimTables::apply(const RecordPtr& record) {
  POLLUX_CHECK_WHY(record->record.lsn == applied.lsn.next(), "a record applied with a gap");
  POLLUX_CHECK_WHY(chain_hash(applied.hash, record->bytes) == record->hash, "a record applied that does not chain");
  POLLUX_CHECK_WHY(!incomplete || rows_complete, "a record applied to half a snapshot");
  for (const ChangeView& change : record->record.changes) {
    if (change.value) {
      rows.insert_or_assign(std::string(change.key), std::string(*change.value));
    } else {
      rows.erase(std::string(change.key));
    }
  }
  sessions.apply(record->record);
  applied = record->position();
  time = record->record.time;
  if (incomplete && applied.lsn >= last_tag->lsn) incomplete = false;
}

void SimTables::begin_snapshot() {
  *this = SimTables{};
  incomplete = true;
}

void SimTables::install(const SnapshotTell& chunk) {
  POLLUX_CHECK_WHY(incomplete && !rows_complete, "a chunk installed outside a snapshot");
  POLLUX_CHECK_WHY(chunk.cursor == cursor, "a chunk installed out of order");
  for (const Change& row : chunk.rows) {
    POLLUX_CHECK(row.value && row.key.size() > 1);
    if (row.key.front() == 'r') {
      rows.insert_or_assign(row.key.substr(1), *row.value);
      continue;
    }
    SessionId id;
    POLLUX_CHECK(row.key.size() == 1 + id.bytes.size());
    std::ranges::copy(row.key.substr(1), id.bytes.begin());
    auto session = decode_session(*row.value);
    POLLUX_CHECK_WHY(session.has_value(), "a session in a snapshot that can't be decoded");
    sessions.restore(id, std::move(*session));
  }
  if (!first_tag) {
    first_tag = chunk.tag;
    time = chunk.time;
  }
  POLLUX_CHECK_WHY(!last_tag || last_tag->lsn <= chunk.tag.lsn, "a snapshot's tags go back");
  last_tag = chunk.tag;
  cursor = chunk.next;
  if (chunk.next.empty()) {
    rows_complete = true;
    applied = *first_tag;
    if (applied.lsn >= last_tag->lsn) incomplete = false;
  }
}

SnapshotTell SimTables::read_snapshot(const std::string& from, std::size_t bytes_max) const {
  std::map<std::string, std::string> all;
  for (const auto& [key, value] : rows) all.emplace("r" + key, value);
  for (const auto& [id, session] : sessions.all()) {
    all.emplace("s" + std::string(id.bytes.begin(), id.bytes.end()), encode_session(session));
  }
  SnapshotTell chunk{.cursor = from, .tag = applied, .time = time, .rows = {}, .next = {}};
  std::size_t bytes = 0;
  for (auto row = all.upper_bound(from); row != all.end(); ++row) {
    if (!chunk.rows.empty() && bytes >= bytes_max) {
      chunk.next = chunk.rows.back().key;
      break;
    }
    bytes += row->first.size() + row->second.size();
    chunk.rows.push_back({row->first, row->second});
  }
  return chunk;
}

}  // namespace pollux::testing
