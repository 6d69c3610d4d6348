// `pollux bench selftest`: does the tool notice what it must notice? It measures things that are known to be bad and
// must find just that.
#pragma once

#include "pollux/bench/common.h"

namespace pollux {

/// Prints one line a fault: found, or NOT FOUND. Returns BenchExit::ok only if all were found.
int bench_selftest(const BenchCommon& common);

}  // namespace pollux
