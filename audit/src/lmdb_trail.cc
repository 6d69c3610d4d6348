#include "lmdb_trail.h"

#include "pollux/audit/archive.h"
#include "pollux/core/check.h"
#include "pollux/proto/record_codec.h"
#include "trail_limits.h"

namespace pollux {
namespace {
constexpr std::string_view base_key = "base";
constexpr std::string_view state_key = "member state";
}  // namespace

struct LmdbTrail::Reader {
  LmdbRead txn;
  LmdbCursor cursor;
  Position base;

  /// The stored record at `lsn`, if it is there. Valid until the transaction ends.
  std::optional<StoredRecord> find(Lsn lsn) {
    MDB_val key = to_val(lsn.value);
    MDB_val value{};
    if (mdb_cursor_get(cursor.get(), &key, &value, MDB_SET_KEY) != 0) return std::nullopt;
    return StoredRecord::parse(lsn, to_view(value));
  }
  std::optional<StoredRecord> step(MDB_cursor_op op) {
    MDB_val key{};
    MDB_val value{};
    if (mdb_cursor_get(cursor.get(), &key, &value, op) != 0) return std::nullopt;
    return StoredRecord::parse(Lsn{get_number<std::uint64_t>(to_view(key))}, to_view(value));
  }
};

Result<void> LmdbTrail::load() {
  records_ = env_->database(0);
  anchors_ = env_->database(1);
  auto opened = reader();
  if (!opened) return std::unexpected(opened.error());
  Reader& in = *opened;
  MDB_stat stat{};
  if (const int rc = mdb_stat(in.txn.get(), records_, &stat); rc != 0)
    return std::unexpected(env_->error(rc, "look at"));
  Position last = in.base;
  if (stat.ms_entries > 0) {
    const auto first_stored = in.step(MDB_FIRST);
    const auto last_stored = in.step(MDB_LAST);
    if (!first_stored || !last_stored || first_stored->lsn != in.base.lsn.next() ||
        last_stored->lsn.value != in.base.lsn.value + stat.ms_entries) {
      return std::unexpected(damaged(in.base.lsn.next(), "the records after its base are not all there"));
    }
    const auto hash = known_hash(in, last_stored->lsn);
    if (!hash) return std::unexpected(damaged(last_stored->lsn, "the newest record does not tell its hash"));
    last = {last_stored->lsn, *hash};
  }
  remember(in.base, last);
  return {};
}

Result<LmdbTrail::Reader> LmdbTrail::reader() const {
  auto txn = env_->read();
  if (!txn) return std::unexpected(txn.error());
  Reader made{.txn = std::move(*txn), .cursor = {}, .base = {}};
  if (const int rc = made.cursor.open(made.txn.get(), records_); rc != 0) {
    return std::unexpected(env_->error(rc, "read"));
  }
  auto base = env_->get_meta(made.txn.get(), base_key);
  if (!base) return std::unexpected(base.error());
  if (*base) {
    if ((*base)->size() != position_bytes)
      return std::unexpected(damaged(Lsn{}, "its base is of the wrong size"));
    made.base = get_position(**base);
  }
  return made;
}

std::optional<Hash> LmdbTrail::known_hash(Reader& in, Lsn lsn) {
  if (lsn == in.base.lsn) return in.base.hash;
  const auto stored = in.find(lsn);
  if (!stored) return std::nullopt;
  if (stored->head_fits()) return stored->hash();
  if (!stored->whole) return std::nullopt;
  // The head is damaged: what the previous record and these bytes give is right if the body's checksum says
  // so.
  std::optional<Hash> previous;
  if (lsn.prev() == in.base.lsn) {
    previous = in.base.hash;
  } else if (const auto before = in.find(lsn.prev()); before && before->head_fits()) {
    previous = before->hash();
  }
  if (!previous) return std::nullopt;
  const Hash computed = chain_hash(*previous, stored->bytes);
  std::string body(view_of(computed));
  body.append(stored->bytes);
  const auto sum = static_cast<std::uint32_t>(checksum(body, ChecksumOf::record_body, lsn.value));
  if (sum == get_number<std::uint32_t>(stored->body_sum) || computed == stored->hash()) return computed;
  return std::nullopt;
}

Error LmdbTrail::out_of_range(const Reader& in, Lsn lsn) const {
  if (lsn <= in.base.lsn) {
    return {Code::gone, "LSN " + std::to_string(lsn.value) +
                            " is no longer in the trail, which starts after " +
                            std::to_string(in.base.lsn.value) + "; look into its archives"};
  }
  return {Code::not_found, "LSN " + std::to_string(lsn.value) + " is beyond the end of the trail"};
}

Error LmdbTrail::damaged(Lsn lsn, const char* why) const {
  return {Code::damaged, "the audit trail in " + env_->directory().string() + " is damaged at LSN " +
                             std::to_string(lsn.value) + ": " + why + "; it is to be fetched from the peer"};
}

Result<RecordPtr> LmdbTrail::checked(Reader& in, const StoredRecord& stored,
                                     const std::optional<Hash>& previous) const {
  if (!stored.body_fits() || !stored.head_fits()) {
    return std::unexpected(damaged(stored.lsn, "the record does not fit its checksum"));
  }
  const Hash hash = stored.hash();
  // Without a previous hash that can be trusted this record's own checksum has to do: the damage is there,
  // not here.
  const auto before = previous ? previous : known_hash(in, stored.lsn.prev());
  if (before && chain_hash(*before, stored.bytes) != hash) {
    return std::unexpected(damaged(stored.lsn, "the record does not follow the one before it"));
  }
  auto record = unseal_with_hash(stored.bytes, hash);
  if (!record) return std::unexpected(damaged(stored.lsn, "the record cannot be decoded"));
  if ((*record)->record.lsn != stored.lsn)
    return std::unexpected(damaged(stored.lsn, "it holds another record"));
  return record;
}

Result<RecordPtr> LmdbTrail::read(Lsn lsn) const {
  auto in = reader();
  if (!in) return std::unexpected(in.error());
  if (lsn <= in->base.lsn) return std::unexpected(out_of_range(*in, lsn));
  const auto stored = in->find(lsn);
  if (!stored) return std::unexpected(out_of_range(*in, lsn));
  return checked(*in, *stored, std::nullopt);
}

Result<std::vector<RecordPtr>> LmdbTrail::read_after(Lsn after, std::size_t bytes_max) const {
  auto in = reader();
  if (!in) return std::unexpected(in.error());
  if (after < in->base.lsn) return std::unexpected(out_of_range(*in, after.next()));
  std::vector<RecordPtr> records;
  std::optional<Hash> previous = known_hash(*in, after);
  std::size_t bytes = 0;
  auto stored = in->find(after.next());
  for (Lsn lsn = after.next(); stored; stored = in->step(MDB_NEXT), lsn = lsn.next()) {
    if (stored->lsn != lsn) return std::unexpected(damaged(lsn, "the record is missing"));
    if (!records.empty() && bytes + stored->bytes.size() > bytes_max) break;
    auto record = checked(*in, *stored, previous);
    if (!record) return std::unexpected(record.error());
    bytes += stored->bytes.size();
    previous = (*record)->hash;
    records.push_back(std::move(*record));
  }
  return records;
}

Result<Hash> LmdbTrail::hash_at(Lsn lsn) const {
  if (lsn.value == 0) return Hash{};
  auto in = reader();
  if (!in) return std::unexpected(in.error());
  if (lsn < in->base.lsn) {
    MDB_val key = to_val(lsn.value);
    MDB_val value{};
    if (mdb_get(in->txn.get(), anchors_, &key, &value) != 0) return std::unexpected(out_of_range(*in, lsn));
    const auto plain = without_checksum(to_view(to_val(lsn.value)), to_view(value));
    if (!plain || plain->size() != 32)
      return std::unexpected(damaged(lsn, "its anchor does not fit its checksum"));
    return get_hash(*plain);
  }
  if (const auto hash = known_hash(*in, lsn)) return *hash;
  if (in->find(lsn)) return std::unexpected(damaged(lsn, "the record does not tell its hash"));
  return std::unexpected(out_of_range(*in, lsn));
}

Position LmdbTrail::base() const {
  const std::lock_guard lock(mutex_);
  return base_;
}

Position LmdbTrail::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

void LmdbTrail::remember(std::optional<Position> base, std::optional<Position> last) {
  const std::lock_guard lock(mutex_);
  if (base) base_ = *base;
  if (last) last_ = *last;
  oldest_ = newest_ = {};
}

Result<void> LmdbTrail::append(std::span<const RecordPtr> records) {
  if (records.empty()) return {};
  auto txn = env_->write();
  if (!txn) return std::unexpected(txn.error());
  LmdbCursor cursor;
  if (const int rc = cursor.open(txn->get(), records_); rc != 0) return env_->poison(rc, "write");
  Lsn lsn = last().lsn;
  for (const RecordPtr& record : records) {
    POLLUX_CHECK_WHY(record->record.lsn == lsn.next(), "records are appended without a gap");
    lsn = record->record.lsn;
    MDB_val key = to_val(lsn.value);
    MDB_val value{StoredRecord::head_bytes + record->bytes.size(), nullptr};
    if (const int rc = mdb_cursor_put(cursor.get(), &key, &value, MDB_APPEND | MDB_RESERVE); rc != 0) {
      return env_->poison(rc, "append to");
    }
    StoredRecord::write(static_cast<char*>(value.mv_data), *record);
  }
  cursor = {};
  if (auto done = txn->commit(); !done) return done;
  const std::lock_guard lock(mutex_);
  last_ = records.back()->position();
  newest_ = {last_.lsn, records.back()->record.time};
  return {};
}

Result<void> LmdbTrail::set_aside(const Position& to, const std::filesystem::path& aside) const {
  auto writer = ArchiveWriter::create(aside, to);
  if (!writer) return std::unexpected(writer.error());
  auto in = reader();
  if (!in) return std::unexpected(in.error());
  auto stored = in->find(to.lsn.next());
  for (; stored; stored = in->step(MDB_NEXT)) {
    if (!stored->whole) return std::unexpected(damaged(stored->lsn, "the record has no bytes"));
    // Bytes as they are: a damaged record is set aside too, and the archive's reader will say so.
    if (auto added = writer->add(stored->lsn, stored->bytes, stored->hash()); !added) return added;
  }
  auto done = writer->finish();
  if (!done) return std::unexpected(done.error());
  return {};
}

Result<void> LmdbTrail::cut(const Position& to, const std::filesystem::path& aside) {
  const Position end = last();
  if (to.lsn > end.lsn) return fail(Code::not_found, "the trail cannot be cut beyond its end");
  const auto known = hash_at(to.lsn);
  if (!known) return std::unexpected(known.error());
  if (to.lsn < base().lsn) return fail(Code::gone, "the trail cannot be cut before its base");
  if (*known != to.hash) {
    return std::unexpected(damaged(to.lsn, "it has another hash than the one the trail is to be cut at"));
  }
  if (to == end) return {};
  auto txn = env_->write();
  if (!txn) return std::unexpected(txn.error());
  if (auto kept = set_aside(to, aside); !kept) return kept;
  LmdbCursor cursor;
  if (const int rc = cursor.open(txn->get(), records_); rc != 0) return env_->poison(rc, "cut");
  for (Lsn lsn = end.lsn; lsn > to.lsn; lsn = lsn.prev()) {
    MDB_val key = to_val(lsn.value);
    MDB_val value{};
    int rc = mdb_cursor_get(cursor.get(), &key, &value, MDB_SET);
    if (rc == 0) rc = mdb_cursor_del(cursor.get(), 0);
    if (rc != 0) return env_->poison(rc, "cut");
  }
  cursor = {};
  if (auto done = txn->commit(); !done) return done;
  remember({}, to);
  return {};
}

Result<void> LmdbTrail::put_base(MDB_txn* txn, const Position& base) {
  std::string bytes;
  put_position(bytes, base);
  return env_->put_meta(txn, base_key, bytes);
}

Result<void> LmdbTrail::put_anchor(MDB_txn* txn, Lsn lsn, const Hash& hash) {
  MDB_val key = to_val(lsn.value);
  const std::string stored = with_checksum(to_view(key), view_of(hash));
  MDB_val value = to_val(stored);
  if (const int rc = mdb_put(txn, anchors_, &key, &value, 0); rc != 0) return env_->poison(rc, "drop from");
  MDB_stat stat{};
  if (const int rc = mdb_stat(txn, anchors_, &stat); rc != 0) return env_->poison(rc, "drop from");
  if (stat.ms_entries <= anchors_max) return {};
  LmdbCursor cursor;
  MDB_val oldest{};
  int rc = cursor.open(txn, anchors_);
  if (rc == 0) rc = mdb_cursor_get(cursor.get(), &oldest, &value, MDB_FIRST);
  if (rc == 0) rc = mdb_cursor_del(cursor.get(), 0);
  if (rc != 0) return env_->poison(rc, "drop from");
  return {};
}

Result<void> LmdbTrail::reset(const Position& base) {
  auto txn = env_->write();
  if (!txn) return std::unexpected(txn.error());
  for (const MDB_dbi dbi : {records_, anchors_}) {
    if (const int rc = mdb_drop(txn->get(), dbi, 0); rc != 0) return env_->poison(rc, "empty");
  }
  if (auto put = put_base(txn->get(), base); !put) return put;
  if (auto done = txn->commit(); !done) return done;
  remember(base, base);
  return {};
}

Result<Position> LmdbTrail::drop_below(Lsn upto, std::size_t portion) {
  POLLUX_CHECK(portion > 0);
  Position at = base();
  const Lsn end = std::min({upto, last().lsn, Lsn{at.lsn.value + portion}});
  if (end <= at.lsn) return at;
  const auto hash = hash_at(end);  // before anything is changed: a base without a hash would be no base
  if (!hash) return std::unexpected(hash.error());
  auto txn = env_->write();
  if (!txn) return std::unexpected(txn.error());
  LmdbCursor cursor;
  if (const int rc = cursor.open(txn->get(), records_); rc != 0) return env_->poison(rc, "drop from");
  for (Lsn lsn = at.lsn.next(); lsn <= end; lsn = lsn.next()) {
    MDB_val key = to_val(lsn.value);
    MDB_val value{};
    int rc = mdb_cursor_get(cursor.get(), &key, &value, MDB_SET_KEY);
    if (rc != 0) return env_->poison(rc, "drop from");
    const auto stored = StoredRecord::parse(lsn, to_view(value));
    const bool anchor = lsn.value % anchor_every == 0 && stored.head_fits();
    const Hash anchored = anchor ? stored.hash() : Hash{};
    if (rc = mdb_cursor_del(cursor.get(), 0); rc != 0) return env_->poison(rc, "drop from");
    if (anchor) {
      if (auto put = put_anchor(txn->get(), lsn, anchored); !put) return std::unexpected(put.error());
    }
  }
  at = {end, *hash};
  if (auto put = put_base(txn->get(), at); !put) return std::unexpected(put.error());
  cursor = {};
  if (auto done = txn->commit(); !done) return std::unexpected(done.error());
  remember(at, {});
  return at;
}

Result<void> LmdbTrail::repair(const RecordPtr& record) {
  const Lsn lsn = record->record.lsn;
  {
    auto in = reader();
    if (!in) return std::unexpected(in.error());
    const auto stored = lsn <= in->base.lsn ? std::nullopt : in->find(lsn);
    if (!stored) return std::unexpected(out_of_range(*in, lsn));
    const auto refuse = [&](const char* why) { return std::unexpected(damaged(lsn, why)); };
    const auto previous = known_hash(*in, lsn.prev());
    if (previous && chain_hash(*previous, record->bytes) != record->hash) {
      return refuse("the copy does not follow the record before it");
    }
    // What tells that it is the very record: our own hash of it, if that is undamaged, else the record after
    // it.
    const auto own = in->find(lsn);
    if (lsn == last().lsn) {
      if (record->hash != last().hash) return refuse("the copy has another hash");
    } else if (own->head_fits()) {
      if (record->hash != own->hash()) return refuse("the copy has another hash");
    } else if (const auto next = in->find(lsn.next()); !previous || !next || !next->body_fits()) {
      return refuse("its neighbours are damaged too, repair these first");
    } else if (chain_hash(record->hash, next->bytes) != next->hash()) {
      return refuse("the record after it does not follow the copy");
    }
  }
  auto txn = env_->write();
  if (!txn) return std::unexpected(txn.error());
  MDB_val key = to_val(lsn.value);
  MDB_val value{StoredRecord::head_bytes + record->bytes.size(), nullptr};
  if (const int rc = mdb_put(txn->get(), records_, &key, &value, MDB_RESERVE); rc != 0) {
    return env_->poison(rc, "repair");
  }
  StoredRecord::write(static_cast<char*>(value.mv_data), *record);
  return txn->commit();
}

Result<std::optional<MemberState>> LmdbTrail::load_state() const {
  auto txn = env_->read();
  if (!txn) return std::unexpected(txn.error());
  auto bytes = env_->get_meta(txn->get(), state_key);
  if (!bytes) return std::unexpected(bytes.error());
  if (!*bytes) return std::nullopt;
  auto state = decode_member_state(**bytes);
  if (!state) return std::unexpected(state.error());
  return std::optional(std::move(*state));
}

Result<void> LmdbTrail::store_state(const MemberState& state) {
  auto txn = env_->write();
  if (!txn) return std::unexpected(txn.error());
  if (auto put = env_->put_meta(txn->get(), state_key, encode_member_state(state)); !put) return put;
  return txn->commit();
}

WallTime LmdbTrail::time_of(Lsn lsn) const {
  const auto record = read(lsn);
  return record ? (*record)->record.time : WallTime{};
}

TrailStats LmdbTrail::stats() const {
  TrailStats stats;
  std::pair<Lsn, WallTime> oldest, newest;
  {
    const std::lock_guard lock(mutex_);
    stats.base = base_;
    stats.last = last_;
    oldest = oldest_;
    newest = newest_;
  }
  stats.records = stats.last.lsn.value - stats.base.lsn.value;
  if (auto txn = env_->read()) {
    stats.bytes_used = env_->bytes_used(txn->get(), {records_, anchors_, env_->meta()}).value_or(0);
  }
  if (stats.records == 0) return stats;
  if (oldest.first != stats.base.lsn.next()) oldest = {stats.base.lsn.next(), time_of(stats.base.lsn.next())};
  if (newest.first != stats.last.lsn) newest = {stats.last.lsn, time_of(stats.last.lsn)};
  stats.oldest = oldest.second;
  stats.newest = newest.second;
  const std::lock_guard lock(mutex_);
  oldest_ = oldest;
  if (newest_.first < newest.first) newest_ = newest;
  return stats;
}

Result<std::unique_ptr<Trail>> open_lmdb_trail(const LmdbTrailOptions& options) {
  auto env = LmdbEnv::open({.directory = options.directory,
                            .what = "audit trail",
                            .format = "pollux trail 1",
                            .databases = {{"records", MDB_INTEGERKEY}, {"anchors", MDB_INTEGERKEY}},
                            .meta_names = {base_key, state_key},
                            .map_bytes = options.map_bytes,
                            .prefill_bytes = options.prefill_bytes,
                            .read_ahead = true,
                            .check_pages = options.check_pages});
  if (!env) return std::unexpected(env.error());
  auto trail = std::make_unique<LmdbTrail>(std::move(*env));
  if (auto loaded = trail->load(); !loaded) return std::unexpected(loaded.error());
  return trail;
}

}  // namespace pollux
