// Makes flushes and writes of this process fail: this program's own fdatasync, fsync, write, writev and
// pwrite stand before the C library's, for LMDB too.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pollux::testing {

class FailingDisk {
 public:
  /// The n-th call from now on (1: the next one) fails with `error`, and all after it.
  FailingDisk(std::size_t nth, int error);
  ~FailingDisk();
  FailingDisk(const FailingDisk&) = delete;
  FailingDisk& operator=(const FailingDisk&) = delete;
  /// Whether it came to that.
  [[nodiscard]] bool failed() const;
};

/// Flushes since the program started.
std::uint64_t flushes();

}  // namespace pollux::testing
