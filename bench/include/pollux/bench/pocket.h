// `pollux bench pocket`: the whole stack (supervisor, both members, gateway) held in a cgroup, as small as a
// small machine, and measured there.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "pollux/bench/common.h"

namespace pollux {

struct BenchPocketOptions {
  std::uint64_t memory_bytes = 64'000'000;
  unsigned cpu_percent = 5;  ///< of one core, while it is measured; not while it starts and is filled
  std::vector<unsigned> clients = {1, 10, 100};
  std::uint64_t requests = 500;             ///< in a run
  std::chrono::milliseconds limit{60'000};  ///< of a run
};
/// What --quick makes smaller, unless it was given.
void make_quick(BenchPocketOptions& options);
int bench_pocket(const BenchCommon& common, const BenchPocketOptions& options);

}  // namespace pollux
