#include <algorithm>

#include "host/pinned.h"
#include "ipc/ipc_plan.h"
#include "run/benchmark.h"

namespace pollux {

namespace {

constexpr std::string_view other_host = "other-host";
const std::vector<std::string> local_transports = {"unix-socket", "pipe",         "tcp",
                                                   "shm-busy",    "shm-adaptive", "shm-blocking",
                                                   "zmq-ipc",     "zmq-tcp",      "zmq-inproc"};
const std::vector<std::string> pair_transports = {"pollux-query", "pollux-commit"};
const std::vector<std::string> far_transports = {"tcp", "zmq-tcp"};
constexpr std::uint64_t sizes_all[] = {16, 64, 256, 1024, 4096, 16'384, 65'536, 262'144, 1'048'576};

bool has(const std::vector<std::string>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

std::string why_not(const std::string& transport, const CpuPlace& place) {
  if (!place.why_not.empty()) return place.why_not;
  if (transport == "shm-busy" && place.client && place.client == place.server) {
    return "two busy loops on one CPU only wait for each other's time slices to end";
  }
  return "";
}

// About: for the estimate of what is left.
std::chrono::milliseconds takes(const BenchIpcOptions& options, std::uint64_t bytes) {
  const auto each_ns = 20'000 + bytes;  // a wake-up each way, and a few copies
  const auto all = std::chrono::milliseconds(options.messages * each_ns / 1'000'000 + 30);
  return std::min(options.limit, all);
}

std::vector<CpuPlace> places_of(const BenchIpcOptions& options) {
  std::vector<CpuPlace> places;
  if (!options.peer.empty())
    return {{.name = std::string(other_host), .client = {}, .server = {}, .why_not = {}}};
  const auto usable = usable_cpus();
  const std::vector<std::string> usual = {"free", "same-core", "smt-sibling", "same-cache", "other-node"};
  for (const auto& name : options.places.empty() ? usual : options.places) {
    if (name == other_host) {
      places.push_back(
          {.name = name,
           .client = {},
           .server = {},
           .why_not = "no other host was named; start 'pollux bench peer' there and give it with --peer"});
    } else {
      places.push_back(find_cpu_place(name, usable));
    }
  }
  return places;
}

// Cells of a place that this host lacks say so once, not once a size.
PlannedCell missing(const std::string& transport, const CpuPlace& place, const std::string& reason) {
  return {.bench = "ipc",
          .workload = {{"transport", transport}, {"bytes", "any"}, {"place", place.name}},
          .not_available = reason};
}

}  // namespace

std::vector<std::string> ipc_transports() {
  auto all = local_transports;
  all.insert(all.end(), pair_transports.begin(), pair_transports.end());
  return all;
}

std::vector<std::string> ipc_places() {
  auto names = cpu_place_names();
  names.emplace_back(other_host);
  return names;
}

std::vector<CellGroup> plan_ipc(const std::shared_ptr<IpcBench>& bench) {
  const auto& options = bench->options();
  const auto wanted = options.transports.empty() ? ipc_transports() : options.transports;
  const auto sizes = options.bytes.empty()
                         ? std::vector<std::uint64_t>(std::begin(sizes_all), std::end(sizes_all))
                         : options.bytes;
  std::vector<CellGroup> groups;
  for (const auto& place : places_of(options)) {
    CellGroup group{.name = "ipc, " + place.name, .cells = {}};
    for (const auto& transport : wanted) {
      if (has(pair_transports, transport)) continue;
      auto reason = why_not(transport, place);
      if (place.name == other_host && reason.empty() && !has(far_transports, transport)) {
        reason = "it does not leave its host";
      }
      if (!reason.empty()) {
        group.cells.push_back(missing(transport, place, reason));
        continue;
      }
      for (const auto bytes : sizes) {
        group.cells.push_back(
            {.bench = "ipc",
             .workload = {{"transport", transport}, {"bytes", std::to_string(bytes)}, {"place", place.name}},
             .not_available = {},
             .takes = takes(options, bytes),
             .run = [bench, transport, bytes, place] { return run_echo(*bench, transport, bytes, place); }});
      }
    }
    groups.push_back(std::move(group));
    std::vector<std::string> through_pair;
    std::ranges::copy_if(wanted, std::back_inserter(through_pair),
                         [](const auto& name) { return has(pair_transports, name); });
    if (through_pair.empty() || place.name == other_host || !place.why_not.empty()) continue;
    groups.push_back(plan_pair_echo(bench, place, through_pair, sizes));
  }
  return groups;
}

int bench_ipc(const BenchCommon& common, const BenchIpcOptions& options) {
  return run_benchmark(
      common, "ipc",
      [&](const std::filesystem::path& directory) -> Result<std::vector<CellGroup>> {
        return plan_ipc(std::make_shared<IpcBench>(common, options, directory));
      },
      find_knees);
}

void make_quick(BenchIpcOptions& options) {
  constexpr std::uint64_t messages = 1000;
  options.messages = std::min(options.messages, messages);
  if (options.bytes.empty()) options.bytes = {64, 4096, 65'536};
  if (options.places.empty()) options.places = {"free", "same-core"};
}

}  // namespace pollux
