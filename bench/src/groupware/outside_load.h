// Load generators that others made, and what they say: wrk and ab.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pollux/core/result.h"

namespace pollux {

struct OutsideFigure {
  std::uint64_t per_second_milli = 0;
  std::optional<std::int64_t> p50_ns, p99_ns;
  std::uint64_t answered = 0, failures = 0;  ///< failures: no answer, another length, or no 2xx
};
/// What `wrk --latency` prints.
Result<OutsideFigure> parse_wrk(std::string_view text);
/// What `ab` prints, and the percentiles that `ab -e` writes.
Result<OutsideFigure> parse_ab(std::string_view text, std::string_view percentiles);

/// "12345.67" as 12'345'670 thousandths; digits beyond are dropped. None if it does not begin with a digit.
std::optional<std::uint64_t> decimal_milli(std::string_view text);

}  // namespace pollux
