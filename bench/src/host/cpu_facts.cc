#include <sys/utsname.h>

#include <set>
#include <sstream>

#include "host/facts.h"

namespace pollux {

namespace {

const std::string cpus_directory = "/sys/devices/system/cpu/";

// "model name" on x86; arm64 tells numbers only, which its people know.
std::string model_of(const HostFiles& files, const std::string& cpuinfo) {
  for (const auto* name : {"model name", "Model", "cpu model", "cpu", "uarch"}) {
    if (const auto value = field_of(cpuinfo, name); !value.empty()) return value;
  }
  const auto board = trimmed(files.text("/proc/device-tree/model"));
  const auto maker = field_of(cpuinfo, "CPU implementer"), part = field_of(cpuinfo, "CPU part");
  if (maker.empty()) return board;
  return "arm64 implementer " + maker + " part " + part + (board.empty() ? "" : " (" + board + ")");
}

// Names like cpu0; others in that directory are cpufreq, cpuidle.
std::vector<std::string> cpu_names(const HostFiles& files) {
  std::vector<std::string> cpus;
  for (const auto& name : files.names(cpus_directory)) {
    if (name.starts_with("cpu") && natural_in(name.substr(3))) cpus.push_back(name);
  }
  return cpus;
}

void add_topology(const HostFiles& files, FactList& facts) {
  std::set<std::string> sockets, cores;
  for (const auto& cpu : cpu_names(files)) {
    const auto topology = cpus_directory + cpu + "/topology/";
    const auto siblings = files.line(topology + "thread_siblings_list");
    if (siblings.empty()) continue;
    cores.insert(siblings);
    sockets.insert(files.line(topology + "physical_package_id"));
  }
  const auto count = [](const std::set<std::string>& of) {
    return of.empty() ? "" : std::to_string(of.size());
  };
  facts.add("cpu.sockets", count(sockets));
  facts.add("cpu.cores", count(cores));
  std::size_t threads = 0;
  for (const auto& siblings : cores) threads = std::max(threads, count_of_list(siblings));
  const auto control = files.line(cpus_directory + "smt/control");
  facts.add("cpu.smt",
            threads == 0   ? control
            : threads == 1 ? "off"
                           : std::to_string(threads) + " threads a core",
            control.empty() ? "" : "smt/control " + control);
  std::size_t nodes = 0;
  for (const auto& name : files.names("/sys/devices/system/node")) {
    if (name.starts_with("node") && natural_in(name.substr(4))) ++nodes;
  }
  facts.add("numa.nodes", nodes == 0 ? "" : std::to_string(nodes));
}

void add_caches(const HostFiles& files, FactList& facts) {
  const std::string directory = cpus_directory + "cpu0/cache/";
  for (const auto& [name, level, type] :
       {std::tuple("cache.l1d", "1", "Data"), std::tuple("cache.l1i", "1", "Instruction"),
        std::tuple("cache.l2", "2", ""), std::tuple("cache.l3", "3", "")}) {
    std::string value, shared;
    for (const auto& index : files.names(directory)) {
      const auto at = directory + index + "/";
      const auto its_type = files.line(at + "type");
      if (!index.starts_with("index") || files.line(at + "level") != level) continue;
      if (*type != '\0' && its_type != type && its_type != "Unified") continue;
      value = files.line(at + "size");
      shared = files.line(at + "shared_cpu_list");
    }
    facts.add(name, value, shared.empty() ? "" : "of cpu0, shared by CPUs " + shared);
  }
}

std::string khz_text(const HostFiles& files, const std::string& path) {
  const auto khz = files.number(path);
  return khz ? std::to_string(*khz / 1000) + " MHz" : "";
}

void add_frequency(const HostFiles& files, const std::string& cpuinfo, FactList& facts) {
  const auto frequency = cpus_directory + "cpu0/cpufreq/";
  auto now = khz_text(files, frequency + "scaling_cur_freq");
  if (const auto mhz = field_of(cpuinfo, "cpu MHz"); now.empty() && !mhz.empty()) {
    now = mhz.substr(0, mhz.find('.')) + " MHz";
  }
  // It changes by the second: no difference between hosts.
  facts.add("cpu.frequency", now, "of cpu0, when it was looked at", FactKind::harmless);
  facts.add("cpu.frequency.max", khz_text(files, frequency + "cpuinfo_max_freq"));
  facts.add("cpu.frequency.driver", files.line(frequency + "scaling_driver"));
  std::set<std::string> governors;
  for (const auto& cpu : cpu_names(files)) {
    const auto governor = files.line(cpus_directory + cpu + "/cpufreq/scaling_governor");
    if (!governor.empty()) governors.insert(governor);
  }
  std::string all;
  for (const auto& governor : governors) all += (all.empty() ? "" : ", ") + governor;
  facts.add("cpu.governor", all);
  const auto no_turbo = files.line(cpus_directory + "intel_pstate/no_turbo");
  const auto boost = files.line(cpus_directory + "cpufreq/boost");
  facts.add("cpu.turbo", !no_turbo.empty() ? (no_turbo == "0" ? "on" : "off")
                         : !boost.empty()  ? (boost == "1" ? "on" : "off")
                                           : "");
  facts.add("cpu.idle.driver", files.line(cpus_directory + "cpuidle/current_driver"));
  std::string states;
  for (const auto& state : files.names(cpus_directory + "cpu0/cpuidle")) {
    const auto at = cpus_directory + "cpu0/cpuidle/" + state;
    if (files.line(at + "/disable") == "1") continue;
    states += (states.empty() ? "" : ", ") + files.line(at + "/name");
  }
  facts.add("cpu.idle.states", states, "of cpu0, those that are enabled");
}

// One fact, since two hosts either defend themselves alike or they don't.
void add_mitigations(const HostFiles& files, FactList& facts) {
  std::string all;
  const auto names = files.names(cpus_directory + "vulnerabilities");
  for (const auto& name : names) {
    const auto state = files.line(cpus_directory + "vulnerabilities/" + name);
    if (state != "Not affected" && !state.empty()) all += (all.empty() ? "" : " | ") + name + ": " + state;
  }
  facts.add("cpu.mitigations", names.empty() ? "" : all.empty() ? "not affected" : all);
}

// Flags that change how fast clocks, copies, checksums and encryption are.
void add_flags(const std::string& cpuinfo, FactList& facts) {
  const std::set<std::string> relevant = {
      "constant_tsc", "nonstop_tsc", "tsc_known_freq", "tsc_reliable", "rdtscp", "erms", "fsrm",
      "aes",          "vaes",        "pclmulqdq",      "sha_ni",       "sse4_2", "avx2", "avx512f",
      "amx_tile",     "bmi2",        "rdrand",         "invpcid",      "pcid",   "sha1", "sha2",
      "crc32",        "atomics",     "asimd",          "sve",          "sve2",   "pmull"};
  auto text = field_of(cpuinfo, "flags");
  if (text.empty()) text = field_of(cpuinfo, "Features");
  std::string kept;
  for (const auto& flag : words_of(text)) {
    if (relevant.contains(flag)) kept += (kept.empty() ? "" : " ") + flag;
  }
  facts.add("cpu.flags", text.empty() ? "" : kept.empty() ? "none of those that matter" : kept);
}

std::string list_text(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(cpus[i]);
    if (last > i) text += "-" + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace

void add_cpu_facts(const HostFiles& files, const std::vector<int>& usable, FactList& facts) {
  const auto cpuinfo = files.text("/proc/cpuinfo");
  utsname about{};
  uname(&about);
  facts.add("cpu.model", model_of(files, cpuinfo));
  facts.add("cpu.architecture", about.machine);
  facts.add("cpu.usable", usable.empty() ? "" : std::to_string(usable.size()), "CPUs " + list_text(usable));
  const auto online = files.line(cpus_directory + "online");
  const auto online_count = count_of_list(online);
  facts.add("cpu.online", online_count == 0 ? "" : std::to_string(online_count), online);
  const auto isolated = files.line(cpus_directory + "isolated");
  facts.add("cpu.isolated", !isolated.empty()                           ? isolated
                            : files.exists(cpus_directory + "isolated") ? "none"
                                                                        : "");
  add_topology(files, facts);
  add_caches(files, facts);
  add_frequency(files, cpuinfo, facts);
  add_mitigations(files, facts);
  add_flags(cpuinfo, facts);
  facts.add("cpu.microcode", field_of(cpuinfo, "microcode"));
}

}  // namespace pollux
