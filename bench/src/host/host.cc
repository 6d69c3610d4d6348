#include "host/host.h"

#include <sys/sysinfo.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "host/container.h"
#include "host/declaration.h"
#include "host/facts.h"
#include "host/pinned.h"
#include "host/virtual_machine.h"

namespace pollux {

namespace {

// What the older tables show.
void fill_summary(HostProfile& host, const std::vector<int>& usable) {
  const auto known = [&host](std::string_view name) {
    const auto value = fact_value(host.facts, name);
    return value == "none" || value == "unknown" ? "" : value;
  };
  host.name = known("host.name");
  host.kernel = known("kernel");
  host.cpu = fact_value(host.facts, "cpu.model");
  host.hypervisor = known("vm");
  host.cpus = static_cast<unsigned>(usable.size());
  struct sysinfo memory{};
  sysinfo(&memory);
  host.memory_bytes = static_cast<std::uint64_t>(memory.totalram) * memory.mem_unit;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
  host.optimized_build = false;
#endif
}

}  // namespace

std::string fact_value(const std::vector<HostFact>& facts, std::string_view name) {
  const auto found = std::ranges::find(facts, name, &HostFact::name);
  return found == facts.end() ? "unknown" : found->value;
}

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

HostProfile profile_host(const ProfileOptions& options) {
  const HostFiles files;
  const auto usable = usable_cpus();
  const auto machine = find_virtual_machine(files, read_cpuid_hypervisor());
  const auto container = find_container(files);
  FactList facts;
  facts.add("vm", machine.value, machine.evidence);
  facts.add("container", container.value, container.evidence);
  facts.add("declared", options.declared.empty() ? "nothing" : options.declared, "", FactKind::harmless);
  if (!options.declared.empty()) {
    facts.add("declared.check", check_declaration(options.declared, machine, container), "",
              FactKind::harmless);
  }
  add_cpu_facts(files, usable, facts);
  add_cgroup_facts(files, facts);
  add_clock_facts(files, facts);
  add_kernel_facts(files, facts);
  add_memory_facts(files, facts);
  add_network_facts(files, facts);
  if (!options.directory.empty()) add_disk_facts(files, options.directory, facts);
  add_identity_facts(files, facts);
  HostProfile host;
  host.facts = facts.facts();
  fill_summary(host, usable);
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
