// `pollux bench memory`: how fast arrays are read and written that no cache holds: copy, scale, add and
// triad, of whole numbers and of floating point, by one thread and by one on each CPU.
#pragma once

#include <chrono>
#include <cstdint>

#include "pollux/bench/common.h"

namespace pollux {

struct MemoryOptions {
  std::uint64_t array_bytes = 0;  ///< of each of three; 0: four times the last-level cache, within limits
  std::chrono::milliseconds least{300};  ///< that a loop runs, each run; the pass begun by then is finished
};

/// Returns a BenchExit.
/// What --quick makes smaller, unless it was given.
void make_quick(MemoryOptions& options);
int bench_memory(const BenchCommon& common, const MemoryOptions& options);

}  // namespace pollux
