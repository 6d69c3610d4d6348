// Where the two ends of a connection may run, by what the CPUs share.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pollux {

/// "free": as the kernel likes. "same-core": one CPU for both. "smt-sibling": two threads of one core.
/// "same-cache": two cores under one last-level cache. "other-node": two NUMA nodes. "other-core": any other
/// core, whatever is shared.
struct CpuPlace {
  std::string name;
  std::optional<int> client, server;  ///< none: any CPU
  std::string why_not;                ///< empty unless this host has no such pair of CPUs

  [[nodiscard]] std::string words() const;  ///< "client on CPU 0, server on CPU 1"
  [[nodiscard]] std::vector<int> client_cpus() const;
};

std::vector<std::string> cpu_place_names();
/// `sysfs`: "/sys", or a copy of it.
CpuPlace find_cpu_place(std::string_view name, const std::vector<int>& usable,
                        const std::filesystem::path& sysfs = "/sys");
/// "0-3,8" as numbers; what can't be read is left out.
std::vector<int> parse_cpu_list(std::string_view list);

}  // namespace pollux
