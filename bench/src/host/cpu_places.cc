#include "host/cpu_places.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <functional>

namespace pollux {

namespace {

std::optional<int> number_in(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::string line_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

bool contains(const std::vector<int>& list, int cpu) { return std::ranges::find(list, cpu) != list.end(); }

class Topology {
 public:
  explicit Topology(const std::filesystem::path& sysfs)
      : cpus_(sysfs / "devices/system/cpu"), nodes_(sysfs / "devices/system/node") {}

  [[nodiscard]] bool same_core(int a, int b) const {
    return contains(parse_cpu_list(line_of(of(a) / "topology/thread_siblings_list")), b);
  }
  // The cache with the highest level that is told of.
  [[nodiscard]] bool same_cache(int a, int b) const {
    int highest = 0;
    bool shared = false;
    std::error_code ignored;
    for (const auto& index : std::filesystem::directory_iterator(of(a) / "cache", ignored)) {
      const auto level = number_in(line_of(index.path() / "level"));
      if (!level || *level < highest) continue;
      highest = *level;
      shared = contains(parse_cpu_list(line_of(index.path() / "shared_cpu_list")), b);
    }
    return shared;
  }
  [[nodiscard]] int node_of(int cpu) const {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(nodes_, ignored)) {
      const std::string name = entry.path().filename();
      if (!name.starts_with("node")) continue;
      const auto number = number_in(std::string_view(name).substr(4));
      if (number && contains(parse_cpu_list(line_of(entry.path() / "cpulist")), cpu)) return *number;
    }
    return 0;
  }

 private:
  [[nodiscard]] std::filesystem::path of(int cpu) const { return cpus_ / ("cpu" + std::to_string(cpu)); }
  std::filesystem::path cpus_, nodes_;
};

using Fits = std::function<bool(const Topology&, int a, int b)>;
struct Kind {
  std::string_view name, why_not;
  Fits fits;
};
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"smt-sibling", "no two of the usable CPUs are threads of one core",
       [](const Topology& t, int a, int b) { return t.same_core(a, b); }},
      {"same-cache", "no two of the usable CPUs are different cores under one last-level cache",
       [](const Topology& t, int a, int b) { return !t.same_core(a, b) && t.same_cache(a, b); }},
      {"other-node", "all usable CPUs are in one NUMA node",
       [](const Topology& t, int a, int b) { return t.node_of(a) != t.node_of(b); }},
      {"other-core", "there is only one usable core",
       [](const Topology& t, int a, int b) { return !t.same_core(a, b); }},
  };
  return all;
}

}  // namespace

std::vector<int> parse_cpu_list(std::string_view list) {
  std::vector<int> cpus;
  constexpr int cpus_max = 1 << 16;
  for (std::size_t from = 0; from < list.size();) {
    const auto comma = std::min(list.find(',', from), list.size());
    auto part = list.substr(from, comma - from);
    from = comma + 1;
    while (!part.empty() && (part.back() == '\n' || part.back() == ' ')) part.remove_suffix(1);
    const auto dash = std::min(part.find('-'), part.size());
    const auto first = number_in(part.substr(0, dash));
    const auto last = dash < part.size() ? number_in(part.substr(dash + 1)) : first;
    if (!first || !last || *last - *first > cpus_max) continue;
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::string CpuPlace::words() const {
  const auto on = [](const std::optional<int>& cpu) {
    return cpu ? "CPU " + std::to_string(*cpu) : "any CPU";
  };
  return "client on " + on(client) + ", server on " + on(server);
}

std::vector<int> CpuPlace::client_cpus() const { return client ? std::vector{*client} : std::vector<int>{}; }

std::vector<std::string> cpu_place_names() {
  std::vector<std::string> names = {"free", "same-core"};
  for (const auto& kind : kinds()) names.emplace_back(kind.name);
  return names;
}

CpuPlace find_cpu_place(std::string_view name, const std::vector<int>& usable,
                        const std::filesystem::path& sysfs) {
  CpuPlace place{.name = std::string(name), .client = {}, .server = {}, .why_not = {}};
  if (name == "free") return place;
  if (name == "same-core") {
    if (usable.empty()) place.why_not = "the kernel does not tell which CPUs may be used";
    if (!usable.empty()) place.client = place.server = usable.front();
    return place;
  }
  const auto kind = std::ranges::find(kinds(), name, &Kind::name);
  if (kind == kinds().end()) {
    place.why_not = "no such place";
    return place;
  }
  const Topology topology(sysfs);
  for (const int a : usable) {
    for (const int b : usable) {
      if (a == b || !kind->fits(topology, a, b)) continue;
      place.client = a;
      place.server = b;
      return place;
    }
  }
  place.why_not = std::string(kind->why_not);
  return place;
}

}  // namespace pollux
