#include <algorithm>

#include "commit/commit_report.h"
#include "run/format.h"

namespace pollux {

namespace {

constexpr std::uint64_t steal_noisy_ppm = 20'000;      // 2 % of the CPU time was taken by the hypervisor
constexpr std::uint64_t floor_noisy_hundredths = 125;  // the floor moved by a quarter meanwhile
constexpr std::int64_t send_noisy_ns = 10'000'000;     // open load must be on time

void judge_calls(const std::string& where, const LoadCounts& counts, std::vector<std::string>& failed) {
  if (counts.refused + counts.failed > 0) {
    failed.push_back(where + ": " + count_text(counts.refused + counts.failed) +
                     " requests failed, the first with \"" + counts.first_error + "\"");
  }
}

void judge_placement(const PlacementRun& run, CommitReport& report) {
  const std::string where = run.name == "free" ? "pair" : run.name;
  for (const auto& step : run.steps) {
    judge_calls(where + ", " + std::to_string(step.outstanding) + " outstanding", step.load.counts,
                report.failed);
    if (!step.load.drained) report.failed.push_back(where + ": some requests were never answered");
  }
  for (const auto& sustained : run.sustained) {
    judge_calls(where + ", sustained", sustained.step.load.counts, report.failed);
    if (!sustained.keeps_up) {
      report.failed.push_back(where +
                              ": the tables did not keep up with the trail; see how far they were behind");
    }
  }
  if (!run.check.wrong.empty()) report.failed.push_back(where + ": " + run.check.wrong);
  if (run.steal_ppm > steal_noisy_ppm) {
    report.noisy.push_back(where + ": the hypervisor took " + std::to_string(run.steal_ppm / 10'000) +
                           " % of the CPU time meanwhile");
  }
  const auto before = run.floor_before.percentile_ns(p50), after = run.floor_after.percentile_ns(p50);
  if (before && after) {
    const auto moved = ratio_hundredths(std::max(*before, *after), std::min(*before, *after));
    if (moved && *moved > floor_noisy_hundredths) {
      report.noisy.push_back(where + ": the floor was " + time_text(before) + " before and " +
                             time_text(after) + " after; something else uses this disk");
    }
  }
}

}  // namespace

void judge(CommitReport& report) {
  if (!report.host.optimized_build) {
    report.invalid.push_back("this build has sanitizers or no optimisation; build with the release preset");
  }
  for (const auto& run : report.placements) judge_placement(run, report);
  for (const auto& run : report.stalls) {
    judge_calls("stall", run.counts, report.failed);
    if (!run.check.wrong.empty()) report.failed.push_back("stall: " + run.check.wrong);
    if (run.latest_send_ns > send_noisy_ns) {
      report.noisy.push_back("stall: the load itself was late by up to " + time_text(run.latest_send_ns) +
                             "; its requests are timed from when they were due");
    }
  }
}

const char* CommitReport::verdict() const {
  if (!failed.empty()) return "failed";
  if (!invalid.empty()) return "invalid";
  return noisy.empty() ? "ok" : "noisy";
}

}  // namespace pollux
