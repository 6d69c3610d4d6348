// `pollux bench rerun FILE`: the measurement that a result file tells of, once more.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pollux/bench/common.h"

namespace pollux {

struct RerunOptions {
  std::string command;                    ///< path of `pollux`
  std::vector<std::string> measurements;  ///< subcommands of `bench` that measure: no other is run for a file
  std::filesystem::path file;
  std::filesystem::path output;  ///< of the new result; empty: nowhere, besides standard output
  bool compare = false;          ///< print a comparison with the old result instead of the new one
};
int bench_rerun(const RerunOptions& options);

}  // namespace pollux
