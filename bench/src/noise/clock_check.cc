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
// Less is too short to compare speeds.
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
  if (check.passed_at_least_ns < compared_from_ns) return "";
  if (check.passed_ns < check.passed_at_least_ns - check.passed_at_least_ns * apart_percent / 100) {
    return "the clock counted " + time_text(check.passed_ns) + " while at least " +
           time_text(check.passed_at_least_ns) + " passed";
  }
  if (check.passed_ns > check.passed_at_most_ns + check.passed_at_most_ns * apart_percent / 100) {
    return "the clock counted " + time_text(check.passed_ns) + " while at most " +
           time_text(check.passed_at_most_ns) + " passed";
  }
  return "";
}

}  // namespace

ClockCheck check_clock(const ReadClock& read, const ClockCheckOptions& options) {
  const auto reference = options.reference ? options.reference : ReadClock(monotonic_ns);
  ClockCheck check;
  check.readings = options.readings;
  auto smallest = std::numeric_limits<std::int64_t>::max();
  // Before and after the first and the last reading: this thread may be stopped for long between two lines.
  const auto before_first = reference();
  const auto begin = read();
  const auto after_first = reference();
  auto last = begin;
  std::int64_t before_last = after_first;
  for (std::uint64_t i = 0; i < options.readings; ++i) {
    if (i + 1 == options.readings) before_last = reference();
    const auto now = read();
    if (now < last) ++check.backwards;
    if (now > last && now - last < smallest) smallest = now - last;
    last = now;
  }
  check.passed_at_most_ns = reference() - before_first;
  check.passed_at_least_ns = before_last - after_first;
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
