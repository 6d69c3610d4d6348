// The sides of a comparison: one result file, or several of the same measurement on the same host, whose runs
// count together.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pollux/core/result.h"
#include "run/result.h"

namespace pollux {

struct Side {
  BenchResult result;
  std::vector<std::string> files;  ///< or calls
  std::vector<std::string> notes;  ///< facts that were not the same in all of them
};

/// What tells a result from all others.
std::string digest_in(const BenchResult& result);
/// Adds the runs of `more` to `side`: cells of one name become one, with the worse verdict. Errors: the same
/// result given twice, figures that don't fit together.
Result<void> add_to_side(Side& side, const BenchResult& more, const std::string& name);
Result<Side> read_side(const std::vector<std::filesystem::path>& files);

}  // namespace pollux
