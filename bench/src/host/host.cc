#include "host/host.h"

#include <sched.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <fstream>
#include <sstream>

namespace pollux {

namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown CPU";
}

bool runs_under_hypervisor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("flags")) return (line + " ").find(" hypervisor ") != std::string::npos;
  }
  return false;
}

std::string hypervisor_name() {
  if (!runs_under_hypervisor()) return "";
  std::ifstream file("/sys/class/dmi/id/sys_vendor");
  std::string vendor;
  std::getline(file, vendor);
  return vendor.empty() ? "unknown hypervisor" : vendor;
}

}  // namespace

std::string_view to_string(FactKind kind) {
  switch (kind) {
    case FactKind::matters:
      return "matters";
    case FactKind::harmless:
      return "harmless";
    case FactKind::identity:
      return "identity";
  }
  return "?";
}

std::optional<FactKind> fact_kind_named(std::string_view word) {
  for (const FactKind kind : {FactKind::matters, FactKind::harmless, FactKind::identity}) {
    if (to_string(kind) == word) return kind;
  }
  return std::nullopt;
}

HostProfile profile_host(const ProfileOptions&) {
  HostProfile host;
  utsname about{};
  uname(&about);
  host.name = about.nodename;
  host.kernel = std::string(about.sysname) + " " + about.release + " " + about.machine;
  host.cpu = cpu_model();
  host.hypervisor = hypervisor_name();
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  sched_getaffinity(0, sizeof cpus, &cpus);
  host.cpus = static_cast<unsigned>(CPU_COUNT(&cpus));
  struct sysinfo memory{};
  sysinfo(&memory);
  host.memory_bytes = static_cast<std::uint64_t>(memory.totalram) * memory.mem_unit;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
  host.optimized_build = false;
#endif
  return host;
}

CpuTimes read_cpu_times() {
  std::ifstream file("/proc/stat");
  std::string line;
  std::getline(file, line);
  std::istringstream words(line);
  std::string cpu;
  words >> cpu;
  CpuTimes times;
  std::uint64_t ticks = 0;
  for (int column = 0; column < 8 && words >> ticks; ++column) {  // user ... steal; guest times are in user
    times.all += ticks;
    if (column == 7) times.stolen = ticks;
  }
  return times;
}

std::uint64_t steal_ppm(const CpuTimes& before, const CpuTimes& after) {
  const auto all = after.all - before.all;
  return all == 0 ? 0 : (after.stolen - before.stolen) * 1'000'000 / all;
}

}  // namespace pollux
