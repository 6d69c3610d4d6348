// What is going to be measured, and the loop that measures it: every cell `runs` times, in rounds, so that a slow
// change of the host does not look like a difference between cells; with what the host counted around each run.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pollux/core/result.h"
#include "run/cell.h"
#include "run/progress.h"

namespace pollux {

/// One run's part of a Figure.
struct FigureRun {
  std::string name;
  Unit unit = Unit::ns;
  Better better = Better::less;
  std::variant<Histogram, std::int64_t> measured;
};
FigureRun times_figure(std::string name, Histogram times);
FigureRun rate_figure(std::string name, std::uint64_t things, std::chrono::nanoseconds in);
FigureRun bytes_rate_figure(std::string name, std::uint64_t bytes, std::chrono::nanoseconds in);
FigureRun number_figure(std::string name, Unit unit, Better better, std::int64_t value);

/// What one run of a cell came to.
struct CellRun {
  std::vector<FigureRun> figures;
  Facts found;
  std::vector<std::string> noisy, invalid;  ///< reasons, a sentence each
  std::vector<std::string> wrong;           ///< what the measured thing did wrong: the cell has failed
  /// Instead of what was counted around this run: for a figure that is made of earlier runs of other cells.
  std::optional<HostCounters> counters = {};
};

struct PlannedCell {
  std::string bench;
  Facts workload;
  std::string not_available;           ///< a sentence; empty: it can be measured
  std::chrono::milliseconds takes{0};  ///< one run, about: for the estimate
  std::function<Result<CellRun>()> run = {};
  bool unsteady = false;  ///< what it measures differs from run to run by its nature: that is no reason for "noisy"
};

/// Cells that share something that is dear to make, such as a running pair.
struct CellGroup {
  std::string name;                          ///< for the progress line
  std::vector<PlannedCell> cells;
  std::chrono::milliseconds open_takes{0};
  std::function<Result<void>()> open = {};   ///< before the first run
  /// After the last run, whatever happened; what it finds wrong fails all cells of the group.
  std::function<std::vector<std::string>()> close = {};
  unsigned runs = 0;                         ///< instead of RunOptions::runs; 0: those
};

struct RunOptions {
  unsigned runs = 5;
  bool spread_disturbs = true;  ///< judge a cell noisy if its runs differ much
  bool others_disturb = true;  ///< judge a cell noisy if other programs used the CPUs meanwhile
};

/// Measures all. Ends early when interrupted: cells without any run are told as not available then. An error of one
/// cell makes that cell invalid, an error of open() all of its group; the others are measured all the same.
std::vector<Cell> run_plan(const std::vector<CellGroup>& groups, const RunOptions& options, Progress& progress);

/// The verdict that follows from runs, counters and what the runs said; sets verdict and reasons.
void judge(Cell& cell, const CellRun& said, const RunOptions& options);

}  // namespace pollux
