// A comparison on paper.
#pragma once

#include <boost/json/object.hpp>
#include <iosfwd>

#include "compare/comparison.h"
#include "pollux/bench/common.h"

namespace pollux {

boost::json::object json_of(const Comparison& comparison);
void print_comparison(const Comparison& comparison, BenchForm form, std::ostream& out);

}  // namespace pollux
