// `pollux bench disk`: random accesses to a file of 100-byte records on the disk at hand, with and without
// our engine, and whether a flush there is one.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "pollux/bench/common.h"

namespace pollux {

struct BenchDiskOptions {
  std::vector<std::string> files;         ///< "raw", "lmdb", "trail"; empty: all
  std::vector<std::string> operations;    ///< "read", "write"; empty: both
  std::vector<std::string> syncs;         ///< "none", "dsync", "fdatasync"; empty: those that the file has
  std::vector<unsigned> batches;          ///< records a flush; empty: 1, 16, 256
  std::uint64_t accesses = 10'000;        ///< in a run
  std::uint64_t records = 1'000'000;      ///< in the file: 100 bytes each
  std::chrono::milliseconds limit{5000};  ///< of a run
};
/// What --quick makes smaller, unless it was given.
void make_quick(BenchDiskOptions& options);
int bench_disk(const BenchCommon& common, const BenchDiskOptions& options);

}  // namespace pollux
