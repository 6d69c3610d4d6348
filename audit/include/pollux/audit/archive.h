// Archive files: records that left the trail (retention), or were set aside by a rejoin. And verify, which
// walks a trail or an archive and checks every record and the chain.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "pollux/audit/trail.h"
#include "pollux/core/record.h"
#include "pollux/core/result.h"

namespace pollux {

/// Writes `records` (consecutive, after `base`) compressed and synced to a new file that appears under its
/// name only when complete.
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
Result<VerifyReport> verify(const Trail& trail, const std::function<void(std::uint64_t, std::uint64_t)>& progress);

enum class RetentionMode : std::uint8_t { archive, drop };
struct RetentionOptions {
  std::uint64_t trail_bytes_max = 1ULL << 30;   ///< beyond it the oldest records leave
  std::uint64_t trail_age_max_s = 0;            ///< 0: no limit by age
  RetentionMode mode = RetentionMode::drop;
  std::filesystem::path archive_directory;
  std::uint64_t archive_bytes_max = 0;          ///< 0: archives are kept for ever
  std::size_t portion = 4096;                   ///< records a step, so that appends are not held up
};
/// One small step of retention; at most `options.portion` records, none above `removable` (applied and
/// committed). True if there is more to do. Called by the thread that writes the trail.
Result<bool> retention_step(Trail& trail, const RetentionOptions& options, Lsn removable, WallTime now);

}  // namespace pollux
