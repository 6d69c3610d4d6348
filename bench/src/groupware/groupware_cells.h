// `bench groupware` in the common form: for `bench all`, comparisons and reports.
#pragma once

#include <vector>

#include "groupware/groupware_report.h"
#include "run/cell.h"
#include "run/progress.h"

namespace pollux {

/// Starts everything, measures, ends everything. An interrupt leaves what was measured, or is an error.
Result<GroupwareReport> measure_groupware(const BenchGroupwareOptions& options, Progress& progress);

/// One cell for each server in each cell of the report.
std::vector<Cell> cells_of(const GroupwareReport& report);

}  // namespace pollux
