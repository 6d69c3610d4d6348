#include "commit/commit_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "commit/commit_cells.h"
#include "run/format.h"

namespace pollux {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Histogram hundred_of(std::int64_t ns) {
  Histogram histogram;
  histogram.record_ns(ns, 100);
  return histogram;
}

CommitReport good_report() {
  CommitReport report;
  report.directory = "/data";
  report.file_system = "ext4";
  PlacementRun run{.name = "free"};
  run.floor = run.floor_before = run.floor_after = hundred_of(100'000);
  CommitStep step{.outstanding = 1, .load = {}};
  step.load.latency = hundred_of(500'000);
  step.load.measured = std::chrono::seconds(2);
  step.load.measured_answers = 100;
  step.load.drained = true;
  run.steps.push_back(step);
  SustainedRun sustained;
  sustained.step = step;
  sustained.members = {{.name = "a"}, {.name = "b"}};
  sustained.keeps_up = true;
  run.sustained.push_back(sustained);
  run.check = {.trails_equal = true, .sum_right = true, .lsn = 1234};
  report.placements.push_back(run);
  return report;
}

TEST(CommitReport, WritesFiguresForPeople) {
  EXPECT_EQ(time_text(999), "999 ns");
  EXPECT_EQ(time_text(83'440), "83.4 us");
  EXPECT_EQ(time_text(833'440), "833 us");
  EXPECT_EQ(time_text(12'345'678), "12.35 ms");
  EXPECT_EQ(time_text(1'200'000'000), "1.20 s");
  EXPECT_EQ(time_text(std::nullopt), "-");
  EXPECT_EQ(count_text(7), "7");
  EXPECT_EQ(count_text(1'234'567), "1,234,567");
  EXPECT_EQ(bytes_text(38'249'999), "38.2 MB");
  EXPECT_EQ(ratio_text(ratio_hundredths(543, 100)), "5.43 x");
  EXPECT_EQ(ratio_text(ratio_hundredths(5, std::nullopt)), "-");
}

TEST(CommitReport, SetsThePairBesideTheFloor) {
  auto report = good_report();
  judge(report);
  EXPECT_STREQ(report.verdict(), report.host.optimized_build ? "ok" : "invalid");
  std::ostringstream out;
  print_table(report, out);
  EXPECT_THAT(out.str(), HasSubstr("5.00 x"));
  EXPECT_THAT(out.str(), HasSubstr("trails equal at LSN 1,234, sum of the accounts right"));
  EXPECT_THAT(out.str(), HasSubstr("keeps up"));
}

TEST(CommitReport, CellsHoldTheSameFigures) {
  const auto cells = cells_of(good_report());
  ASSERT_GE(cells.size(), 2u);
  EXPECT_EQ(fact(cells[0].workload, "part"), "floor");
  const auto& cell = cells[1];
  EXPECT_EQ(fact(cell.workload, "part"), "1 outstanding");
  EXPECT_EQ(cell.verdict, Verdict::ok);
  const auto* rate = cell.figure("commits");
  ASSERT_NE(rate, nullptr);
  EXPECT_EQ(rate->value(), 50'000);
  EXPECT_EQ(cell.figures.front().times.count(), 100u);
}

TEST(CommitReport, CellsSayWhatFailed) {
  auto report = good_report();
  report.placements.front().check.wrong = "the members' trails differ at the end";
  judge(report);
  for (const auto& cell : cells_of(report)) {
    EXPECT_TRUE(cell.failed) << cell.name();
    EXPECT_EQ(cell.verdict, Verdict::invalid);
    EXPECT_THAT(cell.reasons.front(), HasSubstr("trails differ"));
  }
}

TEST(CommitReport, FailsWhatLostOrDoubledSomethingOrFellBehind) {
  auto report = good_report();
  report.placements[0].check.wrong = "the members' trails differ at the end";
  report.placements[0].sustained[0].keeps_up = false;
  report.placements[0].steps[0].load.counts.failed = 3;
  report.placements[0].steps[0].load.counts.first_error = "aborted: because";
  judge(report);
  EXPECT_STREQ(report.verdict(), "failed");
  ASSERT_THAT(report.failed, SizeIs(3));
  EXPECT_THAT(report.failed[0], HasSubstr("3 requests failed, the first with \"aborted: because\""));
}

TEST(CommitReport, CallsItNoisyWhenTheFloorMovedOrTheHypervisorTookTime) {
  auto report = good_report();
  report.host.optimized_build = true;
  report.placements[0].floor_after = hundred_of(200'000);
  report.placements[0].steal_ppm = 50'000;
  judge(report);
  EXPECT_STREQ(report.verdict(), "noisy");
  EXPECT_THAT(report.noisy, SizeIs(2));
  EXPECT_THAT(report.failed, IsEmpty());
}

}  // namespace
}  // namespace pollux
