// What the control group of this process may use: of CPU time and of memory. The limit of any group above it
// counts as well, and the smallest is told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/host_files.h"

namespace pollux {

struct CgroupLimits {
  std::string version;  ///< "v1", "v2", "hybrid"; empty: none is mounted where it is looked for
  std::string path;     ///< of this process, of version 2 if there is one
  std::optional<std::uint64_t> cpu_quota_ppm;  ///< of one CPU: 2,500,000 are two and a half; none: no limit
  std::optional<std::uint64_t> memory_max_bytes;  ///< none: no limit
};
CgroupLimits read_cgroup_limits(const HostFiles& files);

}  // namespace pollux
