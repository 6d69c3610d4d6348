#include "host/cgroup_limits.h"

#include <algorithm>
#include <sstream>

#include "host/facts.h"
#include "run/format.h"
#include "run/wide.h"

namespace pollux {

namespace {

constexpr std::uint64_t million = 1'000'000;
// Version 1 tells "no limit" as the largest number of whole pages.
constexpr std::uint64_t no_limit_v1 = 1ull << 62;

void lower(std::optional<std::uint64_t>& limit, std::optional<std::uint64_t> other) {
  if (other && (!limit || *other < *limit)) limit = other;
}

std::optional<std::uint64_t> part(std::optional<std::uint64_t> quota, std::optional<std::uint64_t> period) {
  if (!quota || !period || *period == 0) return std::nullopt;
  return static_cast<std::uint64_t>(static_cast<Wide>(*quota) * million / *period);
}

// Calls `look` with the group's directory, and that of each group above it up to the mount. In a container
// the path may be the host's, with the group itself mounted at the root: then that is looked at.
template <class Look>
void each_above(const std::string& root, std::string path, const Look& look) {
  while (path.size() > 1) {
    look(root + path);
    path.resize(path.rfind('/'));
  }
  look(root);
}

void read_v2(const HostFiles& files, const std::string& root, CgroupLimits& limits) {
  each_above(root, limits.path, [&](const std::string& group) {
    const auto cpu = words_of(files.line(group + "/cpu.max"));  // "max 100000" or "50000 100000"
    if (cpu.size() == 2) lower(limits.cpu_quota_ppm, part(natural_in(cpu[0]), natural_in(cpu[1])));
    lower(limits.memory_max_bytes, files.number(group + "/memory.max"));
  });
}

void read_v1_cpu(const HostFiles& files, const std::string& path, CgroupLimits& limits) {
  for (const auto* root : {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"}) {
    if (!files.exists(root)) continue;
    each_above(root, path, [&](const std::string& group) {
      // -1 is no natural number, and no limit.
      lower(limits.cpu_quota_ppm,
            part(files.number(group + "/cpu.cfs_quota_us"), files.number(group + "/cpu.cfs_period_us")));
    });
    return;
  }
}

void read_v1_memory(const HostFiles& files, const std::string& path, CgroupLimits& limits) {
  each_above("/sys/fs/cgroup/memory", path, [&](const std::string& group) {
    const auto bytes = files.number(group + "/memory.limit_in_bytes");
    if (bytes && *bytes < no_limit_v1) lower(limits.memory_max_bytes, bytes);
  });
}

}  // namespace

CgroupLimits read_cgroup_limits(const HostFiles& files) {
  CgroupLimits limits;
  std::string cpu_path = "/", memory_path = "/";
  bool v1 = false;
  std::istringstream lines(files.text("/proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const auto controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const auto path = line.substr(second + 1);
    if (controllers == ",,") limits.path = path;
    if (controllers.find(",cpu,") != std::string::npos) v1 = true, cpu_path = path;
    if (controllers.find(",memory,") != std::string::npos) v1 = true, memory_path = path;
  }
  const bool v2_at_root = files.exists("/sys/fs/cgroup/cgroup.controllers");
  const bool v2_beside = files.exists("/sys/fs/cgroup/unified/cgroup.controllers");
  if (v2_at_root) read_v2(files, "/sys/fs/cgroup", limits);
  if (v1) {
    if (v2_beside) read_v2(files, "/sys/fs/cgroup/unified", limits);
    read_v1_cpu(files, cpu_path, limits);
    read_v1_memory(files, memory_path, limits);
  }
  limits.version = v1 && (v2_beside || v2_at_root) ? "hybrid" : v1 ? "v1" : v2_at_root ? "v2" : "";
  if (limits.path.empty() || (v1 && limits.path == "/")) limits.path = memory_path;
  return limits;
}

void add_cgroup_facts(const HostFiles& files, FactList& facts) {
  const auto limits = read_cgroup_limits(files);
  const bool known = !limits.version.empty();
  facts.add("cgroup.version", limits.version);
  facts.add("cgroup.cpu_quota", limits.cpu_quota_ppm
                                    ? std::to_string(*limits.cpu_quota_ppm / 10'000) + " % of one CPU"
                                : known ? "none"
                                        : "");
  facts.add("cgroup.memory_max", limits.memory_max_bytes ? size_text(*limits.memory_max_bytes)
                                 : known                 ? "none"
                                                         : "");
  facts.add("cgroup.path", limits.path, "", FactKind::identity);
}

}  // namespace pollux
