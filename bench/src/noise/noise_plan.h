#pragma once

#include <filesystem>
#include <vector>

#include "pollux/bench/noise.h"
#include "run/plan.h"

namespace pollux {

Result<std::vector<CellGroup>> plan_noise(const BenchCommon& common, const NoiseOptions& options,
                                          const std::filesystem::path& directory);

}  // namespace pollux
