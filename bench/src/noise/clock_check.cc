#include "noise/clock_check.h"

#include <limits>

#include "pollux/bench/histogram.h"
#include "run/format.h"

namespace pollux {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t coarse_ns = 1000;  // a message between two processes takes a few thousand
// Two clocks are slewed against each other by a thousandth at most; what differs by more is another speed.
constexpr std::int64_t apart_percent = 5;
// Below this a pause between two readings of the clocks would pass for a difference of speed.
constexpr std::int64_t compared_from_ns = 1'000'000;

std::string what_is_broken(const ClockCheck& check) {
  if (check.backwards > 0) {
    return "the clock went backwards " + count_text(check.backwards) + " times in " +
           count_text(check.readings) + " readings";
  }
  if (check.smallest_step_ns == 0) return "the clock stands still";
  if (check.smallest_step_ns > coarse_ns) {
    return "the clock moves in steps of " + time_text(check.smallest_step_ns) +
           ", which is too coarse to time with";
  }
  const auto apart = check.passed_ns - check.reference_passed_ns;
  if (check.reference_passed_ns >= compared_from_ns &&
      (apart < 0 ? -apart : apart) * 100 > check.reference_passed_ns * apart_percent) {
    return "the clock counted " + time_text(check.passed_ns) + " while " +
           time_text(check.reference_passed_ns) + " passed";
  }
  return "";
}

}  // namespace

ClockCheck check_clock(const ReadClock& read, const ClockCheckOptions& options) {
  const auto reference = options.reference ? options.reference : ReadClock(monotonic_ns);
  ClockCheck check;
  check.readings = options.readings;
  auto smallest = std::numeric_limits<std::int64_t>::max();
  const auto reference_begin = reference();
  const auto begin = read();
  auto last = begin;
  for (std::uint64_t i = 0; i < options.readings; ++i) {
    const auto now = read();
    if (now < last) ++check.backwards;
    if (now > last && now - last < smallest) smallest = now - last;
    last = now;
  }
  check.reference_passed_ns = reference() - reference_begin;
  check.passed_ns = last - begin;
  check.smallest_step_ns = smallest == std::numeric_limits<std::int64_t>::max() ? 0 : smallest;
  check.broken = what_is_broken(check);
  return check;
}

ReadClock kernel_clock(clockid_t id) {
  return [id]() -> std::int64_t {
    timespec now{};
    clock_gettime(id, &now);
    return now.tv_sec * second_ns + now.tv_nsec;
  };
}

std::int64_t clock_cost_ns(clockid_t id, std::uint64_t readings) {
  timespec now{};
  const auto begin = monotonic_ns();
  for (std::uint64_t i = 0; i < readings; ++i) clock_gettime(id, &now);
  return monotonic_ns() - begin;
}

}  // namespace pollux
