// A cgroup of our own that holds processes to a memory limit and a CPU quota; version 1 or 2. Made below the
// root of the hierarchy, so it takes root. Removed when it goes: the processes in it must have ended.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pollux/core/result.h"

namespace pollux {

class HeldGroup {
 public:
  /// `unsupported` with the reason if this host does not let us. `root`: "/sys/fs/cgroup", or a made-up one.
  static Result<std::unique_ptr<HeldGroup>> make(const std::string& name, std::uint64_t memory_bytes,
                                                 const std::filesystem::path& root = "/sys/fs/cgroup");
  ~HeldGroup();
  HeldGroup(const HeldGroup&) = delete;
  HeldGroup& operator=(const HeldGroup&) = delete;

  /// Files that a process writes its id to, to be in the group.
  [[nodiscard]] std::vector<std::filesystem::path> doors() const;
  /// Percent of one core; none: not held. The quota is renewed every 20 ms, so that a pause is no longer than
  /// that.
  Result<void> hold_cpu(std::optional<unsigned> percent);

  [[nodiscard]] unsigned version() const { return version_; }
  [[nodiscard]] std::uint64_t memory_peak_bytes() const;  ///< 0: not told
  [[nodiscard]] std::uint64_t oom_kills() const;
  [[nodiscard]] std::uint64_t throttled_us() const;

 private:
  HeldGroup(unsigned version, std::filesystem::path memory, std::filesystem::path cpu)
      : version_(version), memory_(std::move(memory)), cpu_(std::move(cpu)) {}
  unsigned version_;
  std::filesystem::path memory_, cpu_;  // the same in version 2
};

}  // namespace pollux
