#include <algorithm>

#include "run/benchmark.h"
#include "run/format.h"
#include "tcp/tcp_plan.h"

namespace pollux {

namespace {

constexpr std::uint64_t sizes_all[] = {16, 64, 256, 1024, 4096, 16'384, 65'536, 262'144};
constexpr std::uint32_t buffers_swept[] = {8u << 10, 16u << 10, 32u << 10, 64u << 10, 128u << 10, 0};
constexpr std::uint64_t sweep_bytes = 64u << 10;  // large enough that the buffers limit

std::string buffer_word(std::uint32_t bytes) { return bytes == 0 ? "auto" : std::to_string(bytes); }

std::vector<std::uint32_t> buffers_for(const BenchTcpOptions& options, bool throughput,
                                       const std::string& library, std::uint64_t bytes) {
  if (library == "zmq") return {0};  // it sets them itself, through options of its own
  if (!options.buffers.empty()) return options.buffers;
  if (throughput && bytes == sweep_bytes) return {std::begin(buffers_swept), std::end(buffers_swept)};
  return {0};
}

PlannedCell planned(const std::shared_ptr<TcpBench>& bench, bool throughput, const TcpCell& cell) {
  Facts workload = {{"mode", throughput ? "throughput" : "latency"},
                    {"library", cell.library},
                    {"bytes", std::to_string(cell.bytes)},
                    {"sessions", std::to_string(cell.sessions)},
                    {"buffers", buffer_word(cell.settings.buffer_bytes)},
                    {"nagle", cell.settings.nodelay ? "off" : "on"},
                    {"busy_poll_us", std::to_string(cell.settings.busy_poll_us)},
                    {"place", bench->options().peer.empty() ? "loopback" : "other-host"}};
  return {.bench = "tcp",
          .workload = std::move(workload),
          .not_available = {},
          .takes = std::min(bench->options().limit, std::chrono::milliseconds(400)),
          .run = [bench, throughput, cell] {
            return throughput ? run_tcp_throughput(*bench, cell) : run_tcp_latency(*bench, cell);
          }};
}

}  // namespace

std::vector<CellGroup> plan_tcp(const std::shared_ptr<TcpBench>& bench) {
  const auto& options = bench->options();
  const auto modes =
      options.modes.empty() ? std::vector<std::string>{"latency", "throughput"} : options.modes;
  const auto libraries =
      options.libraries.empty() ? std::vector<std::string>{"raw", "zmq"} : options.libraries;
  const auto sizes = options.bytes.empty()
                         ? std::vector<std::uint64_t>(std::begin(sizes_all), std::end(sizes_all))
                         : options.bytes;
  std::vector<CellGroup> groups;
  for (const auto& mode : modes) {
    const bool throughput = mode == "throughput";
    CellGroup group{.name = "tcp " + mode, .cells = {}};
    for (const auto& library : libraries) {
      for (const auto bytes : sizes) {
        for (const auto buffer : buffers_for(options, throughput, library, bytes)) {
          for (const unsigned sessions : throughput ? options.sessions : std::vector<unsigned>{1}) {
            for (const bool nodelay : library == "raw" ? options.nodelay : std::vector<bool>{true}) {
              for (const auto poll :
                   library == "raw" ? options.busy_poll_us : std::vector<std::uint32_t>{0}) {
                const SocketSettings settings{
                    .buffer_bytes = buffer, .nodelay = nodelay, .busy_poll_us = poll};
                group.cells.push_back(planned(bench, throughput, {library, bytes, sessions, settings}));
              }
            }
          }
        }
      }
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

int bench_tcp(const BenchCommon& common, const BenchTcpOptions& options) {
  return run_benchmark(
      common, "tcp",
      [&](const std::filesystem::path& directory) -> Result<std::vector<CellGroup>> {
        return plan_tcp(std::make_shared<TcpBench>(common, options, directory));
      },
      find_plateaus);
}

void make_quick(BenchTcpOptions& options) {
  constexpr std::uint64_t round_trips = 1000;
  constexpr std::chrono::milliseconds limit(300);
  options.round_trips = std::min(options.round_trips, round_trips);
  options.limit = std::min(options.limit, limit);
  if (options.bytes.empty()) options.bytes = {64, 4096, 65'536};
}

}  // namespace pollux
