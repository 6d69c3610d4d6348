// `pollux bench noise`: how steady this host is. Clocks, wake-ups, gaps in which a busy thread did not run,
// steal: what tells a VM from bare metal, and what heartbeats and leases have to live with.
#pragma once

#include <chrono>

#include "pollux/bench/common.h"

namespace pollux {

struct NoiseOptions {
  std::chrono::milliseconds busy{500};  ///< of each busy loop, each run
  unsigned wakeups = 500;               ///< 1 ms apart, each run
  unsigned cpus_max = 8;                ///< that are looked at one by one; all of them together in any case
};

/// Returns a BenchExit.
/// What --quick makes smaller, unless it was given.
void make_quick(NoiseOptions& options);
int bench_noise(const BenchCommon& common, const NoiseOptions& options);

}  // namespace pollux
