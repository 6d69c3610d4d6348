// Snapshots of the tables in LMDB, given and received, and the digest that tells whether they came out right.
#include "lmdb_tables.h"
#include "pollux/core/check.h"
#include "pollux/proto/record_codec.h"
#include "state_digest.h"

namespace pollux {

Result<SnapshotChunk> LmdbTables::read_snapshot(std::string_view cursor, std::size_t bytes_max) const {
  // The lock makes the sessions in memory those of the transaction: apply() holds it while it commits.
  const std::lock_guard lock(sessions_mutex_);
  auto txn = env_->read();
  if (!txn) return std::unexpected(txn.error());
  const ScanRows scan = [&](std::string_view from, const auto& row) {
    return rows_.scan(txn->get(), from, {}, row);
  };
  auto chunk = make_chunk(cursor, bytes_max, scan, sessions_);
  if (!chunk) return chunk;
  auto tag = rows_.applied_in(txn->get());
  if (!tag) return std::unexpected(tag.error());
  auto time = newest_time_in(txn->get());
  if (!time) return std::unexpected(time.error());
  chunk->tag = *tag;
  chunk->time = *time;
  return chunk;
}

Result<void> LmdbTables::begin_snapshot() {
  auto txn = env_->write();
  if (!txn) return std::unexpected(txn.error());
  for (const MDB_dbi dbi : {rows_.database(), sessions_dbi_, staged_}) {
    if (const int rc = mdb_drop(txn->get(), dbi, 0); rc != 0) return env_->poison(rc, "empty");
  }
  if (auto put = put_applied(txn->get(), {}); !put) return put;
  if (auto put = put_newest_time(txn->get(), {}); !put) return put;
  if (auto put = env_->put_meta(txn->get(), progress_key, encode_progress({})); !put) return put;
  const std::lock_guard lock(sessions_mutex_);
  if (auto done = txn->commit(); !done) return done;
  sessions_.clear();
  joiner_.clear();
  stored_cursor_.clear();
  remember({}, {}, SnapshotProgress{});
  return {};
}

Result<void> LmdbTables::install(const SnapshotChunk& chunk) {
  auto progress = snapshot_progress();
  POLLUX_CHECK_WHY(progress && !progress->rows_complete, "a chunk is installed only into a begun snapshot");
  auto txn = env_->write();
  if (!txn) return std::unexpected(txn.error());
  {
    LmdbCursor rows;
    LmdbCursor staged;
    int rc = rows.open(txn->get(), rows_.database());
    if (rc == 0) rc = staged.open(txn->get(), staged_);
    if (rc != 0) return env_->poison(rc, "write");
    for (const Change& row : chunk.rows) {
      auto taken = joiner_.take(row, [&](std::string_view key, std::string_view value) -> Result<void> {
        const bool service_row = key[0] == snapshot_row;
        if (service_row && key.size() - 1 > key_bytes_max)
          return fail(Code::malformed, "a row of a snapshot has too long a key");
        if (!service_row && key[0] != snapshot_head && key[0] != snapshot_replies) {
          return fail(Code::malformed, "a snapshot has a row of an unknown kind");
        }
        const int put_rc = service_row ? put(rows.get(), key.substr(1), value, ChecksumOf::row)
                                       : put(staged.get(), key, value, ChecksumOf::session);
        if (put_rc != 0) return env_->poison(put_rc, "write");
        return {};
      });
      if (!taken) {
        joiner_.clear();
        return taken;
      }
    }
  }
  if (auto ended = joiner_.end(chunk); !ended) return ended;
  const WallTime time = progress->first_tag ? newest_time() : chunk.time;
  if (!progress->first_tag) {
    progress->first_tag = chunk.tag;
    if (auto put = put_newest_time(txn->get(), time); !put) return put;
  }
  progress->last_tag = std::max(chunk.tag, progress->last_tag.value_or(chunk.tag));
  // A row of which only fragments are there is begun anew after a restart: the stored cursor stays before it.
  progress->cursor = stored_cursor_;
  if (!joiner_.unfinished()) {
    progress->cursor = chunk.next;
    progress->rows_complete = chunk.next.empty();
  }
  Position now_applied;
  std::optional<SnapshotProgress> kept = progress;
  const std::lock_guard lock(sessions_mutex_);
  if (progress->rows_complete) {
    if (auto joined = join_staged(txn->get()); !joined) return joined;
    now_applied = *progress->first_tag;
    if (auto put = put_applied(txn->get(), now_applied); !put) return put;
    if (progress->last_tag->lsn <= now_applied.lsn) kept.reset();  // nothing was applied there meanwhile
  }
  if (auto put = kept ? env_->put_meta(txn->get(), progress_key, encode_progress(*kept))
                      : env_->erase_meta(txn->get(), progress_key);
      !put) {
    return put;
  }
  if (auto done = txn->commit(); !done) return done;
  stored_cursor_ = progress->cursor;
  if (kept) kept->cursor = chunk.next;
  remember(now_applied, time, std::move(kept));
  return {};
}

Result<void> LmdbTables::join_staged(MDB_txn* txn) {
  std::unordered_map<SessionId, Session> joined;
  LmdbCursor cursor;
  if (const int rc = cursor.open(txn, staged_); rc != 0) return env_->poison(rc, "read");
  MDB_val key{};
  MDB_val value{};
  int rc = 0;
  while ((rc = mdb_cursor_get(cursor.get(), &key, &value, MDB_NEXT)) == 0) {
    auto bytes = rows_.plain(to_view(key), to_view(value), ChecksumOf::session);
    if (!bytes) return std::unexpected(bytes.error());
    if (!join_session(to_view(key), *bytes, joined))
      return fail(Code::malformed, "a session of a snapshot cannot be decoded");
  }
  if (rc != MDB_NOTFOUND) return env_->poison(rc, "read");
  cursor = {};
  if (rc = mdb_drop(txn, staged_, 0); rc != 0) return env_->poison(rc, "empty");
  LmdbCursor out;
  if (rc = out.open(txn, sessions_dbi_); rc != 0) return env_->poison(rc, "write");
  sessions_.clear();
  for (auto& [id, session] : joined) {
    const std::string_view name(reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size());
    rc = put(out.get(), name, encode_session(session), ChecksumOf::session);
    if (rc != 0) return env_->poison(rc, "write");
    sessions_.restore(id, std::move(session));
  }
  return {};
}

Result<void> LmdbTables::hash_database(MDB_txn* txn, MDB_dbi dbi, ChecksumOf of, StateDigest& digest) const {
  LmdbCursor cursor;
  if (const int rc = cursor.open(txn, dbi); rc != 0) return std::unexpected(env_->error(rc, "read"));
  MDB_val key{};
  MDB_val value{};
  int rc = 0;
  while ((rc = mdb_cursor_get(cursor.get(), &key, &value, MDB_NEXT)) == 0) {
    auto bytes = rows_.plain(to_view(key), to_view(value), of);
    if (!bytes) return std::unexpected(bytes.error());
    if (of == ChecksumOf::row) {
      digest.row(to_view(key), *bytes);
    } else {
      digest.session(to_view(key), *bytes);
    }
  }
  if (rc != MDB_NOTFOUND) return std::unexpected(env_->error(rc, "read"));
  return {};
}

Result<std::pair<Position, Hash>> LmdbTables::digest() const {
  auto txn = env_->read();
  if (!txn) return std::unexpected(txn.error());
  auto applied = rows_.applied_in(txn->get());
  if (!applied) return std::unexpected(applied.error());
  StateDigest digest;
  if (auto done = hash_database(txn->get(), rows_.database(), ChecksumOf::row, digest); !done)
    return std::unexpected(done.error());
  if (auto done = hash_database(txn->get(), sessions_dbi_, ChecksumOf::session, digest); !done) {
    return std::unexpected(done.error());
  }
  return std::pair{*applied, digest.finish()};
}

}  // namespace pollux
