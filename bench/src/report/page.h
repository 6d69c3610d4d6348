// The HTML file of a report. It is well-formed XML, too.
#pragma once

#include <string>
#include <vector>

#include "run/result.h"

namespace pollux {

struct ReportedResult {
  std::string name;  ///< of its file
  BenchResult result;
};
std::string report_page(const std::vector<ReportedResult>& results);

/// Charts, tables and notes of one measurement, of all results.
std::string bench_section(const std::vector<ReportedResult>& results, const std::string& bench);
/// How two results compare: intended factor, confounders, the ratio chart, the table.
std::string comparison_section(const std::vector<ReportedResult>& results);

}  // namespace pollux
