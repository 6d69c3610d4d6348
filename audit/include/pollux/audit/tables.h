// The tables: a second LMDB environment with the service's rows, the sessions and the LSN applied so far,
// changed in one LMDB transaction a batch. Only committed records are applied, off the caller's path.
//
// One thread writes (apply, install); any thread may read. See state.h for reads that also see what is not
// applied yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pollux/core/record.h"
#include "pollux/core/result.h"
#include "pollux/core/session_table.h"

namespace pollux {

/// A read transaction on the tables: the rows as of `applied()`. Cheap to renew, keep it short.
class TablesView {
 public:
  virtual ~TablesView() = default;
  [[nodiscard]] virtual Lsn applied() const = 0;
  [[nodiscard]] virtual Result<std::optional<std::string>> get(std::string_view key) = 0;
  /// Rows with from <= key < to (to empty: to the end), in order, until `row` returns false.
  virtual Result<void> scan(std::string_view from, std::string_view to,
                            const std::function<bool(std::string_view, std::string_view)>& row) = 0;
  /// Ends this read and begins a new one on the newest applied state.
  virtual Result<void> renew() = 0;
};

/// A key range of a snapshot. `rows` are service rows, sessions and fragments of large ones alike, opaque to
/// all but Tables (src/snapshot_rows.h), and so are cursors.
struct SnapshotChunk {
  Position tag;              ///< the applied position its rows show
  WallTime time;             ///< of the record at `tag`
  std::vector<Change> rows;  ///< keys of one byte: of what kind
  std::string next;          ///< cursor for the next chunk; empty: this was the last
};

struct TablesStats {
  Position applied;
  std::uint64_t rows = 0;
  std::uint64_t sessions = 0;
  std::uint64_t bytes_used = 0;
};

class Tables {
 public:
  virtual ~Tables() = default;

  [[nodiscard]] virtual Position applied() const = 0;
  /// Of the newest record that the tables know of: the one at `applied()`, and from a snapshot's first chunk
  /// on the one at its first tag. Zero if none. Record times never decrease, and the trail may hold no record
  /// that tells it: it is empty after a snapshot, and when retention has dropped everything.
  [[nodiscard]] virtual WallTime newest_time() const = 0;
  /// True from `begin_snapshot` until the records up to the last tag are applied (durable).
  [[nodiscard]] virtual bool incomplete() const = 0;

  /// Applies committed records that follow `applied()` without a gap, with their sessions, in one
  /// transaction. When it returns ok they are durable. On an error nothing is written any more, whatever is
  /// called: the member stops. Large batches are far cheaper: many changes of one row become one.
  virtual Result<void> apply(std::span<const RecordPtr> records) = 0;

  /// The session table as of `applied()`.
  [[nodiscard]] virtual Result<SessionTable> sessions() const = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<TablesView>> view() const = 0;

  // Snapshot, giving side: rows after `cursor` (empty: from the start), at most `bytes_max` of keys and
  // values, but for a key and some framing. Larger rows and replies come in fragments. `malformed` if it is
  // no such cursor.
  [[nodiscard]] virtual Result<SnapshotChunk> read_snapshot(std::string_view cursor,
                                                            std::size_t bytes_max) const = 0;

  // Snapshot, receiving side. `begin_snapshot` empties everything and sets `incomplete`. `install` stores a
  // chunk's rows and its cursor, so that an interrupted snapshot goes on where it was. After the last chunk
  // the tables are as of the *first* tag for the purpose of `applied()`, and stay incomplete until `apply`
  // passed the last tag. Records applied meanwhile carry absolute values, so applying one again is harmless.
  // Until the last chunk `applied()` is {0, zero}. `malformed` if a chunk does not go on where the last one
  // ended in the midst of a row; nothing is changed then.
  virtual Result<void> begin_snapshot() = 0;
  virtual Result<void> install(const SnapshotChunk& chunk) = 0;
  /// The cursor to go on with and the first tag, if a snapshot is under way; none otherwise. (Opened anew,
  /// the cursor can be an earlier one: fragments of a row are kept in memory until the row is complete.)
  struct SnapshotProgress {
    std::string cursor;
    std::optional<Position> first_tag;
    std::optional<Position> last_tag;
    bool rows_complete = false;
  };
  [[nodiscard]] virtual std::optional<SnapshotProgress> snapshot_progress() const = 0;

  /// BLAKE2b over all rows and sessions in key order, and the applied position it is of: two members with
  /// equal digests at an LSN hold the same state. Reads everything, so it finds every damaged row
  /// (`damaged`).
  [[nodiscard]] virtual Result<std::pair<Position, Hash>> digest() const = 0;

  [[nodiscard]] virtual TablesStats stats() const = 0;
};

/// Keys of rows are 1 to so many bytes.
inline constexpr std::size_t key_bytes_max = 480;

inline constexpr std::uint64_t tables_map_bytes = 1ULL << 40;

struct LmdbTablesOptions {
  std::filesystem::path directory;  ///< made if missing, mode 0700
  std::uint64_t map_bytes = tables_map_bytes;
  bool check_pages = true;  ///< walk all pages first: LMDB trusts them, and has no checksums
};
/// Opens or creates. `in_use` if it is open already, in another process or in this one; `unsupported` if
/// another version wrote it; `damaged` if its pages or sessions are.
Result<std::unique_ptr<Tables>> open_lmdb_tables(const LmdbTablesOptions& options);

/// A member's tables in another process of its host, for reading. A view keeps the pages that it sees from being used
/// again, so it is to be short; one whose process is killed is forgotten by the member.
class TablesBeside {
 public:
  virtual ~TablesBeside() = default;
  /// `busy` while a snapshot makes the tables anew. Thread-safe.
  [[nodiscard]] virtual Result<std::unique_ptr<TablesView>> view() const = 0;
};
/// Once in a process, and not in the member's own.
Result<std::unique_ptr<TablesBeside>> open_lmdb_tables_beside(const std::filesystem::path& directory);

/// Tables in memory, for the simulator and tests. Not for users' data.
std::unique_ptr<Tables> make_memory_tables();

/// Wraps tables; asks `should_fail` with the name of each writing or reading operation, as make_faulty_trail
/// does.
std::unique_ptr<Tables> make_faulty_tables(
    std::unique_ptr<Tables> inner,
    std::function<std::optional<Code>(std::string_view operation)> should_fail);

}  // namespace pollux
