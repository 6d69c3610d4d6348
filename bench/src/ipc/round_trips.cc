#include "ipc/round_trips.h"

#include <time.h>

#include <algorithm>

#include "run/format.h"
#include "run/interrupt.h"

namespace pollux {

namespace {

constexpr std::uint64_t warm_up_part = 20, warm_up_min = 20, warm_up_max = 1'000;
constexpr std::int64_t second_ns = 1'000'000'000;

// Sleeps, then spins for the rest: a wake-up is late by more than most round trips take.
void wait_until(std::int64_t due_ns) {
  constexpr std::int64_t spin_ns = 200'000;
  const auto sleep_until = due_ns - spin_ns;
  if (sleep_until > monotonic_ns()) {
    const timespec at{.tv_sec = sleep_until / second_ns, .tv_nsec = sleep_until % second_ns};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
  }
  while (monotonic_ns() < due_ns) {
  }
}

}  // namespace

std::uint64_t warm_up_of(std::uint64_t messages) {
  return std::clamp(messages / warm_up_part, warm_up_min, warm_up_max);
}

RoundTrips run_round_trips(const RoundTripOptions& options, const std::function<bool(std::uint64_t)>& trip,
                           const std::function<bool(std::uint64_t)>& check,
                           const std::function<std::string()>& problem) {
  RoundTrips result;
  std::uint64_t number = 0;
  const auto warm_up_end = monotonic_ns() + options.limit.count() / 4;
  for (const auto warm_up = warm_up_of(options.messages); number < warm_up && monotonic_ns() < warm_up_end;
       ++number) {
    if (!trip(number)) {
      result.problem = problem();
      return result;
    }
    if (!check(number)) ++result.wrong;
  }
  const auto begin = monotonic_ns();
  auto now = begin;
  for (std::uint64_t i = 0; i < options.messages && !InterruptGuard::interrupted(); ++i, ++number) {
    auto from = monotonic_ns();
    if (options.rate != 0) {
      const auto due =
          begin + static_cast<std::int64_t>(i) * second_ns / static_cast<std::int64_t>(options.rate);
      if (from > due) ++result.late;
      wait_until(due);
      from = due;
    }
    const bool back = trip(number);
    now = monotonic_ns();
    if (!back) {
      // It took at least so long: to leave it out would make the others look better.
      result.times.record_censored_ns(now - from);
      result.problem = problem();
      break;
    }
    result.times.record_ns(now - from);
    if (!check(number)) ++result.wrong;
    if (now - begin > options.limit.count()) break;
  }
  result.elapsed_ns = now - begin;
  return result;
}

CellRun cell_run_of(const RoundTrips& trips, const RoundTripOptions& options) {
  CellRun run;
  run.figures.push_back(times_figure("round trip", trips.times));
  run.found.emplace_back("messages", std::to_string(trips.times.count()));
  if (trips.times.count() < options.messages && trips.problem.empty()) {
    run.found.emplace_back("ended", "after its time limit");
  }
  if (options.rate != 0) run.found.emplace_back("late sends", std::to_string(trips.late));
  if (trips.wrong > 0) {
    run.wrong.push_back(count_text(trips.wrong) + (trips.wrong == 1 ? " answer" : " answers") +
                        " came back with other bytes than were sent");
  }
  if (!trips.problem.empty()) run.invalid.push_back(trips.problem);
  return run;
}

}  // namespace pollux
