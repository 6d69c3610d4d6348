#include "pollux/bench/commit.h"

#include <iostream>

#include "commit/commit_cells.h"
#include "commit/commit_runs.h"
#include "pollux/bench/child_process.h"
#include "pollux/bench/disk_floor.h"
#include "run/benchmark.h"
#include "run/interrupt.h"

namespace pollux {

Result<CommitReport> measure_commit(const BenchCommon& common, const BenchCommitOptions& options,
                                    Progress& progress) {
  CommitReport report;
  report.host = profile_host();
  report.accounts = options.accounts;
  report.requesters = options.requesters;
  // Everything is in here, so that nothing is left in the directory that was named.
  const auto home = TemporaryDirectory::make(common.directory, "pollux-bench-");
  if (!home) return std::unexpected(home.error());
  report.directory = (*home)->path().parent_path().string();
  const auto file_system = file_system_of((*home)->path());
  if (!file_system) return std::unexpected(file_system.error());
  report.file_system = file_system->name;
  if (file_system->volatile_memory) {
    report.invalid.push_back(
        report.directory + " is on " + file_system->name +
        ", where a flush makes nothing durable; name a directory on a disk with --directory");
  }
  auto inside = common;
  inside.directory = (*home)->path();
  for (const auto& placement : placements_for(options)) {
    auto run = run_placement(inside, options, placement, progress);
    if (!run) return std::unexpected(run.error());
    report.placements.push_back(std::move(*run));
  }
  if (options.stalls > 0) {
    std::vector<std::uint64_t> sizes = {0};
    if (options.resident_bytes > 0) sizes.push_back(options.resident_bytes);
    for (const auto size : sizes) {
      auto run = run_stalls(inside, options, size, progress);
      if (!run) return std::unexpected(run.error());
      report.stalls.push_back(std::move(*run));
    }
  }
  judge(report);
  return report;
}

int bench_commit(const BenchCommon& common, const BenchCommitOptions& options) {
  return run_report(common, "commit", [&](Progress& progress) -> Result<ReportFound> {
    auto report = measure_commit(common, options, progress);
    if (!report) return std::unexpected(report.error());
    return ReportFound{cells_of(*report),
                       [report = std::move(*report)](std::ostream& out) { print_table(report, out); }};
  });
}

void make_quick(BenchCommitOptions& options) {
  constexpr std::uint32_t accounts = 10'000;
  constexpr std::chrono::seconds step(1);
  options.outstanding = {1, 64};
  options.accounts = std::min(options.accounts, accounts);
  options.step = std::min<std::chrono::milliseconds>(options.step, step);
  options.sustained = std::chrono::seconds(0);
}

}  // namespace pollux
