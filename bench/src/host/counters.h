// What the host counts while something is measured: what tells a disturbed figure from a quiet one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace pollux {

/// Either counts since boot, or the difference of two such. None: this host does not tell.
struct HostCounters {
  std::int64_t elapsed_ns = 0;             ///< CLOCK_MONOTONIC
  std::uint64_t cpu_ticks = 0;             ///< all CPUs, all kinds of time
  std::uint64_t stolen_ticks = 0;          ///< of these, taken by the hypervisor
  std::uint64_t foreign_ticks = 0;         ///< of these, used by programs that are neither we nor our children
  std::optional<std::uint64_t> throttled_us;          ///< by the CPU quota of our cgroup
  std::optional<std::uint64_t> pressure_cpu_us;       ///< PSI "some": time in which someone waited
  std::optional<std::uint64_t> pressure_io_us;
  std::optional<std::uint64_t> pressure_memory_us;
  std::optional<std::uint64_t> migrations;            ///< of this thread between CPUs
  std::optional<std::uint64_t> retransmits;           ///< TCP segments sent again, whole host
  std::optional<std::uint64_t> flushes;               ///< of the block device, if one was named

  [[nodiscard]] std::uint64_t steal_ppm() const;
  [[nodiscard]] std::uint64_t foreign_ppm() const;
  /// Adds another difference.
  void add(const HostCounters& other);
};

/// `device`: the block device whose flushes count, as in /sys/block; empty: none.
HostCounters read_host_counters(const std::string& device = "");
HostCounters difference(const HostCounters& before, const HostCounters& after);

}  // namespace pollux
