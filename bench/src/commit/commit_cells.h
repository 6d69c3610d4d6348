// `bench commit` in the common form: for files, comparisons and reports.
#pragma once

#include <vector>

#include "commit/commit_report.h"
#include "run/cell.h"

namespace pollux {

/// Time and rate, and with one request outstanding where the time goes.
std::vector<Figure> figures_of(const CommitStep& step);
std::vector<Cell> cells_of(const CommitReport& report);

}  // namespace pollux
