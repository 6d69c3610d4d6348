// A small file system in a file, mounted by a loop device: a disk that can be filled. It is mounted in a
// mount namespace of this process, so that it is gone with it, whatever happens.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "pollux/core/result.h"

namespace pollux::testing {

class LoopDisk {
 public:
  /// Makes an ext4 of `mib` MiB in `home` and mounts it. An error if this process may not mount (it needs
  /// root).
  static Result<std::unique_ptr<LoopDisk>> make(const std::filesystem::path& home, unsigned mib);
  ~LoopDisk();
  LoopDisk(const LoopDisk&) = delete;
  LoopDisk& operator=(const LoopDisk&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Writes until there is no space left.
  void fill();
  /// Writes until so much of it is used, as `df` counts.
  void fill_to(double percent);
  /// Removes what fill() and fill_to() wrote.
  void make_room();

 private:
  explicit LoopDisk(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace pollux::testing
