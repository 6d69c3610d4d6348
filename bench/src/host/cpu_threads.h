// One thread for each of several CPUs, all beginning at the same moment.
#pragma once

#include <functional>
#include <vector>

#include "pollux/core/result.h"

namespace pollux {

/// Runs `work(i)` on a thread of its own that is held on `cpus[i]`, all at once when every thread is in its
/// place, and returns when all are done. If one can't be held there nothing is run, and the error says why.
Result<void> run_on_cpus(const std::vector<int>& cpus, const std::function<void(std::size_t index)>& work);

}  // namespace pollux
