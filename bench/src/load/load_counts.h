// How one finished call is counted, the same way by both kinds of load.
#pragma once

#include "pollux/bench/load.h"

namespace pollux {

/// Counts the call; true if it was answered with ok.
bool count_call(const CallResult& result, LoadCounts& counts);

}  // namespace pollux
