// What must be known of the host to read a figure measured on it.
#pragma once

#include <cstdint>
#include <string>

namespace pollux {

struct HostProfile {
  std::string name, kernel, cpu, hypervisor;  ///< hypervisor: empty on bare metal
  unsigned cpus = 0;                          ///< that we may run on
  std::uint64_t memory_bytes = 0;
  bool optimized_build = true;  ///< false: sanitizers, or no optimisation
};
HostProfile profile_host();

/// All CPU time and the part of it that the hypervisor took, since boot, in ticks.
struct CpuTimes {
  std::uint64_t all = 0, stolen = 0;
};
CpuTimes read_cpu_times();
/// Stolen between the two, in parts of a million.
std::uint64_t steal_ppm(const CpuTimes& before, const CpuTimes& after);

}  // namespace pollux
