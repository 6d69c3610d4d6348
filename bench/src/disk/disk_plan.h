// The cells of `bench disk`.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "pollux/bench/disk.h"
#include "run/plan.h"

namespace pollux {

constexpr std::size_t disk_record_bytes = 100;

enum class DiskSync { none, dsync, fdatasync };
std::string_view to_string(DiskSync sync);

struct DiskCell {
  std::string file;  ///< "raw", "lmdb", "trail"
  bool write = false;
  DiskSync sync = DiskSync::none;
  unsigned batch = 1;  ///< records written before a flush
  bool cold = false;   ///< of a read: dropped from the page cache first
};

/// A file to access. Each access is timed by itself: of a write, with the flush of its batch.
class DiskFile {
 public:
  virtual ~DiskFile() = default;
  /// Filled with all records, flushed.
  virtual Result<void> prepare(std::uint64_t records) = 0;
  /// Reads record `n`; false: not there or wrong, which fails the cell.
  virtual Result<bool> read(std::uint64_t n) = 0;
  /// Writes these records, and flushes as the cell says.
  virtual Result<void> write(const std::vector<std::uint64_t>& numbers) = 0;
  /// Drops what the kernel keeps of it in memory.
  virtual Result<void> cool_down() = 0;
};
/// Only I/O: pread, pwrite.
std::unique_ptr<DiskFile> open_raw_file(const std::filesystem::path& directory, const DiskCell& cell);
/// LMDB, keyed by the record's number.
std::unique_ptr<DiskFile> open_lmdb_file(const std::filesystem::path& directory, const DiskCell& cell);
/// The audit trail as members write it. A write appends; a read is by LSN.
std::unique_ptr<DiskFile> open_trail_file(const std::filesystem::path& directory, const DiskCell& cell);

/// Content of record `n` after `version` writes to it: checked when it is read.
std::string disk_record(std::uint64_t n);

std::vector<CellGroup> plan_disk(const BenchDiskOptions& options, const std::filesystem::path& directory);

/// What must be said of flushes that took these times and let the device count so many flushes.
struct FlushEvidence {
  std::string file_system;
  bool volatile_memory = false;  ///< tmpfs and the like
  std::string device;            ///< in /sys/block; empty: not known
  std::string write_cache;       ///< "write back", "write through", "" if not told
  std::uint64_t flushes_asked = 0;
  std::optional<std::uint64_t> flushes_counted;  ///< by the device meanwhile
  std::int64_t p50_ns = 0;
};
struct FlushVerdict {
  bool invalid = false;
  bool doubtful = false;
  std::string text;  ///< one sentence
};
FlushVerdict judge_flush(const FlushEvidence& evidence);
std::string write_cache_of(const std::string& device);

}  // namespace pollux
