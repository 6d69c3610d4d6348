// The cells of `bench http`.
#pragma once

#include <filesystem>
#include <vector>

#include "pollux/bench/http.h"
#include "run/plan.h"

namespace pollux {

std::vector<CellGroup> plan_http(const BenchCommon& common, const BenchHttpOptions& options,
                                 const std::filesystem::path& directory);

}  // namespace pollux
