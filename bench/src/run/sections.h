// A result as tables of text: one for each measurement, a row a cell, a column for each part of the workload and
// for each figure. What the terminal and Markdown show.
#pragma once

#include <string>
#include <vector>

#include "run/result.h"

namespace pollux {

struct Section {
  std::string title;
  std::vector<std::string> headings;
  std::vector<bool> right;  ///< of each column: numbers are set to the right
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> notes;  ///< below it: reasons of verdicts, findings
};
std::vector<Section> sections_of(const BenchResult& result);
/// What stands above them: the host, when, how trustworthy.
std::vector<std::string> heading_of(const BenchResult& result);

}  // namespace pollux
