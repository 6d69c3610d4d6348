// In what two hosts differ, and what that means for a comparison of them: what it is about, what may confound
// it, and what is harmless.
#pragma once

#include <string>
#include <vector>

#include "run/result.h"

namespace pollux {

struct HostDifference {
  std::string name, a, b;  ///< a and b: the values, "not told" if a side has none
};

struct HostDifferences {
  std::vector<HostDifference> intended, confounders, harmless;
  std::vector<std::string> unused;  ///< factors that were named, and are the same on both sides
};

/// `factors`: names of facts, or what such names begin with before a dot; empty: "vm" if it differs.
/// Identities that were redacted don't count as different.
HostDifferences differences_of(const BenchResult& a, const BenchResult& b,
                               const std::vector<std::string>& factors);

}  // namespace pollux
