// The floor under every commit: how long this disk takes to make 100 bytes durable.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>

#include "pollux/bench/histogram.h"
#include "pollux/core/result.h"

namespace pollux {

struct DiskFloorOptions {
  std::filesystem::path directory;  ///< a file is made here, and removed
  std::size_t bytes = 100;          ///< appended before each fdatasync
  std::chrono::nanoseconds duration = std::chrono::seconds(2);
  std::size_t warm_up = 50;  ///< appends that aren't counted
  const std::atomic<bool>* stop = nullptr;
};

/// Times of (append, fdatasync), one after the other.
Result<Histogram> measure_disk_floor(const DiskFloorOptions& options);

/// What the directory's file system is, e.g. "ext4". `volatile_memory`: a flush there makes nothing durable,
/// so that every figure measured on it is invalid.
struct FileSystem {
  std::string name;
  bool volatile_memory = false;
};
Result<FileSystem> file_system_of(const std::filesystem::path& directory);

}  // namespace pollux
