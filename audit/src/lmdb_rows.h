// Reading the rows of tables in LMDB: what the member that writes them and a process beside it have in common.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "checksum.h"
#include "lmdb_env.h"
#include "pollux/audit/tables.h"

namespace pollux {

/// Names in the meta database.
inline constexpr std::string_view applied_key = "applied";
inline constexpr std::string_view progress_key = "snapshot";
inline constexpr std::string_view newest_time_key = "newest time";

inline constexpr std::size_t row_sum_bytes = 8;

/// What LmdbEnv needs to know of tables. Their databases: rows, sessions, staged.
LmdbEnvOptions tables_env_options(const std::filesystem::path& directory, std::uint64_t map_bytes);

class LmdbRows {
 public:
  explicit LmdbRows(const LmdbEnv& env) : env_(env), rows_(env.database(0)) {}

  /// Checks and strips the checksum of a stored row or session.
  [[nodiscard]] Result<std::string_view> plain(std::string_view key, std::string_view stored,
                                               ChecksumOf of) const;
  [[nodiscard]] Result<Position> applied_in(MDB_txn* txn) const;
  [[nodiscard]] Result<std::optional<std::string>> get(MDB_txn* txn, std::string_view key) const;
  Result<void> scan(MDB_txn* txn, std::string_view from, std::string_view to,
                    const std::function<bool(std::string_view, std::string_view)>& row) const;
  /// A read as of now.
  [[nodiscard]] Result<std::unique_ptr<TablesView>> view() const;
  /// The same, of a transaction that is known to show what is applied up to there.
  [[nodiscard]] std::unique_ptr<TablesView> view_at(LmdbRead txn, Lsn applied) const;

  [[nodiscard]] MDB_dbi database() const { return rows_; }
  [[nodiscard]] const LmdbEnv& env() const { return env_; }

 private:
  const LmdbEnv& env_;
  MDB_dbi rows_;
};

}  // namespace pollux
