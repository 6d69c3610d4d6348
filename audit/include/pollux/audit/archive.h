// Archive files: records that left the trail (retention), or were set aside by a rejoin. And verify, which
// walks a trail or an archive and checks every record and the chain.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "pollux/audit/trail.h"
#include "pollux/core/record.h"
#include "pollux/core/result.h"

namespace pollux {

/// Writes an archive file bit by bit. It appears under its name only when complete: compressed (zlib), with
/// checksums, and forced. Not thread-safe.
///
/// Layout: a header with the base; blocks of up to 256 KiB of records, each with its first LSN, count and
/// last hash in front of the compressed bytes; a footer. So an LSN and its hash are found without inflating
/// what is before.
class ArchiveWriter {
 public:
  static Result<ArchiveWriter> create(const std::filesystem::path& file, const Position& base);
  ArchiveWriter(ArchiveWriter&&) noexcept;
  ArchiveWriter& operator=(ArchiveWriter&&) noexcept;
  ~ArchiveWriter();  ///< unless finished, leaves nothing behind

  /// The next record, exactly as it is stored. Requires that LSNs go on without a gap.
  Result<void> add(Lsn lsn, std::string_view bytes, const Hash& hash);
  /// Completes, forces and names the file. Returns its last position.
  Result<Position> finish();

  [[nodiscard]] Position last() const;
  [[nodiscard]] std::uint64_t bytes_raw() const;  ///< of the records added, uncompressed

 private:
  struct State;
  explicit ArchiveWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Reads an archive file. `open` reads the headers of its blocks only.
class ArchiveReader {
 public:
  static Result<ArchiveReader> open(const std::filesystem::path& file);
  ArchiveReader(ArchiveReader&&) noexcept;
  ArchiveReader& operator=(ArchiveReader&&) noexcept;
  ~ArchiveReader();

  [[nodiscard]] Position base() const;
  [[nodiscard]] Position last() const;
  [[nodiscard]] std::size_t blocks() const;
  /// The records of one block, in order, each checked against the chain.
  [[nodiscard]] Result<std::vector<RecordPtr>> read_block(std::size_t block) const;
  /// Inflates one block at most. `gone` at LSNs below the base, `not_found` above the end.
  [[nodiscard]] Result<Hash> hash_at(Lsn lsn) const;
  [[nodiscard]] Result<RecordPtr> read(Lsn lsn) const;

 private:
  struct State;
  explicit ArchiveReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Writes `records` (consecutive, after `base`) as an archive file.
Result<void> write_archive(const std::filesystem::path& file, const Position& base,
                           std::span<const RecordPtr> records);
struct ArchiveContent {
  Position base;
  std::vector<RecordPtr> records;
};
Result<ArchiveContent> read_archive(const std::filesystem::path& file);

struct VerifyReport {
  Position base, last;
  std::uint64_t records = 0;
  std::vector<Error> faults;  ///< at most 100, each names its LSN; empty: all is well
};
/// Checks checksums and the chain from base to end. `progress` is called now and then with (done, total).
/// Goes on past damage. An Error only if the trail can't be read at all.
Result<VerifyReport> verify(const Trail& trail,
                            const std::function<void(std::uint64_t, std::uint64_t)>& progress);
/// The same for an archive file.
Result<VerifyReport> verify_archive(const std::filesystem::path& file);

enum class RetentionMode : std::uint8_t { archive, drop };
struct RetentionOptions {
  std::uint64_t trail_bytes_max = 1ULL << 30;  ///< pages in use; beyond it the oldest records leave
  std::uint64_t trail_age_max_s = 0;           ///< 0: no limit by age
  RetentionMode mode = RetentionMode::drop;
  std::filesystem::path archive_directory;  ///< made if missing; one for each member
  std::uint64_t archive_bytes_max = 0;      ///< beyond it the oldest archives are deleted; 0: kept for ever
  std::size_t portion = 4096;               ///< records a step, so that appends are not held up
  std::uint64_t archive_file_bytes = 64ULL << 20;  ///< of records, uncompressed, in one archive file
};

/// Retention of one trail. In mode `archive` records are first copied into archive files, and leave the trail
/// when the file that holds them is complete. A file is begun when records are to leave and none holds them
/// yet, and takes in all that is removable by then, up to its size: so a quiet pair has no crowd of tiny
/// files. A crash at any moment loses nothing: an unfinished file is begun anew. Archive files are named by
/// their first and last LSN: "00000000000000000001-00000000000000004096.pollux-archive".
class Retention {
 public:
  explicit Retention(RetentionOptions options);
  ~Retention();

  /// One small step: at most `portion` records are archived or dropped, none above `removable` (applied and
  /// committed). True if there is more to do now. Called by the thread that writes the trail.
  Result<bool> step(Trail& trail, Lsn removable, WallTime now);

  /// The same in two halves, for a member that does not want to compress on the thread that writes: `copy`
  /// only reads the trail and may run on another thread (never both halves at a time); `drop` is short.
  Result<bool> copy(const Trail& trail, Lsn removable, WallTime now);
  Result<bool> drop(Trail& trail, Lsn removable, WallTime now);

 private:
  friend Result<bool> retention_step(Trail&, const RetentionOptions&, Lsn, WallTime);
  struct State;
  Retention(RetentionOptions options, bool far);
  std::unique_ptr<State> state_;
};

/// A Retention of one step, for tests and tools: in mode `archive` each call writes a file of its own.
Result<bool> retention_step(Trail& trail, const RetentionOptions& options, Lsn removable, WallTime now);

}  // namespace pollux
