#include "pollux/bench/commit.h"

#include <cstdio>
#include <iostream>

#include "commit/commit_runs.h"
#include "run/interrupt.h"
#include "pollux/bench/child_process.h"
#include "pollux/bench/disk_floor.h"

namespace pollux {

namespace {

Result<CommitReport> measure(const BenchCommitOptions& options, Progress& progress) {
  CommitReport report;
  report.host = profile_host();
  report.accounts = options.accounts;
  report.requesters = options.requesters;
  // Everything is in here, so that nothing is left in the directory that was named.
  const auto home = TemporaryDirectory::make(options.directory, "pollux-bench-");
  if (!home) return std::unexpected(home.error());
  report.directory = (*home)->path().parent_path().string();
  const auto file_system = file_system_of((*home)->path());
  if (!file_system) return std::unexpected(file_system.error());
  report.file_system = file_system->name;
  if (file_system->volatile_memory) {
    report.invalid.push_back(report.directory + " is on " + file_system->name +
                             ", where a flush makes nothing durable; name a directory on a disk with --dir");
  }
  auto inside = options;
  inside.directory = (*home)->path();
  for (const auto& placement : placements_for(options)) {
    auto run = run_placement(inside, placement, progress);
    if (!run) return std::unexpected(run.error());
    report.placements.push_back(std::move(*run));
  }
  if (options.stalls > 0) {
    std::vector<std::uint64_t> sizes = {0};
    if (options.resident_bytes > 0) sizes.push_back(options.resident_bytes);
    for (const auto size : sizes) {
      auto run = run_stalls(inside, size, progress);
      if (!run) return std::unexpected(run.error());
      report.stalls.push_back(std::move(*run));
    }
  }
  judge(report);
  return report;
}

}  // namespace

int bench_commit(const BenchCommitOptions& options) {
  const InterruptGuard interrupt;
  Result<CommitReport> report = fail(Code::ok, "");
  {
    Progress progress;
    report = measure(options, progress);
  }
  if (InterruptGuard::interrupted()) {
    std::fprintf(stderr, "interrupted; everything that was started has been ended and removed\n");
    return BenchExit::interrupted;
  }
  if (!report) {
    std::fprintf(stderr, "bench commit: %s\n", report.error().text.c_str());
    return BenchExit::failed;
  }
  (options.json ? print_json : print_table)(*report, std::cout);
  if (!report->failed.empty()) return BenchExit::failed;
  return report->invalid.empty() ? BenchExit::ok : BenchExit::invalid;
}

}  // namespace pollux
