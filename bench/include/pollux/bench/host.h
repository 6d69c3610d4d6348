// `pollux bench host`: what is known of this host, without measuring anything. The same profile is part of every
// result.
#pragma once

#include "pollux/bench/common.h"

namespace pollux {

/// Returns a BenchExit.
int bench_host(const BenchCommon& common);

}  // namespace pollux
