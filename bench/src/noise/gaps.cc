#include "noise/gaps.h"

#include <algorithm>
#include <sstream>
#include <string>

#include "host/cpu_threads.h"
#include "pollux/bench/histogram.h"

namespace pollux {

void Gaps::add_reading(std::int64_t step_ns) {
  ++readings;
  longest_ns = std::max(longest_ns, step_ns);
  if (step_ns <= small_ns) return;
  lost_ns += step_ns;
  ++above_small;
  if (step_ns > middle_ns) ++above_middle;
  if (step_ns > large_ns) ++above_large;
}

void Gaps::merge(const Gaps& other) {
  readings += other.readings;
  elapsed_ns += other.elapsed_ns;
  longest_ns = std::max(longest_ns, other.longest_ns);
  lost_ns += other.lost_ns;
  above_small += other.above_small;
  above_middle += other.above_middle;
  above_large += other.above_large;
}

Result<Gaps> measure_gaps(const GapsOptions& options) {
  std::vector<Gaps> each(options.cpus.size());
  auto ran = run_on_cpus(options.cpus, [&](std::size_t i) {
    Gaps gaps;
    const auto begin = monotonic_ns();
    auto last = begin;
    while (last - begin < options.duration.count()) {
      const auto now = monotonic_ns();
      gaps.add_reading(now - last);
      last = now;
      if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed)) break;
    }
    gaps.elapsed_ns = last - begin;
    each[i] = gaps;
  });
  if (!ran) return std::unexpected(ran.error());
  Gaps all;
  for (const auto& one : each) all.merge(one);
  return all;
}

CpuTicks ticks_of(const std::string& proc_stat, const std::vector<int>& cpus) {
  CpuTicks sum;
  std::istringstream lines(proc_stat);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    const auto wanted = [&name](int cpu) { return name == "cpu" + std::to_string(cpu); };
    if (!std::ranges::any_of(cpus, wanted)) continue;
    std::uint64_t ticks = 0;
    constexpr int columns = 8, steal_column = 7;  // user ... steal; guest times are in user
    for (int column = 0; column < columns && words >> ticks; ++column) {
      sum.all += ticks;
      if (column == steal_column) sum.stolen += ticks;
    }
  }
  return sum;
}

}  // namespace pollux
