// The arguments of a result, as they may be run once more.
#pragma once

#include <string>
#include <vector>

#include "pollux/core/result.h"
#include "run/result.h"

namespace pollux {

/// Of `pollux bench`; without --output, which would write over the old result, and without a form. Refuses,
/// with a sentence, what is redacted and what is not one of `measurements`.
Result<std::vector<std::string>> rerun_arguments(const BenchResult& result,
                                                 const std::vector<std::string>& measurements);

}  // namespace pollux
