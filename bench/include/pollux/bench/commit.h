// `pollux bench commit`: what it costs to have a request committed by a pair on this host, beside what the
// disk alone costs, in one go. And, if asked, how long a caller waits when the primary is killed.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "pollux/bench/common.h"

namespace pollux {

struct BenchCommitOptions {
  std::vector<unsigned> outstanding = {1, 16, 64, 256};
  std::chrono::milliseconds step{3000};  ///< for each of these, shared by the runs
  std::chrono::seconds sustained{10};    ///< at the largest of these; 0: left out
  std::uint32_t accounts = 100'000;
  unsigned requesters = 1;            ///< sessions that share the outstanding requests
  unsigned stalls = 0;                ///< times that the primary is killed under open load
  unsigned stall_rate = 500;          ///< requests a second meanwhile
  std::uint64_t resident_bytes = 0;   ///< stalls are measured once more with members of this size
  bool placement = false;             ///< measure all on one core, and over two, instead of as it comes
  std::vector<std::string> settings;  ///< more lines of the pair's table in the configuration file
};

/// What --quick makes smaller, unless it was given.
void make_quick(BenchCommitOptions& options);
/// Measures and prints; as a table in a form of its own. Returns a BenchExit. Progress goes to standard
/// error. On SIGINT or SIGTERM it cleans up and ends early.
int bench_commit(const BenchCommon& common, const BenchCommitOptions& options);

}  // namespace pollux
