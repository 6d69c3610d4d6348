// Round trips over something, timed: the loop that `bench ipc`, `bench tcp` and the pair's echo share.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "pollux/bench/histogram.h"
#include "pollux/core/result.h"
#include "run/plan.h"

namespace pollux {

struct RoundTripOptions {
  std::uint64_t messages = 10'000;
  std::chrono::nanoseconds limit = std::chrono::seconds(2);  ///< of the measured part
  std::uint64_t rate = 0;                                    ///< a second; 0: closed loop
};

/// Warm-up: so many of the first round trips are not counted: a twentieth, at least 20 and at most 1,000, and
/// never longer than a quarter of the limit.
std::uint64_t warm_up_of(std::uint64_t messages);

struct RoundTrips {
  Histogram times;  ///< from sending (closed loop) or from when it was due (at a rate) to the last byte back
  std::int64_t elapsed_ns = 0;
  std::uint64_t late = 0;   ///< at a rate: sent after they were due, since those before were not back
  std::uint64_t wrong = 0;  ///< came back with other bytes
  std::string problem;      ///< why it ended before its time; the last one is counted as censored then
};
/// `trip(n)`: sends the n-th message and returns when it is back; false with problem() set. `check(n)`: are
/// the bytes those that were sent? Not timed.
RoundTrips run_round_trips(const RoundTripOptions& options, const std::function<bool(std::uint64_t)>& trip,
                           const std::function<bool(std::uint64_t)>& check,
                           const std::function<std::string()>& problem);

/// As a run of a cell: figure "round trip", and what must be said of it.
CellRun cell_run_of(const RoundTrips& trips, const RoundTripOptions& options);

}  // namespace pollux
