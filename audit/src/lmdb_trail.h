// The trail in LMDB. One thread writes; reads take a transaction of their own.
//
// Databases: "records" LSN -> StoredRecord, "anchors" LSN -> hash of some dropped records, "meta" base and
// the member's state. What is written together is in one transaction, so a crash leaves either all or
// nothing.
#pragma once

#include <mutex>

#include "lmdb_env.h"
#include "pollux/audit/trail.h"
#include "stored_record.h"

namespace pollux {

class LmdbTrail final : public Trail {
 public:
  explicit LmdbTrail(std::unique_ptr<LmdbEnv> env) : env_(std::move(env)) {}
  /// Reads base and last; `damaged` if they can't be told.
  Result<void> load();

  Result<void> append(std::span<const RecordPtr> records) override;
  [[nodiscard]] Position base() const override;
  [[nodiscard]] Position last() const override;
  [[nodiscard]] Result<RecordPtr> read(Lsn lsn) const override;
  [[nodiscard]] Result<std::vector<RecordPtr>> read_after(Lsn after, std::size_t bytes_max) const override;
  [[nodiscard]] Result<Hash> hash_at(Lsn lsn) const override;
  Result<void> cut(const Position& to, const std::filesystem::path& aside) override;
  Result<void> reset(const Position& base) override;
  Result<Position> drop_below(Lsn upto, std::size_t portion) override;
  Result<void> repair(const RecordPtr& record) override;
  [[nodiscard]] Result<std::optional<MemberState>> load_state() const override;
  Result<void> store_state(const MemberState& state) override;
  [[nodiscard]] TrailStats stats() const override;

 private:
  /// A read transaction with a cursor on the records.
  struct Reader;
  [[nodiscard]] Result<Reader> reader() const;
  /// The hash of the record at `lsn`, or of the base; none if it is not there or damaged beyond telling.
  static std::optional<Hash> known_hash(Reader& reader, Lsn lsn);
  [[nodiscard]] Error out_of_range(const Reader& reader, Lsn lsn) const;
  [[nodiscard]] Error damaged(Lsn lsn, const char* why) const;
  /// Decodes after checking sums and chain.
  Result<RecordPtr> checked(Reader& reader, const StoredRecord& stored,
                            const std::optional<Hash>& previous) const;
  Result<void> set_aside(const Position& to, const std::filesystem::path& aside) const;
  Result<void> put_base(MDB_txn* txn, const Position& base);
  Result<void> put_anchor(MDB_txn* txn, Lsn lsn, const Hash& hash);
  void remember(std::optional<Position> base, std::optional<Position> last);
  [[nodiscard]] WallTime time_of(Lsn lsn) const;

  std::unique_ptr<LmdbEnv> env_;
  MDB_dbi records_ = 0, anchors_ = 0;
  mutable std::mutex mutex_;  // guards what follows: written by one thread, read by any
  Position base_, last_;
  mutable std::pair<Lsn, WallTime> oldest_;  // cache: the time of the record at that LSN
  mutable std::pair<Lsn, WallTime> newest_;
};

}  // namespace pollux
