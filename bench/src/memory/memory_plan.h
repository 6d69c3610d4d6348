#pragma once

#include <filesystem>
#include <vector>

#include "pollux/bench/memory.h"
#include "run/plan.h"

namespace pollux {

Result<std::vector<CellGroup>> plan_memory(const BenchCommon& common, const MemoryOptions& options,
                                           const std::filesystem::path& directory);

/// That the arrays are smaller than they should be, if they are.
void find_memory_caps(const std::vector<Cell>& cells, std::vector<Finding>& findings);

}  // namespace pollux
