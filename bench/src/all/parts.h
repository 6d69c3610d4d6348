// What `bench all` is made of.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pollux/bench/all.h"
#include "run/plan.h"

namespace pollux {

/// What a part needs to measure.
struct AllRun {
  const BenchCommon& common;
  const BenchAllOptions& options;
  std::filesystem::path directory;  ///< a temporary one, of this part's own
  Progress& progress;
  std::vector<Finding> findings;  ///< parts add theirs
};

struct AllPart {
  std::string_view name;
  std::string_view presets;  ///< letters of the published series that it belongs to: "ad"
  /// Measures, in a short form if common.quick. An error is one of the whole part.
  std::function<Result<std::vector<Cell>>(AllRun&)> measure;
};
const std::vector<AllPart>& all_parts();

}  // namespace pollux
