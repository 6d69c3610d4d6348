#include "lmdb_tables.h"

#include "bytes.h"
#include "pollux/core/check.h"
#include "pollux/proto/record_codec.h"

namespace pollux {
namespace {

std::string_view view_of(const SessionId& id) {
  return {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()};
}

}  // namespace

Result<WallTime> LmdbTables::newest_time_in(MDB_txn* txn) const {
  auto bytes = env_->get_meta(txn, newest_time_key);
  if (!bytes) return std::unexpected(bytes.error());
  if (!*bytes) return WallTime{};
  POLLUX_CHECK((*bytes)->size() == sizeof(WallTime::us));
  return WallTime{static_cast<std::int64_t>(get_number<std::uint64_t>(**bytes))};
}

Result<void> LmdbTables::load() {
  sessions_dbi_ = env_->database(1);
  staged_ = env_->database(2);
  auto txn = env_->read();
  if (!txn) return std::unexpected(txn.error());
  auto applied = rows_.applied_in(txn->get());
  if (!applied) return std::unexpected(applied.error());
  auto newest_time = newest_time_in(txn->get());
  if (!newest_time) return std::unexpected(newest_time.error());
  auto stored = env_->get_meta(txn->get(), progress_key);
  if (!stored) return std::unexpected(stored.error());
  std::optional<SnapshotProgress> progress;
  if (*stored) {
    progress = decode_progress(**stored);
    if (!progress)
      return fail(Code::damaged,
                  "the progress of a snapshot in " + env_->directory().string() + " is damaged");
    stored_cursor_ = progress->cursor;
  }
  remember(*applied, *newest_time, std::move(progress));
  return load_sessions(txn->get());
}

Result<void> LmdbTables::load_sessions(MDB_txn* txn) {
  LmdbCursor cursor;
  if (const int rc = cursor.open(txn, sessions_dbi_); rc != 0)
    return std::unexpected(env_->error(rc, "read"));
  MDB_val key{};
  MDB_val value{};
  int rc = 0;
  while ((rc = mdb_cursor_get(cursor.get(), &key, &value, MDB_NEXT)) == 0) {
    auto bytes = rows_.plain(to_view(key), to_view(value), ChecksumOf::session);
    if (!bytes) return std::unexpected(bytes.error());
    SessionId id;
    auto session = decode_session(*bytes);
    if (!session || key.mv_size != id.bytes.size()) {
      return fail(Code::damaged, "a session in " + env_->directory().string() + " cannot be decoded");
    }
    std::memcpy(id.bytes.data(), key.mv_data, id.bytes.size());
    sessions_.restore(id, std::move(*session));
  }
  if (rc != MDB_NOTFOUND) return std::unexpected(env_->error(rc, "read"));
  return {};
}

void LmdbTables::remember(const Position& applied, WallTime newest_time,
                          std::optional<SnapshotProgress> progress) {
  const std::lock_guard lock(position_mutex_);
  applied_ = applied;
  newest_time_ = newest_time;
  progress_ = std::move(progress);
}

Position LmdbTables::applied() const {
  const std::lock_guard lock(position_mutex_);
  return applied_;
}

WallTime LmdbTables::newest_time() const {
  const std::lock_guard lock(position_mutex_);
  return newest_time_;
}

bool LmdbTables::incomplete() const {
  const std::lock_guard lock(position_mutex_);
  return progress_.has_value();
}

std::optional<Tables::SnapshotProgress> LmdbTables::snapshot_progress() const {
  const std::lock_guard lock(position_mutex_);
  return progress_;
}

int LmdbTables::put(MDB_cursor* cursor, std::string_view key, std::string_view value, ChecksumOf of) {
  MDB_val name = to_val(key);
  MDB_val stored{row_sum_bytes + value.size(), nullptr};
  if (const int rc = mdb_cursor_put(cursor, &name, &stored, MDB_RESERVE); rc != 0) return rc;
  const std::uint64_t sum = row_checksum(key, value, of);
  char* const out = static_cast<char*>(stored.mv_data);
  std::memcpy(out, &sum, sizeof sum);
  std::memcpy(out + row_sum_bytes, value.data(), value.size());
  return 0;
}

namespace {
int erase(MDB_cursor* cursor, std::string_view key) {
  MDB_val name = to_val(key);
  MDB_val value{};
  const int rc = mdb_cursor_get(cursor, &name, &value, MDB_SET);
  if (rc == MDB_NOTFOUND) return 0;
  return rc != 0 ? rc : mdb_cursor_del(cursor, 0);
}
}  // namespace

Result<void> LmdbTables::put_changes(MDB_txn* txn, std::span<const RecordPtr> records) {
  if (auto collected = changes_.collect(records); !collected) return collected;
  LmdbCursor cursor;
  int rc = cursor.open(txn, rows_.database());
  if (rc != 0) return env_->poison(rc, "write");
  changes_.for_each([&](const ChangeView& change) {
    rc = change.value ? put(cursor.get(), change.key, *change.value, ChecksumOf::row)
                      : erase(cursor.get(), change.key);
    return rc == 0;
  });
  changes_.clear();
  if (rc != 0) return env_->poison(rc, "write");
  return {};
}

Result<void> LmdbTables::put_sessions(MDB_txn* txn) {
  LmdbCursor cursor;
  int rc = cursor.open(txn, sessions_dbi_);
  for (const SessionId& id : sessions_.take_dirty()) {
    if (rc != 0) break;
    const Session* session = sessions_.find(id);
    rc = session == nullptr ? erase(cursor.get(), view_of(id))
                            : put(cursor.get(), view_of(id), encode_session(*session), ChecksumOf::session);
  }
  if (rc != 0) return env_->poison(rc, "write");
  return {};
}

Result<void> LmdbTables::put_applied(MDB_txn* txn, const Position& applied) {
  std::string bytes;
  put_position(bytes, applied);
  return env_->put_meta(txn, applied_key, bytes);
}

Result<void> LmdbTables::put_newest_time(MDB_txn* txn, WallTime time) {
  std::string bytes;
  put_number(bytes, static_cast<std::uint64_t>(time.us));
  return env_->put_meta(txn, newest_time_key, bytes);
}

Result<void> LmdbTables::apply(std::span<const RecordPtr> records) {
  if (records.empty()) return {};
  auto progress = snapshot_progress();
  POLLUX_CHECK_WHY(!progress || progress->rows_complete,
                   "records are applied only when all rows of a snapshot are there");
  Lsn lsn = applied().lsn;
  for (const auto& record : records) {
    POLLUX_CHECK_WHY(record->record.lsn == lsn.next(), "records are applied without a gap");
    lsn = record->record.lsn;
  }
  if (auto cleared = env_->clear_dead_readers(); !cleared) return cleared;  // those beside this process
  auto txn = env_->write();
  if (!txn) return std::unexpected(txn.error());
  if (auto put = put_changes(txn->get(), records); !put) return put;

  const Position end = records.back()->position();
  const WallTime time = records.back()->record.time;
  const std::lock_guard lock(sessions_mutex_);
  for (const auto& record : records) sessions_.apply(record->record);
  if (auto put = put_sessions(txn->get()); !put) return put;
  if (auto put = put_applied(txn->get(), end); !put) return put;
  if (auto put = put_newest_time(txn->get(), time); !put) return put;
  if (progress && end.lsn >= progress->last_tag->lsn) {
    if (auto erased = env_->erase_meta(txn->get(), progress_key); !erased) return erased;
    progress.reset();
  }
  if (auto done = txn->commit(); !done) return done;
  remember(end, time, std::move(progress));
  return {};
}

Result<SessionTable> LmdbTables::sessions() const {
  const std::lock_guard lock(sessions_mutex_);
  return sessions_;
}

Result<std::unique_ptr<TablesView>> LmdbTables::view() const { return rows_.view(); }

TablesStats LmdbTables::stats() const {
  TablesStats stats;
  stats.applied = applied();
  auto txn = env_->read();
  if (!txn) return stats;
  MDB_stat rows{};
  MDB_stat sessions{};
  if (mdb_stat(txn->get(), rows_.database(), &rows) == 0) stats.rows = rows.ms_entries;
  if (mdb_stat(txn->get(), sessions_dbi_, &sessions) == 0) stats.sessions = sessions.ms_entries;
  stats.bytes_used = env_->bytes_used(txn->get(), {rows_.database(), sessions_dbi_, staged_, env_->meta()}).value_or(0);
  return stats;
}

Result<std::unique_ptr<Tables>> open_lmdb_tables(const LmdbTablesOptions& options) {
  LmdbEnvOptions env_options = tables_env_options(options.directory, options.map_bytes);
  env_options.check_pages = options.check_pages;
  auto env = LmdbEnv::open(env_options);
  if (!env) return std::unexpected(env.error());
  auto tables = std::make_unique<LmdbTables>(std::move(*env));
  if (auto loaded = tables->load(); !loaded) return std::unexpected(loaded.error());
  return tables;
}

}  // namespace pollux
