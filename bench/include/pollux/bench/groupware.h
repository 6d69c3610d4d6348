// `pollux bench groupware`: how fast a groupware pair answers over HTTP on this host, beside the servers that
// others made, on the same host and disk, in one run, one after the other in each cell.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pollux/bench/common.h"

namespace pollux {

struct BenchGroupwareOptions {
  std::uint64_t events = 10'000;          ///< in the calendar that is searched
  std::vector<unsigned> connections = {1, 10, 100};
  std::chrono::milliseconds cell{1000};  ///< of load on each server in each cell, warm-up not included
  /// Names of other servers; none: those that are installed.
  std::optional<std::vector<std::string>> against;
  std::vector<std::string> kinds;             ///< of cells, of groupware_cell_kinds(); empty: all
  std::vector<std::string> settings;          ///< more lines of the pair's table in the configuration file
  std::vector<std::string> gateway_settings;  ///< more lines of the gateway's table
};

/// "get", "put", ...: what `kinds` may name.
std::vector<std::string> groupware_cell_kinds();
/// "nginx", ...: what `against` may name.
std::vector<std::string> groupware_other_servers();

/// Measures and prints; exit codes as of BenchExit. Progress goes to standard error. On SIGINT or SIGTERM it
/// cleans up and ends early.
int bench_groupware(const BenchCommon& common, const BenchGroupwareOptions& options);

}  // namespace pollux
