// What two results show together: each cell that both have, figure by figure, with a word that the runs can
// carry.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compare/host_differences.h"
#include "compare/ratio.h"
#include "compare/sides.h"

namespace pollux {

enum class Shown {
  difference,     ///< the interval does not hold 1
  no_difference,  ///< it does
  too_few_runs,
  no_ratio,      ///< a median is 0 or below, or a side has no such figure
  untrusted,     ///< a side is invalid
  not_measured,  ///< not available on a side
};
std::string_view to_string(Shown shown);

struct FigureComparison {
  std::string figure;  ///< "round trip", "round trip p99"
  Unit unit = Unit::ns;
  Better better = Better::less;
  std::optional<std::int64_t> a, b;  ///< medians over the runs
  std::size_t runs_a = 0, runs_b = 0;
  std::optional<RatioInterval> ratio;          ///< B / A
  std::optional<RatioInterval> per_reference;  ///< the same after dividing by what the reference loop came to
  std::optional<RatioInterval> per_money;      ///< of a rate: work for the same money, B / A
  Shown shown = Shown::no_ratio;
  bool noisy = false;
  std::string text;  ///< "B is 1.31 x slower", with what limits it
};

struct CellComparison {
  std::string name;  ///< of the cell; of paired ones that differ in the intended keys, without these
  std::string bench;
  Facts workload;
  Verdict a = Verdict::ok, b = Verdict::ok;
  std::vector<std::string> reasons;  ///< of both verdicts, "A: ..."
  std::vector<FigureComparison> figures;
};

struct Comparison {
  Side a, b;
  HostDifferences hosts;
  std::vector<std::string> different_keys;  ///< parts of the workload that are what the comparison is about
  std::string reference;                    ///< name of the reference loop's cell; empty: not in both
  std::optional<RatioInterval> reference_speed;  ///< B / A; above 1: B's loop is faster
  std::vector<CellComparison> cells;
  std::vector<std::string> only_a, only_b;  ///< names of cells
  std::vector<std::string> notes;

  [[nodiscard]] bool untrusted() const;  ///< a cell that both have is invalid on a side
};

struct ComparisonOptions {
  std::vector<std::string> factors;
  bool keys_may_differ = false;  ///< pair cells whose workloads differ in the same keys throughout
};
/// An error is that nothing can be paired: the sides don't hold the same measurement.
Result<Comparison> compare_sides(Side a, Side b, const ComparisonOptions& options);

}  // namespace pollux
