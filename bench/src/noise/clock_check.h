// Is a clock fit to measure with? Everything else stands on the answer.
#pragma once

#include <time.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace pollux {

using ReadClock = std::function<std::int64_t()>;  ///< nanoseconds since anything

struct ClockCheckOptions {
  std::uint64_t readings = 200'000;
  ReadClock reference;  ///< what the clock is compared with; none: CLOCK_MONOTONIC
};
struct ClockCheck {
  std::uint64_t readings = 0, backwards = 0;
  std::int64_t smallest_step_ns = 0;  ///< between two readings that differ; 0: all were the same
  std::int64_t passed_ns = 0;         ///< from the first reading to the last, by this clock
  std::int64_t passed_at_least_ns = 0, passed_at_most_ns = 0;  ///< by the reference
  std::string broken;                                          ///< why it must not be used; empty: it may be
};
ClockCheck check_clock(const ReadClock& read, const ClockCheckOptions& options = {});

/// A clock of the kernel; 0 for ever if it has no such clock.
ReadClock kernel_clock(clockid_t id);
/// Nanoseconds that so many readings of a kernel's clock take.
std::int64_t clock_cost_ns(clockid_t id, std::uint64_t readings);

}  // namespace pollux
