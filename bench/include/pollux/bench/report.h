// `pollux bench report`: results as one HTML file that needs nothing else, no network and no scripts.
#pragma once

#include <filesystem>
#include <vector>

#include "pollux/bench/exit.h"

namespace pollux {

struct ReportOptions {
  std::vector<std::filesystem::path> files;  ///< of results; with two, they are compared as well
  std::filesystem::path output;
};
int bench_report(const ReportOptions& options);

}  // namespace pollux
