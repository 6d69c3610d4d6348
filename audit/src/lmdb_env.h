// An LMDB environment as Pollux uses it: durable commits, a large sparse map, and one writer that is never
// used again after one of its transactions failed.
#pragma once

#include <lmdb.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files.h"
#include "pollux/core/result.h"

namespace pollux {

inline MDB_val to_val(std::string_view bytes) { return {bytes.size(), const_cast<char*>(bytes.data())}; }
inline MDB_val to_val(const std::uint64_t& number) {
  return {sizeof number, const_cast<std::uint64_t*>(&number)};
}
inline std::string_view to_view(const MDB_val& val) {
  return {static_cast<const char*>(val.mv_data), val.mv_size};
}

class LmdbEnv;

/// A read transaction; its reader slot goes back to the environment's pool.
class LmdbRead {
 public:
  LmdbRead(LmdbRead&& other) noexcept : env_(other.env_), txn_(std::exchange(other.txn_, nullptr)) {}
  LmdbRead& operator=(LmdbRead&&) = delete;
  ~LmdbRead();
  [[nodiscard]] MDB_txn* get() const { return txn_; }
  /// Goes on to the newest state.
  Result<void> renew();

 private:
  friend class LmdbEnv;
  LmdbRead(const LmdbEnv& env, MDB_txn* txn) : env_(&env), txn_(txn) {}
  const LmdbEnv* env_;
  MDB_txn* txn_;
};

/// A write transaction; aborted unless committed.
class LmdbWrite {
 public:
  LmdbWrite(LmdbWrite&& other) noexcept : env_(other.env_), txn_(std::exchange(other.txn_, nullptr)) {}
  LmdbWrite& operator=(LmdbWrite&&) = delete;
  ~LmdbWrite();
  [[nodiscard]] MDB_txn* get() const { return txn_; }
  /// Durable when it returns ok. On an error the environment is poisoned.
  Result<void> commit();

 private:
  friend class LmdbEnv;
  LmdbWrite(LmdbEnv& env, MDB_txn* txn) : env_(&env), txn_(txn) {}
  LmdbEnv* env_;
  MDB_txn* txn_;
};

class LmdbCursor {
 public:
  LmdbCursor() = default;
  LmdbCursor(LmdbCursor&& other) noexcept : cursor_(std::exchange(other.cursor_, nullptr)) {}
  LmdbCursor& operator=(LmdbCursor&& other) noexcept {
    std::swap(cursor_, other.cursor_);
    return *this;
  }
  ~LmdbCursor() {
    if (cursor_ != nullptr) mdb_cursor_close(cursor_);
  }
  int open(MDB_txn* txn, MDB_dbi dbi) { return mdb_cursor_open(txn, dbi, &cursor_); }
  [[nodiscard]] MDB_cursor* get() const { return cursor_; }

 private:
  MDB_cursor* cursor_ = nullptr;
};

struct LmdbDatabase {
  const char* name;
  unsigned flags;
};

struct LmdbEnvOptions {
  std::filesystem::path directory;
  std::string what;                               ///< for messages: "audit trail"
  std::string format;                             ///< stored in the meta database; another one is refused
  std::vector<LmdbDatabase> databases = {};       ///< made together with the format
  std::vector<std::string_view> meta_names = {};  ///< what the meta database may hold
  std::uint64_t map_bytes = 0;
  std::uint64_t prefill_bytes = 0;
  bool read_ahead = true;
  bool check_pages = true;  ///< walk all pages before LMDB trusts them (lmdb_pages.h)
};

class LmdbEnv {
 public:
  static Result<std::unique_ptr<LmdbEnv>> open(const LmdbEnvOptions& options);
  /// For reading only, beside the process that writes. Not twice in one process: closing one would drop the other's
  /// locks. Believes the pages, which the writer has walked.
  static Result<std::unique_ptr<LmdbEnv>> open_beside(const LmdbEnvOptions& options);
  ~LmdbEnv();
  LmdbEnv(const LmdbEnv&) = delete;
  LmdbEnv& operator=(const LmdbEnv&) = delete;

  /// A database of the options, by its place there.
  [[nodiscard]] MDB_dbi database(std::size_t place) const { return databases_[place]; }
  [[nodiscard]] MDB_dbi meta() const { return meta_; }

  [[nodiscard]] Result<LmdbRead> read() const;
  /// Forgets readers of processes that were killed, whose old pages could never be used again.
  Result<void> clear_dead_readers();
  Result<LmdbWrite> write();

  /// A value of the meta database, checksum removed; none if absent, `damaged` if it does not fit.
  [[nodiscard]] Result<std::optional<std::string>> get_meta(MDB_txn* txn, std::string_view name) const;
  Result<void> put_meta(MDB_txn* txn, std::string_view name, std::string_view value);
  Result<void> erase_meta(MDB_txn* txn, std::string_view name);

  [[nodiscard]] Error error(int rc, std::string_view doing) const;
  /// The error of a failed write. From now on every write is refused: after a failed flush nobody knows what
  /// is on the disk, and trying again would pretend otherwise (I11).
  std::unexpected<Error> poison(int rc, std::string_view doing);
  std::unexpected<Error> poison(Error error);

  /// Bytes of the pages that databases really use; freed pages, which LMDB reuses, do not count.
  [[nodiscard]] Result<std::uint64_t> bytes_used(MDB_txn* txn,
                                                 std::initializer_list<MDB_dbi> databases) const;
  [[nodiscard]] const std::filesystem::path& directory() const { return options_.directory; }
  [[nodiscard]] const std::string& what() const { return options_.what; }

 private:
  friend class LmdbRead;
  friend class LmdbWrite;
  LmdbEnv(LmdbEnvOptions options, std::optional<DirectoryLock> lock)
      : options_(std::move(options)), lock_(std::move(lock)) {}
  Result<void> open_env(unsigned access);
  Result<void> check_format();
  Result<void> check_format_beside();
  [[nodiscard]] Error other_format(std::string_view found) const;
  Result<void> open_databases(MDB_txn* txn, unsigned flags);
  [[nodiscard]] Result<void> check_meta(MDB_txn* txn) const;
  Result<void> prefill();

  static constexpr std::size_t idle_readers_max = 16;
  static constexpr unsigned readers_max = 254;
  static constexpr unsigned databases_max = 8;
  static constexpr std::uint64_t map_bytes_min = 64ULL << 20;

  LmdbEnvOptions options_;
  std::optional<DirectoryLock> lock_;  ///< of the process that writes
  MDB_env* env_ = nullptr;
  MDB_dbi meta_ = 0;
  std::vector<MDB_dbi> databases_;
  std::optional<Error> poisoned_;
  mutable std::mutex idle_mutex_;
  mutable std::vector<MDB_txn*> idle_readers_;  // reset, to be renewed
};

}  // namespace pollux
