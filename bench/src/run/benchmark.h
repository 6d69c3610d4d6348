// From a plan to an exit code: what all measurements have in common around their cells.
#pragma once

#include <functional>
#include <iosfwd>
#include <vector>

#include "pollux/bench/common.h"
#include "run/plan.h"
#include "run/result.h"

namespace pollux {

/// Makes the groups once the temporary directory is there, which they may write to.
using MakePlan = std::function<Result<std::vector<CellGroup>>(const std::filesystem::path& directory)>;
/// Looks at all cells when they are measured.
using FindMore = std::function<void(const std::vector<Cell>&, std::vector<Finding>&)>;

/// Measures the plan, prints it in the form that was asked for, checks the thresholds. Returns a BenchExit.
/// `name`: of the subcommand, for error lines.
int run_benchmark(const BenchCommon& common, const std::string& name, const MakePlan& plan,
                  const FindMore& find_more = {});

/// A measurement that has a table of its own for people.
struct ReportFound {
  std::vector<Cell> cells;
  std::function<void(std::ostream& out)> print_table;
};
/// As run_benchmark, for such a one. An error, unless it is by an interrupt, is told and ends it.
int run_report(const BenchCommon& common, const std::string& name,
               const std::function<Result<ReportFound>(Progress& progress)>& measure);

/// BenchExit::ok, or the complaint about one that is not understood: before anything is measured.
int check_thresholds(const BenchCommon& common, const std::string& name);

/// A result with everything but its cells filled in.
BenchResult begin_result(const BenchCommon& common, const std::filesystem::path& directory);
/// Prints `result`, writes it to common.output, and checks thresholds.
int finish_result(const BenchCommon& common, const std::string& name, const BenchResult& result,
                  const std::function<void(std::ostream& out)>& print_table = {});

}  // namespace pollux
