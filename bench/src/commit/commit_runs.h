// The measurements that `bench commit` is made of.
#pragma once

#include "commit/commit_report.h"
#include "pollux/bench/commit.h"
#include "pollux/core/result.h"
#include "run/progress.h"

namespace pollux {

/// Which CPUs the two members and the requester may use; empty: all.
struct Placement {
  std::string name;
  std::vector<int> a, b, requester;
  [[nodiscard]] std::string words() const;
};
/// Settings as they stand in a configuration file, one a line.
std::string lines(const std::vector<std::string>& settings);

/// "free" only, or, if asked for, "same-core" and (with two CPUs or more) "other-core".
std::vector<Placement> placements_for(const BenchCommitOptions& options);

/// Floor, the pair at each number of outstanding requests, the sustained run, and the floor again.
Result<PlacementRun> run_placement(const BenchCommon& common, const BenchCommitOptions& options,
                                   const Placement& placement, Progress& progress);
/// Kills the primary again and again under open load.
Result<StallRun> run_stalls(const BenchCommon& common, const BenchCommitOptions& options,
                            std::uint64_t resident_bytes, Progress& progress);
/// All of it, in `common.directory`.
Result<CommitReport> measure_commit(const BenchCommon& common, const BenchCommitOptions& options, Progress& progress);

}  // namespace pollux
