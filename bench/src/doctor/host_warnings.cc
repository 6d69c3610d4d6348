#include <algorithm>

#include "doctor/warnings.h"
#include "host/facts.h"
#include "host/host_files.h"
#include "run/format.h"

namespace pollux {

namespace {

constexpr std::uint64_t steal_ppm_max = 20'000;
constexpr std::uint64_t swappiness_low = 10;
constexpr std::uint64_t process_bytes = 32u << 20;  // of a member or gateway, before it holds any data
constexpr std::uint64_t files_besides = 256;        // what a process has open besides its connections

// Read in the process itself, without a call of the kernel.
constexpr std::string_view fast_clocks[] = {
    "tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "timebase", "tod"};

std::uint64_t member_bytes(const PairOptions& options) {
  return process_bytes + options.queue_bytes_max + options.in_flight_bytes_max + options.unapplied_bytes_max +
         options.resend_bytes;
}

std::uint64_t needed_bytes(const Config* config) {
  if (config == nullptr) return 2 * member_bytes(PairOptions{}) + 2 * process_bytes;
  std::uint64_t sum = process_bytes * (1 + config->gateways.size());
  for (const auto& pair : config->pairs) sum += 2 * member_bytes(pair.options);
  return sum;
}

std::uint64_t needed_files(const Config* config) {
  std::uint64_t most = GatewayConfig{}.connections_max;
  if (config != nullptr) {
    most = 0;
    for (const auto& gateway : config->gateways)
      most = std::max<std::uint64_t>(most, gateway.connections_max);
  }
  return most + files_besides;
}

}  // namespace

void warn_of_clock(const Observed& seen, DoctorWarnings& warnings) {
  if (!seen.clock.broken.empty()) {
    warnings.push_back({seen.clock.broken, "leases and every figure stand on it",
                        "choose another clock source (clocksource= of the kernel), or another host"});
  }
  const auto source = fact_value(seen.facts, "clock.source");
  if (source != "unknown" && std::ranges::find(fast_clocks, source) == std::end(fast_clocks)) {
    warnings.push_back({"the clock source is " + source,
                        "each reading is a call of the kernel or of a slow device; here 1,000 take " +
                            time_text(seen.clock_cost_ns),
                        "see why the kernel refused tsc (dmesg), and what else there is: " +
                            fact_value(seen.facts, "clock.sources")});
  }
  if (fact_value(seen.facts, "clock.synchronised") == "no") {
    warnings.push_back({"the clock is not synchronised with any other (NTP or PTP)",
                        "leases do not need it, but times in audit records, logs and certificates do",
                        "run chrony or systemd-timesyncd here, unless the hypervisor sets this clock"});
  }
}

void warn_of_cpu(const Observed& seen, DoctorWarnings& warnings) {
  const auto governor = fact_value(seen.facts, "cpu.governor");
  if (governor.find("powersave") != std::string::npos) {
    warnings.push_back(
        {"the CPU governor is " + governor,
         "a pair waits for messages and flushes, so that its CPUs are always slow when work comes",
         "cpupower frequency-set -g performance"});
  }
  if (seen.limits.cpu_quota_ppm) {
    warnings.push_back(
        {"a CPU quota of " + std::to_string(*seen.limits.cpu_quota_ppm / 10'000) + " % of one CPU is set",
         "a process that has used it up stands still until the period ends, often 100 ms, and its pair "
         "takes that for a failure",
         "give the group a weight (cpu.weight) instead of a quota, or raise lease_ms and grace_ms"});
  }
  if (seen.steal_ppm > steal_ppm_max) {
    warnings.push_back({"the hypervisor took " +
                            value_text(Unit::ppm, static_cast<std::int64_t>(seen.steal_ppm)) +
                            " of the CPU time meanwhile",
                        "it has promised more CPUs than it has, and will pause this host at any time",
                        "ask for CPUs of its own, or raise lease_ms and grace_ms"});
  }
}

void warn_of_memory(const Observed& seen, const Config* config, DoctorWarnings& warnings) {
  const auto swap = fact_value(seen.facts, "memory.swap");
  const auto swappiness = natural_in(fact_value(seen.facts, "memory.swappiness")).value_or(0);
  if (swap != "none" && swap != "unknown" && swappiness > swappiness_low) {
    warnings.push_back({"there is swap of " + swap + ", and vm.swappiness is " + std::to_string(swappiness),
                        "a member whose memory was swapped out misses heartbeats while it is read back",
                        "sysctl vm.swappiness=1, or do without swap"});
  }
  const auto needed = needed_bytes(config);
  if (seen.limits.memory_max_bytes && *seen.limits.memory_max_bytes < needed) {
    warnings.push_back(
        {"the memory limit of " + size_text(*seen.limits.memory_max_bytes) + " is below the " +
             std::to_string(needed >> 20) + " MiB that the processes may come to need",
         "the kernel kills a member that goes beyond it, in the middle of the highest load",
         "raise the limit, or lower queue_bytes_max, in_flight_bytes_max and unapplied_bytes_max"});
  }
  if (fact_value(seen.facts, "memory.overcommit") == "2") {
    warnings.push_back({"vm.overcommit_memory is 2",
                        "memory can be refused to a member although much of it is free",
                        "sysctl vm.overcommit_memory=0"});
  }
  const auto files = needed_files(config);
  if (seen.open_files_max != 0 && seen.open_files_max < files) {
    warnings.push_back({"a process may have only " + std::to_string(seen.open_files_max) + " files open",
                        "a gateway needs one for each connection, " + std::to_string(files) + " in all",
                        "raise the hard limit (ulimit -Hn, LimitNOFILE=), or lower connections_max"});
  }
}

}  // namespace pollux
