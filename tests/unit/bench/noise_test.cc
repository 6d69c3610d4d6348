#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "host/canary.h"
#include "host/cpu_threads.h"
#include "host/pinned.h"
#include "noise/clock_check.h"
#include "noise/gaps.h"
#include "noise/noise_plan.h"
#include "noise/wakeup.h"
#include "run/host_change.h"

namespace pollux {
namespace {

using ::testing::HasSubstr;

// Clocks that are made up; time passes with every reading.
ReadClock steady(std::int64_t step_ns) {
  return [now = std::int64_t{0}, step_ns]() mutable { return now += step_ns; };
}
ClockCheck check(const ReadClock& read, std::int64_t reference_passes_ns, std::uint64_t readings = 10'000) {
  return check_clock(read, {.readings = readings, .reference = steady(reference_passes_ns)});
}

TEST(ClockCheck, AGoodClockIsNotBroken) {
  const auto good = check(steady(25), 250'000);
  EXPECT_EQ(good.broken, "");
  EXPECT_EQ(good.smallest_step_ns, 25);
  EXPECT_EQ(good.backwards, 0u);
}

TEST(ClockCheck, FindsAClockThatGoesBackwards) {
  auto back = [now = std::int64_t{0}, n = 0]() mutable { return now += ++n % 1000 == 0 ? -7 : 25; };
  const auto broken = check(back, 250'000);
  EXPECT_EQ(broken.backwards, 10u);
  EXPECT_THAT(broken.broken, HasSubstr("went backwards 10 times"));
}

TEST(ClockCheck, FindsAClockThatStandsStill) {
  EXPECT_THAT(check([] { return std::int64_t{42}; }, 250'000).broken, HasSubstr("stands still"));
}

TEST(ClockCheck, FindsAClockThatIsTooCoarse) {
  const auto coarse = [reading = std::int64_t{0}]() mutable { return ++reading / 100 * 4'000'000; };
  const auto broken = check(coarse, 400'000'000);
  EXPECT_EQ(broken.smallest_step_ns, 4'000'000);
  EXPECT_THAT(broken.broken, HasSubstr("too coarse"));
}

// The reference is read four times, around the first and the last reading: between them 1 to 3 of its steps
// pass.
TEST(ClockCheck, FindsAClockOfAnotherSpeed) {
  EXPECT_THAT(check(steady(500), 1'000'000).broken,
              HasSubstr("counted 5.00 ms while at most 3.00 ms passed"));
  EXPECT_THAT(check(steady(50), 1'000'000).broken, HasSubstr("counted 500 us while at least 1.00 ms passed"));
}

TEST(ClockCheck, APauseOfThisThreadIsNoFaultOfTheClock) {
  // Real time, in which the thread is stopped between two readings of the reference, and so in one clock
  // only.
  auto now = std::make_shared<std::int64_t>(0);
  const auto real = [now] { return *now += 100; };
  const auto stopped_after = [now] {
    const auto at = *now += 100;
    *now += 40'000'000;
    return at;
  };
  EXPECT_EQ(check_clock(real, {.readings = 10'000, .reference = stopped_after}).broken, "");
}

TEST(ClockCheck, TheClockOfThisHostIsFitToMeasureWith) {
  const auto own = check_clock(kernel_clock(CLOCK_MONOTONIC), {.readings = 20'000, .reference = {}});
  EXPECT_EQ(own.broken, "");
  EXPECT_GT(clock_cost_ns(CLOCK_MONOTONIC, 1000), 0);
}

TEST(Wakeup, ASleeperIsNeverEarlyByAnyOfTheWays) {
  for (const auto by : {WakeupBy::clock_nanosleep, WakeupBy::timer_fd, WakeupBy::condition_variable}) {
    const auto late = measure_wakeup(by, {.period = std::chrono::microseconds(200), .times = 50});
    ASSERT_TRUE(late) << late.error().text;
    EXPECT_EQ(late->count(), 50u) << to_string(by);
    EXPECT_EQ(late->anomalies(), 0u) << to_string(by) << " woke before its time";
  }
}

TEST(Gaps, AreCountedBySizeAndTheLongestIsKept) {
  Gaps gaps;
  for (const std::int64_t step : {25, 9'999, 10'001, 150'000, 2'000'000}) gaps.add_reading(step);
  EXPECT_EQ(gaps.above_small, 3u);
  EXPECT_EQ(gaps.above_middle, 2u);
  EXPECT_EQ(gaps.above_large, 1u);
  EXPECT_EQ(gaps.longest_ns, 2'000'000);
  EXPECT_EQ(gaps.lost_ns, 2'160'001);
  Gaps other;
  other.add_reading(3'000'000);
  gaps.merge(other);
  EXPECT_EQ(gaps.longest_ns, 3'000'000);
  EXPECT_EQ(gaps.above_large, 2u);
}

TEST(Gaps, AreMeasuredOnEveryCpuThatMayBeUsed) {
  const auto cpus = usable_cpus();
  const auto gaps = measure_gaps({.cpus = cpus, .duration = std::chrono::milliseconds(20)});
  ASSERT_TRUE(gaps) << gaps.error().text;
  EXPECT_GE(gaps->elapsed_ns, 20'000'000 * static_cast<std::int64_t>(cpus.size()));
  EXPECT_GT(gaps->readings, 0u);
  EXPECT_GT(gaps->longest_ns, 0);
}

TEST(Gaps, ACpuThatMayNotBeUsedIsAnErrorAndNoFigure) {
  const auto gaps = measure_gaps({.cpus = {usable_cpus().front(), CPU_SETSIZE - 1}});
  ASSERT_FALSE(gaps);
  EXPECT_THAT(gaps.error().text, HasSubstr("CPU 1023"));
}

TEST(CpuThreads, NothingIsRunIfOneOfThemCantBePlaced) {
  std::atomic<int> ran = 0;
  EXPECT_FALSE(run_on_cpus({usable_cpus().front(), CPU_SETSIZE - 1}, [&](std::size_t) { ++ran; }));
  EXPECT_EQ(ran, 0);
  EXPECT_TRUE(run_on_cpus(usable_cpus(), [&](std::size_t) { ++ran; }));
  EXPECT_EQ(ran, static_cast<int>(usable_cpus().size()));
}

TEST(Gaps, StealIsOfTheCpusThatWereAskedAbout) {
  const std::string stat =
      "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 1 2 3 4 5 6 7 8 100 0\ncpu1 10 0 0 0 0 0 0 20 0 0\n";
  const auto one = ticks_of(stat, {0});
  EXPECT_EQ(one.all, 36u);
  EXPECT_EQ(one.stolen, 8u);
  EXPECT_EQ(ticks_of(stat, {0, 1}).stolen, 28u);
  EXPECT_EQ(ticks_of("", {0}).all, 0u);
}

TEST(NoisePlan, WhatDiffersByItsNatureIsNotNoisyForIt) {
  CellGroup group{.name = "test", .cells = {}};
  for (const bool unsteady : {true, false}) {
    const auto next = std::make_shared<std::int64_t>(1);
    const auto run = [next]() -> Result<CellRun> {
      CellRun out;
      out.figures.push_back(number_figure("gap", Unit::ns, Better::less, *next *= 100));
      return out;
    };
    group.cells.push_back({.bench = "test",
                           .workload = {{"unsteady", unsteady ? "yes" : "no"}},
                           .not_available = "",
                           .run = run,
                           .unsteady = unsteady});
  }
  Progress progress;
  const auto cells = run_plan({group}, {.runs = 3, .others_disturb = false}, progress);
  const auto spread = [](const Cell& cell) {
    return std::ranges::any_of(cell.reasons,
                               [](const auto& reason) { return reason.find("differ") != std::string::npos; });
  };
  EXPECT_FALSE(spread(cells[0]));
  EXPECT_TRUE(spread(cells[1]));
}

TEST(NoisePlan, LooksAtAFewCpusAloneAndThenAtAllAtOnce) {
  const auto plan = plan_noise({}, {.busy = std::chrono::milliseconds(10), .wakeups = 10, .cpus_max = 1}, "");
  ASSERT_TRUE(plan);
  const auto& gaps = plan->back().cells;
  ASSERT_EQ(gaps.size(), usable_cpus().size() > 1 ? 2u : 1u);
  EXPECT_EQ(fact(gaps.back().workload, "cpu"),
            gaps.size() > 1 ? "all at once" : fact(gaps.front().workload, "cpu"));
  Progress progress;
  const auto cells = run_plan(*plan, {.runs = 2, .others_disturb = false}, progress);
  for (const auto& cell : cells) {
    EXPECT_NE(cell.verdict, Verdict::invalid) << cell.name() << (cell.reasons.empty() ? "" : cell.reasons[0]);
    EXPECT_EQ(cell.runs, 2u) << cell.name();
    ASSERT_FALSE(cell.figures.empty());
    EXPECT_EQ(cell.figures.front().runs.size(), 2u);
  }
}

TEST(Canary, AHostThatKeptItsSpeedChangesNoVerdict) {
  BenchResult result;
  result.cells.push_back({.bench = "cpu", .runs = 1});
  note_host_change(result, 50'000'000, 54'000'000);
  EXPECT_EQ(result.cells[0].verdict, Verdict::ok);
  EXPECT_TRUE(result.findings.empty());
  ASSERT_EQ(result.host.facts.size(), 2u);
  EXPECT_EQ(result.host.facts[0].name, "canary.before_ns");
  EXPECT_EQ(result.host.facts[1].value, "54000000");
}

TEST(Canary, AHostThatChangedMakesMeasuredCellsNoisyAndNoOthers) {
  BenchResult result;
  result.cells.push_back({.bench = "cpu", .runs = 1});
  result.cells.push_back({.bench = "cpu", .verdict = Verdict::not_available, .reasons = {"quick"}});
  result.cells.push_back({.bench = "cpu", .verdict = Verdict::invalid, .reasons = {"tmpfs"}});
  note_host_change(result, 50'000'000, 62'000'000);
  EXPECT_EQ(result.cells[0].verdict, Verdict::noisy);
  ASSERT_EQ(result.cells[0].reasons.size(), 1u);
  EXPECT_THAT(result.cells[0].reasons[0], HasSubstr("24 % longer after"));
  EXPECT_EQ(result.cells[1].verdict, Verdict::not_available);
  EXPECT_EQ(result.cells[1].reasons.size(), 1u);
  EXPECT_EQ(result.cells[2].verdict, Verdict::invalid);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_THAT(result.findings[0].text, HasSubstr("50.00 ms before and 62.00 ms after"));
}

TEST(Canary, TakesTimeAndComesToTheSameAnswerEveryTime) {
  EXPECT_GT(canary_ns(), 0);  // it checks its answer itself
  EXPECT_EQ(canary_change_ppm(100, 90), 100'000u);
  EXPECT_EQ(canary_change_ppm(0, 90), 0u);
}

}  // namespace
}  // namespace pollux
