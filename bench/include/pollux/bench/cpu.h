// `pollux bench cpu`: two reference loops, one of integers (compression) and one of floating point (ray
// tracing). They are ours: comparable between hosts that run this version, and in kind only with other
// programs of that kind.
#pragma once

#include <chrono>

#include "pollux/bench/common.h"

namespace pollux {

struct CpuOptions {
  std::chrono::milliseconds least{500};  ///< that a loop runs, each run; the work begun by then is finished
};

/// Returns a BenchExit.
/// What --quick makes smaller, unless it was given.
void make_quick(CpuOptions& options);
int bench_cpu(const BenchCommon& common, const CpuOptions& options);

}  // namespace pollux
