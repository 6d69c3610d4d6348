// The forms of a result on paper.
#pragma once

#include <iosfwd>

#include "pollux/bench/common.h"
#include "run/result.h"

namespace pollux {

void print_result(const BenchResult& result, BenchForm form, std::ostream& out);

}  // namespace pollux
