// What the doctor saw. All of it is plain data, so that a test can make up a host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/cgroup_limits.h"
#include "host/host.h"
#include "noise/clock_check.h"
#include "noise/gaps.h"
#include "pollux/bench/doctor.h"
#include "pollux/bench/histogram.h"

namespace pollux {

struct Observed {
  std::vector<HostFact> facts;
  CgroupLimits limits;
  ClockCheck clock;                ///< CLOCK_BOOTTIME: leases count by it
  std::int64_t clock_cost_ns = 0;  ///< of a thousand readings
  Histogram late;                  ///< wake-ups, by every way there is
  Gaps gaps;                       ///< all CPUs at once
  unsigned cpus = 0;
  std::uint64_t steal_ppm = 0;  ///< meanwhile
  Histogram flushes;            ///< append of 100 bytes and fdatasync
  std::string directory, file_system, disk_device;
  bool volatile_memory = false;
  std::optional<std::uint64_t> flushes_counted;  ///< by the disk, for those asked for
  std::uint64_t flushes_asked = 0;
  std::uint64_t open_files_max = 0;  ///< the hard limit; 0: none

  /// The longest time for which something that wanted to run did not.
  [[nodiscard]] std::int64_t longest_pause_ns() const;
};

/// Looks. An error is the first thing that could not be looked at and that nothing can be said without.
Result<Observed> observe(const DoctorOptions& options);

}  // namespace pollux
