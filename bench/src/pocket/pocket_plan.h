// The cells of `bench pocket`.
#pragma once

#include <filesystem>
#include <vector>

#include "pollux/bench/pocket.h"
#include "run/plan.h"

namespace pollux {

std::vector<CellGroup> plan_pocket(const BenchCommon& common, const BenchPocketOptions& options,
                                   const std::filesystem::path& directory);

}  // namespace pollux
