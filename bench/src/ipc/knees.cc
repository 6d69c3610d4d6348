#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>

#include "ipc/ipc_plan.h"
#include "run/format.h"

namespace pollux {

namespace {

// From one size to the next the time per byte falls or stays, until something else begins to limit. A rise by
// a quarter is a knee: less is within what runs differ by.
constexpr std::uint64_t knee_percent = 125;

struct Point {
  std::uint64_t bytes;
  std::int64_t time_ns;
};

std::uint64_t number_in_file(const std::string& path) {
  std::ifstream in(path);
  std::uint64_t number = 0;
  in >> number;
  return in ? number : 0;
}

// "48K" or "2048K" of /sys/devices/system/cpu/cpu0/cache/index*/size.
std::uint64_t cache_bytes(int index) {
  std::ifstream in("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
  std::uint64_t number = 0;
  char unit = 0;
  in >> number >> unit;
  return unit == 'K' ? number << 10 : unit == 'M' ? number << 20 : number;
}

struct Edge {
  std::uint64_t bytes;
  std::string name;
};

// What a message may grow out of, by what carries it.
std::vector<Edge> edges_of(std::string_view transport) {
  std::vector<Edge> edges;
  if (transport == "pipe") edges.push_back({64u << 10, "what a pipe holds"});
  if (transport == "unix-socket" || transport == "zmq-ipc") {
    edges.push_back({number_in_file("/proc/sys/net/core/wmem_default"),
                     "the socket's send buffer (net.core.wmem_default)"});
  }
  if (transport == "tcp" || transport == "zmq-tcp" || transport.starts_with("pollux")) {
    edges.push_back({number_in_file("/sys/class/net/lo/mtu"), "the largest packet of the loopback device"});
  }
  if (transport.starts_with("zmq") || transport.starts_with("pollux"))
    edges.push_back({8192, "the batch in which ZeroMQ writes"});
  if (transport.starts_with("shm"))
    edges.push_back({cache_bytes(0) / 2, "half of the first-level cache (a message and its copy)"});
  for (const int index : {0, 2, 3}) {
    const char* const names[] = {"the first-level cache", "", "the second-level cache",
                                 "the last-level cache"};
    edges.push_back({cache_bytes(index), names[index]});
  }
  edges.push_back({4096, "a page"});
  return edges;
}

std::string likely_edge(std::string_view transport, std::uint64_t below, std::uint64_t above) {
  for (const auto& edge : edges_of(transport)) {
    // A message with its header of some bytes no longer fits from the edge itself on.
    if (edge.bytes >= below && edge.bytes <= above)
      return "; likely edge: " + edge.name + ", " + size_text(edge.bytes);
  }
  return "; no known edge lies between them";
}

}  // namespace

void find_knees(const std::vector<Cell>& cells, std::vector<Finding>& findings) {
  std::map<std::pair<std::string, std::string>, std::vector<Point>> lines;
  for (const auto& cell : cells) {
    if (cell.bench != "ipc" || cell.figures.empty() || cell.verdict == Verdict::invalid) continue;
    const auto text = fact(cell.workload, "bytes");
    std::uint64_t bytes = 0;
    std::from_chars(text.data(), text.data() + text.size(), bytes);
    const auto time = cell.figures.front().value();
    if (bytes == 0 || !time) continue;
    lines[{std::string(fact(cell.workload, "transport")), std::string(fact(cell.workload, "place"))}]
        .push_back({bytes, *time});
  }
  for (auto& [line, points] : lines) {
    std::ranges::sort(points, {}, &Point::bytes);
    for (std::size_t i = 1; i < points.size(); ++i) {
      const auto &before = points[i - 1], &after = points[i];
      // time / bytes rises, without a division: t2 * b1 > t1 * b2 * 1.25
      const auto rise = static_cast<std::uint64_t>(after.time_ns) * before.bytes / 1000 * 100;
      const auto limit = static_cast<std::uint64_t>(before.time_ns) * after.bytes / 1000 * knee_percent;
      if (rise <= limit) continue;
      findings.push_back(
          {"ipc", "knee",
           line.first + ", " + line.second + ": a byte costs " +
               ratio_text(ratio_hundredths(after.time_ns * static_cast<std::int64_t>(before.bytes),
                                           before.time_ns * static_cast<std::int64_t>(after.bytes))) +
               " as much at " + size_text(after.bytes) + " as at " + size_text(before.bytes) +
               likely_edge(line.first, before.bytes, after.bytes)});
    }
  }
}

}  // namespace pollux
