// What must be known of the host to read a figure measured on it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pollux {

/// What a difference in a fact means when two hosts are compared.
enum class FactKind {
  matters,   ///< may change figures: a confounder, unless it is what the comparison is about
  harmless,  ///< tells hosts apart, and changes no figure
  identity,  ///< harmless, and left out when a result is redacted: names, serial numbers
};
std::string_view to_string(FactKind kind);
std::optional<FactKind> fact_kind_named(std::string_view word);

struct HostFact {
  std::string name;      ///< "cpu.model", "vm", "disk.scheduler"
  std::string value;     ///< "unknown" if it could not be found out
  std::string evidence;  ///< what it was read from, for what could be doubted; else empty
  FactKind kind = FactKind::matters;
};

struct HostProfile {
  std::vector<HostFact> facts;  ///< all there is; what follows is a part of it

  std::string name, kernel, cpu, hypervisor;  ///< hypervisor: empty on bare metal
  unsigned cpus = 0;                          ///< that we may run on
  std::uint64_t memory_bytes = 0;
  bool optimized_build = true;  ///< false: sanitizers, or no optimisation
};
struct ProfileOptions {
  std::string directory;  ///< whose file system and disk are told as well; empty: none
  std::string declared;   ///< "metal", "vm", "container": the operator's word, told beside what was found
};
HostProfile profile_host(const ProfileOptions& options = {});

/// The name in /sys/block of the disk that a path is on, through partitions, device mappers and overlays;
/// empty if there is none or it can't be found. What read_host_counters() wants.
std::string disk_device_of(const std::string& path);

/// All CPU time and the part of it that the hypervisor took, since boot, in ticks.
struct CpuTimes {
  std::uint64_t all = 0, stolen = 0;
};
CpuTimes read_cpu_times();
/// Stolen between the two, in parts of a million.
std::uint64_t steal_ppm(const CpuTimes& before, const CpuTimes& after);

}  // namespace pollux
