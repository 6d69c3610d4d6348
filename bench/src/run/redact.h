// A result to be shown to strangers: without what names this host or its owner.
#pragma once

#include "run/result.h"

namespace pollux {

/// Facts of the kind `identity` lose value and evidence; paths and host names given as arguments are replaced.
void redact(BenchResult& result);

}  // namespace pollux
