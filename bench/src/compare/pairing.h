// Which cell of one result is to be compared with which of the other.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pollux/core/result.h"
#include "run/result.h"

namespace pollux {

struct Pairing {
  std::vector<std::pair<const Cell*, const Cell*>> pairs;  ///< into the two results
  std::vector<const Cell*> only_a, only_b;
  std::vector<std::string> different_keys;  ///< by which the cells of a pair may differ
};

/// Cells with the same bench and workload. Refuses, with a sentence, when there is no such.
Result<Pairing> pair_cells(const BenchResult& a, const BenchResult& b);

/// The same; but where a bench has no such cells, those with the same workload besides the keys in which the
/// two sides differ throughout. Refuses when that is not one to one.
Result<Pairing> pair_cells_by_the_rest(const BenchResult& a, const BenchResult& b);

/// The workload without these keys.
Facts without(const Facts& workload, const std::vector<std::string>& keys);

}  // namespace pollux
