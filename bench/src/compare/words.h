// What a ratio is called: "1.31 x slower". The one place where a number becomes a claim.
#pragma once

#include <string>

#include "compare/comparison.h"

namespace pollux {

/// "1.31 x slower", "1.20 x faster", "1.05 x as much": of B, against A.
std::string ratio_words(Unit unit, Better better, std::uint64_t ppm);

/// Sets `shown` and `text` from everything else in it and the verdicts of both sides.
void put_into_words(FigureComparison& figure, Verdict a, Verdict b);

}  // namespace pollux
