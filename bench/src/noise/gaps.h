// The time that something takes away from a thread which never waits: interrupts, other threads, the
// hypervisor, the firmware. A loop reads the clock as fast as it can; where two readings are far apart, it
// did not run.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "pollux/core/result.h"

namespace pollux {

struct Gaps {
  static constexpr std::int64_t small_ns = 10'000, middle_ns = 100'000, large_ns = 1'000'000;

  std::uint64_t readings = 0;
  std::int64_t elapsed_ns = 0;
  std::int64_t longest_ns = 0;                                       ///< between two readings
  std::int64_t lost_ns = 0;                                          ///< all gaps above small_ns
  std::uint64_t above_small = 0, above_middle = 0, above_large = 0;  ///< each counts the larger ones, too
  void add_reading(std::int64_t step_ns);
  void merge(const Gaps& other);
};

struct GapsOptions {
  std::vector<int> cpus;  ///< a thread on each, all at once
  std::chrono::nanoseconds duration = std::chrono::milliseconds(500);
  const std::atomic<bool>* stop = nullptr;
};
/// Over all of the CPUs together: the longest of all, the sum of the others.
Result<Gaps> measure_gaps(const GapsOptions& options);

/// Ticks of this CPU since boot, of /proc/stat: all, and stolen by the hypervisor. Zero if it is not told.
struct CpuTicks {
  std::uint64_t all = 0, stolen = 0;
};
CpuTicks ticks_of(const std::string& proc_stat, const std::vector<int>& cpus);

}  // namespace pollux
