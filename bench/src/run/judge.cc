#include "run/format.h"
#include "run/plan.h"

namespace pollux {

namespace {

constexpr std::uint64_t steal_noisy_ppm = 20'000;     // 2 % of the CPU time was taken by the hypervisor
constexpr std::uint64_t foreign_noisy_ppm = 100'000;  // 10 % of it was used by other programs
constexpr std::uint64_t ticks_to_judge = 40;          // fewer say nothing about who used them: a tick is 10 ms
constexpr std::uint64_t spread_noisy_ppm = 300'000;   // the runs differ by 30 % of their median

std::string percent_text(std::uint64_t ppm) { return std::to_string((ppm + 5'000) / 10'000) + " %"; }

std::vector<std::string> disturbances(const Cell& cell, const RunOptions& options) {
  std::vector<std::string> reasons;
  const auto& counters = cell.counters;
  const bool long_enough = counters.cpu_ticks >= ticks_to_judge;
  if (long_enough && counters.steal_ppm() > steal_noisy_ppm) {
    reasons.push_back("the hypervisor took " + percent_text(counters.steal_ppm()) + " of the CPU time meanwhile");
  }
  if (long_enough && options.others_disturb && counters.foreign_ppm() > foreign_noisy_ppm) {
    reasons.push_back("other programs used " + percent_text(counters.foreign_ppm()) + " of the CPU time meanwhile");
  }
  if (counters.throttled_us.value_or(0) > 0) {
    reasons.push_back("the CPU quota of this process's cgroup stopped it for " +
                      time_text(static_cast<std::int64_t>(*counters.throttled_us * 1000)));
  }
  if (options.spread_disturbs && !cell.figures.empty() && cell.figures.front().spread_ppm() > spread_noisy_ppm) {
    reasons.push_back("its runs differ by " + percent_text(cell.figures.front().spread_ppm()) + " of their median");
  }
  for (const auto& figure : cell.figures) {
    if (figure.times.anomalies() > 0) {
      reasons.push_back("the clock went backwards " + count_text(figure.times.anomalies()) + " times");
    }
    if (figure.times.overflow() > 0) {
      reasons.push_back(count_text(figure.times.overflow()) + " times were longer than an hour");
    }
  }
  return reasons;
}

}  // namespace

void judge(Cell& cell, const CellRun& said, const RunOptions& options) {
  cell.failed = !said.wrong.empty();
  const auto disturbed = disturbances(cell, options);
  cell.reasons = said.wrong;
  cell.reasons.insert(cell.reasons.end(), said.invalid.begin(), said.invalid.end());
  cell.reasons.insert(cell.reasons.end(), said.noisy.begin(), said.noisy.end());
  cell.reasons.insert(cell.reasons.end(), disturbed.begin(), disturbed.end());
  if (cell.failed || !said.invalid.empty()) {
    cell.verdict = Verdict::invalid;
  } else {
    cell.verdict = cell.reasons.empty() ? Verdict::ok : Verdict::noisy;
  }
}

}  // namespace pollux
