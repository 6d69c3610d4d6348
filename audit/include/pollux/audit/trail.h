// The audit trail: one LMDB environment, LSN -> record, appended and forced batch by batch. It is the truth.
//
// One thread writes (append, cut, drop, state); any thread may read. The LMDB trail, the one in memory and
// the faulty one pass the same tests (tests/unit/audit/trail_suite.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pollux/core/configuration.h"
#include "pollux/core/record.h"
#include "pollux/core/result.h"

namespace pollux {

struct TrailStats {
  Position base;  ///< records start after it: {0, zero} unless older ones were dropped
  Position last;
  std::uint64_t records = 0;
  std::uint64_t bytes_used = 0;  ///< of the data file, as our own count
  WallTime oldest, newest;       ///< times of the first and last record, zero if none
};

class Trail {
 public:
  virtual ~Trail() = default;

  /// Appends records that follow `last()` without a gap, and forces them. When it returns ok they are
  /// durable. On an error nothing is written any more, whatever is called: the member stops (I11).
  virtual Result<void> append(std::span<const RecordPtr> records) = 0;

  [[nodiscard]] virtual Position base() const = 0;
  [[nodiscard]] virtual Position last() const = 0;

  /// The record at `lsn`, verified against its own checksum and chain hash. `gone` below the base,
  /// `damaged` if a bit flipped, `not_found` above the end.
  [[nodiscard]] virtual Result<RecordPtr> read(Lsn lsn) const = 0;

  /// Records after `after` in order, until `bytes_max` of record bytes (at least one record if there is one).
  [[nodiscard]] virtual Result<std::vector<RecordPtr>> read_after(Lsn after, std::size_t bytes_max) const = 0;

  /// The chain hash at `lsn`, without decoding the record. Also known for anchors: every 1024th LSN of
  /// records that were dropped (the newest 65536 of these). `gone` if not known, `not_found` above the end.
  [[nodiscard]] virtual Result<Hash> hash_at(Lsn lsn) const = 0;

  /// Rejoin: writes the records above `to` into a synced file `aside` (format of archives), then drops
  /// them, durably. `damaged` if `to.hash` is not the hash at `to.lsn`. No file if nothing is above `to`.
  virtual Result<void> cut(const Position& to, const std::filesystem::path& aside) = 0;

  /// Snapshot: drops everything and starts anew after `base`, durably.
  virtual Result<void> reset(const Position& base) = 0;

  /// Retention: drops records up to and including `upto` in portions of at most `portion` records a call.
  /// Returns the new base. The caller has archived them, and passes only applied and committed ones.
  virtual Result<Position> drop_below(Lsn upto, std::size_t portion) = 0;

  /// Replaces a damaged record by a copy from the peer, if its bytes fit the chain on both sides; else
  /// `damaged`.
  virtual Result<void> repair(const RecordPtr& record) = 0;

  /// The member's state (configuration seen, witness seen), in the same environment, forced.
  [[nodiscard]] virtual Result<std::optional<MemberState>> load_state() const = 0;
  virtual Result<void> store_state(const MemberState& state) = 0;

  [[nodiscard]] virtual TrailStats stats() const = 0;
};

struct LmdbTrailOptions {
  std::filesystem::path directory;       ///< made if missing, mode 0700
  std::uint64_t map_bytes = 1ULL << 40;  ///< reserved, sparse: never grows under readers
  std::uint64_t prefill_bytes =
      0;                    ///< written at opening if the file is shorter: overwriting is cheaper to force
  bool check_pages = true;  ///< walk all pages first: LMDB trusts them, and has no checksums
};

/// Opens or creates. `in_use` if it is open already, in another process or in this one; `unsupported` if
/// another version wrote it; `damaged` if its pages or its ends are.
Result<std::unique_ptr<Trail>> open_lmdb_trail(const LmdbTrailOptions& options);

/// A trail in memory, for the simulator and tests. Not for users' data.
std::unique_ptr<Trail> make_memory_trail();

/// Wraps a trail; asks `should_fail` with the name of each writing or reading operation and fails with
/// `io_error` (or `disk_full`) when it says so.
using FailHook = std::function<std::optional<Code>(std::string_view operation)>;
std::unique_ptr<Trail> make_faulty_trail(std::unique_ptr<Trail> inner, FailHook should_fail);

}  // namespace pollux
