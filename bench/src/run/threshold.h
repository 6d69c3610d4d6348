// A limit that a figure must keep, such as "ipc.p99<200us" or "tcp.throughput>=1.2GB/s": for scripts that must
// know whether a host is good enough.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pollux/core/result.h"
#include "run/result.h"

namespace pollux {

/// BENCH[.FIGURE][.p50|p90|p99|p999|longest] (< | <= | > | >=) NUMBER UNIT, units ns us ms s; /s; B/s kB/s MB/s GB/s
/// Mbit/s Gbit/s; B kB MB GB; %; none for counts. Without a figure: the first of each cell. In names of figures a
/// space may be written as it is or as '-'.
struct Threshold {
  std::string text;                      ///< as it was given
  std::string bench, figure;             ///< figure: empty: the first
  std::optional<Percentile> percentile;  ///< none: the figure's value
  bool longest = false;
  enum class Compare { less, at_most, more, at_least } compare = Compare::less;
  Unit unit = Unit::ns;
  std::int64_t limit = 0;  ///< in `unit`
};
Result<Threshold> parse_threshold(std::string_view text);

/// What a threshold came to over all cells of its measurement.
struct ThresholdOutcome {
  bool met = false;
  std::string text;  ///< one line: met, or the first cell that misses it, or that nothing was there to judge
};
ThresholdOutcome check_threshold(const Threshold& threshold, const BenchResult& result);

}  // namespace pollux
