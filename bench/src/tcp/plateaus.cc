#include <algorithm>
#include <charconv>
#include <map>

#include "run/format.h"
#include "tcp/tcp_plan.h"

namespace pollux {

namespace {

// The plateau begins at the smallest size whose throughput is at least nine tenths of the best.
constexpr std::uint64_t plateau_percent = 90;

struct Point {
  std::uint64_t bytes;
  std::int64_t rate;
};

}  // namespace

void find_plateaus(const std::vector<Cell>& cells, std::vector<Finding>& findings) {
  std::map<std::string, std::vector<Point>> lines;
  for (const auto& cell : cells) {
    if (cell.bench != "tcp" || fact(cell.workload, "mode") != "throughput" || cell.figures.empty()) continue;
    if (cell.verdict == Verdict::invalid || fact(cell.workload, "buffers") != "auto") continue;
    const auto text = fact(cell.workload, "bytes");
    std::uint64_t bytes = 0;
    std::from_chars(text.data(), text.data() + text.size(), bytes);
    const auto rate = cell.figures.front().value();
    if (bytes == 0 || !rate) continue;
    lines[std::string(fact(cell.workload, "library")) + ", sessions " +
          std::string(fact(cell.workload, "sessions")) + ", nagle " +
          std::string(fact(cell.workload, "nagle"))]
        .push_back({bytes, *rate});
  }
  constexpr std::size_t points_min = 3;
  for (auto& [line, points] : lines) {
    if (points.size() < points_min) continue;
    std::ranges::sort(points, {}, &Point::bytes);
    const auto best = std::ranges::max(points, {}, &Point::rate);
    const auto begin = std::ranges::find_if(points, [&best](const Point& point) {
      return static_cast<std::uint64_t>(point.rate) * 100 >=
             static_cast<std::uint64_t>(best.rate) * plateau_percent;
    });
    findings.push_back({"tcp", "plateau",
                        line + ": from messages of " + size_text(begin->bytes) +
                            " on throughput is within a tenth of the best, " +
                            bytes_rate_text(static_cast<std::uint64_t>(best.rate))});
  }
}

}  // namespace pollux
