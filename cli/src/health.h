// What the members' answers mean for a pair.
#pragma once

#include <string>
#include <vector>

#include "json.h"
#include "pollux/core/result.h"

namespace pollux {

enum class Health : std::uint8_t { healthy, degraded, down };
std::string_view to_string(Health health);

struct PairHealth {
  Health health = Health::healthy;
  bool solo = false;
  int primary = -1;                     ///< index of the member that is primary and serves, or -1
  std::vector<std::string> complaints;  ///< one sentence each; empty if healthy
};

/// `members` in the order of `names`, as `status` of each was answered.
PairHealth judge_pair(const std::vector<std::string>& names, const std::vector<Result<Json>>& members);

}  // namespace pollux
