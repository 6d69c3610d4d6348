#pragma once

#include <filesystem>
#include <vector>

#include "pollux/bench/cpu.h"
#include "run/plan.h"

namespace pollux {

Result<std::vector<CellGroup>> plan_cpu(const BenchCommon& common, const CpuOptions& options,
                                        const std::filesystem::path& directory);

/// What one thread did: whole units of work, and the time they took.
struct LoopRun {
  std::uint64_t units = 0;
  std::int64_t took_ns = 0;
};
/// Of all threads together. Each has its own end, so the rates are added and not the units.
std::int64_t units_per_second_milli(const std::vector<LoopRun>& runs);

}  // namespace pollux
