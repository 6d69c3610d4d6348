// The tables in LMDB.
//
// Databases: "rows" key -> checksum and value; "sessions" id -> checksum and session; "staged" a snapshot's
// pieces of sessions until all are there; "meta" the applied position, the time of its record, and the
// progress of a snapshot.
#pragma once

#include <mutex>
#include <optional>

#include "change_set.h"
#include "checksum.h"
#include "lmdb_env.h"
#include "lmdb_rows.h"
#include "pollux/audit/tables.h"
#include "snapshot_rows.h"

namespace pollux {

class LmdbTables final : public Tables {
 public:
  explicit LmdbTables(std::unique_ptr<LmdbEnv> env) : env_(std::move(env)), rows_(*env_) {}
  Result<void> load();

  [[nodiscard]] Position applied() const override;
  [[nodiscard]] WallTime newest_time() const override;
  [[nodiscard]] bool incomplete() const override;
  Result<void> apply(std::span<const RecordPtr> records) override;
  [[nodiscard]] Result<SessionTable> sessions() const override;
  [[nodiscard]] Result<std::unique_ptr<TablesView>> view() const override;
  [[nodiscard]] Result<SnapshotChunk> read_snapshot(std::string_view cursor,
                                                    std::size_t bytes_max) const override;
  Result<void> begin_snapshot() override;
  Result<void> install(const SnapshotChunk& chunk) override;
  [[nodiscard]] std::optional<SnapshotProgress> snapshot_progress() const override;
  [[nodiscard]] Result<std::pair<Position, Hash>> digest() const override;
  [[nodiscard]] TablesStats stats() const override;

  [[nodiscard]] Result<WallTime> newest_time_in(MDB_txn* txn) const;

 private:
  int put(MDB_cursor* cursor, std::string_view key, std::string_view value, ChecksumOf of);
  Result<void> put_changes(MDB_txn* txn, std::span<const RecordPtr> records);
  /// Rewrites the sessions that changed. Requires sessions_mutex_.
  Result<void> put_sessions(MDB_txn* txn);
  Result<void> put_applied(MDB_txn* txn, const Position& applied);
  Result<void> put_newest_time(MDB_txn* txn, WallTime time);
  Result<void> load_sessions(MDB_txn* txn);
  /// Makes sessions of the staged pieces. Requires sessions_mutex_.
  Result<void> join_staged(MDB_txn* txn);
  [[nodiscard]] Result<void> hash_database(MDB_txn* txn, MDB_dbi dbi, ChecksumOf of,
                                           class StateDigest& digest) const;
  void remember(const Position& applied, WallTime newest_time, std::optional<SnapshotProgress> progress);

  std::unique_ptr<LmdbEnv> env_;
  const LmdbRows rows_;
  MDB_dbi sessions_dbi_ = 0, staged_ = 0;
  ChangeSet changes_;
  FragmentJoiner joiner_;
  std::string stored_cursor_;  // of a snapshot; the one in progress_ can be ahead, in the midst of a row

  mutable std::mutex
      sessions_mutex_;     // held while a batch's sessions are written: minutes never, milliseconds yes
  SessionTable sessions_;  // as of applied_
  mutable std::mutex position_mutex_;  // short; taken last
  Position applied_;
  WallTime newest_time_;
  std::optional<SnapshotProgress> progress_;  // set: incomplete
};

}  // namespace pollux
