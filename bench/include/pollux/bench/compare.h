// `pollux bench compare`: two results beside each other, and what may be concluded from them. And ABBA: two
// commands on one host, taken in turns, so that a slow change of the host falls on both.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "pollux/bench/common.h"

namespace pollux {

struct CompareOptions {
  std::vector<std::filesystem::path> a,
      b;                                ///< result files of each side; several are several runs of the same
  std::vector<std::string> factors;     ///< facts that are meant to differ: "vm", "disk"; empty: guessed
  std::vector<std::string> commands;    ///< two, for /bin/sh: ABBA instead of files; empty: none
  unsigned rounds = 2;                  ///< of A B B A
  std::chrono::seconds deadline{3600};  ///< for each call of a command
  std::filesystem::path keep;  ///< ABBA: the merged results go to KEEP-a.json and KEEP-b.json; empty: not
  BenchForm form = BenchForm::table;  ///< not csv
};
int bench_compare(const CompareOptions& options);

}  // namespace pollux
