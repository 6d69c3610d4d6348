#include "groupware/groupware_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "groupware/groupware_runs.h"

namespace pollux {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

ServerFigure figure(const std::string& server, std::uint64_t per_second_milli) {
  ServerFigure one{.server = server};
  one.per_second_milli = per_second_milli;
  one.parts_milli = {per_second_milli, per_second_milli};
  one.p50_ns = 100'000;
  return one;
}

ServerFigure absent(const std::string& server) {
  ServerFigure one{.server = server, .verdict = Verdict::not_available};
  one.reason = "not installed (apt-get install " + server + ")";
  return one;
}

GroupwareReport report_of(GroupwareCell cell) {
  GroupwareReport report;
  report.host.optimized_build = true;
  report.events = 10'000;
  report.check.trails_equal = true;
  report.cells = {std::move(cell)};
  return report;
}

GroupwareCell put_cell(std::vector<ServerFigure> servers) {
  return {.plan = {.kind = CellKind::put_new,
                   .name = "PUT of a new item",
                   .connections = 10,
                   .asked = {.of = {"radicale", "xandikos"}, .hundredths_min = 2000}},
          .servers = std::move(servers)};
}

TEST(GroupwareReportTest, ARatioIsOfRatesAndMetOnlyIfItIsReachedAgainstAll) {
  auto report = report_of(
      put_cell({figure("pollux", 4'000'000), figure("radicale", 100'000), figure("xandikos", 25'500)}));
  judge(report);
  const auto& cell = report.cells.front();
  ASSERT_EQ(cell.ratios.size(), 2U);
  EXPECT_EQ(cell.ratios[0].hundredths, 4000U);
  EXPECT_EQ(cell.ratios[1].hundredths, 15'686U) << "rounded, not cut off";
  EXPECT_EQ(cell.outcome, AskedOutcome::met);
  EXPECT_EQ(cell.verdict, Verdict::ok);
  EXPECT_STREQ(report.verdict(), "ok");

  report = report_of(
      put_cell({figure("pollux", 1'999'000), figure("radicale", 100'000), figure("xandikos", 25'500)}));
  judge(report);
  EXPECT_EQ(report.cells.front().outcome, AskedOutcome::not_met);
  EXPECT_THAT(report.cells.front().asked_words,
              HasSubstr("at least 20.00 x as many as radicale and xandikos: NOT met"));
  EXPECT_STREQ(report.verdict(), "ok") << "a figure that is too small is still a good figure";
}

TEST(GroupwareReportTest, WithoutOneOfThoseAskedForItIsOpenAndSaysWhoIsMissing) {
  auto report =
      report_of(put_cell({figure("pollux", 4'000'000), figure("radicale", 100'000), absent("xandikos")}));
  judge(report);
  const auto& cell = report.cells.front();
  EXPECT_EQ(cell.outcome, AskedOutcome::open);
  EXPECT_THAT(cell.asked_words, HasSubstr("(no figure of xandikos)"));
  EXPECT_FALSE(cell.ratios[1].hundredths);
  EXPECT_EQ(cell.verdict, Verdict::ok) << "ours is measured well";
  std::ostringstream table;
  print_table(report, table);
  EXPECT_THAT(table.str(),
              HasSubstr("xandikos      not available: not installed (apt-get install xandikos)"));
}

TEST(GroupwareReportTest, ATimeAndAMemoryAreAskedForByTheirLimits) {
  GroupwareCell sync{
      .plan = {.kind = CellKind::sync, .name = "sync", .asked = {.of = {}, .p50_ns_max = 2'000'000}},
      .servers = {figure("pollux", 500'000)}};
  sync.servers[0].p50_ns = 1'999'999;
  auto report = report_of(sync);
  judge(report);
  EXPECT_EQ(report.cells.front().outcome, AskedOutcome::met);
  report.cells.front().servers[0].p50_ns = 2'000'000;
  judge(report);
  EXPECT_EQ(report.cells.front().outcome, AskedOutcome::not_met);
  report.cells.front().servers[0].p50_ns = std::nullopt;
  judge(report);
  EXPECT_EQ(report.cells.front().outcome, AskedOutcome::open) << "too few samples";

  GroupwareCell idle{
      .plan = {.kind = CellKind::idle, .name = "idle", .asked = {.of = {}, .memory_bytes_max = 30'000'000}},
      .servers = {figure("pollux", 0)}};
  idle.servers[0].memory_bytes = 30'000'001;
  report = report_of(idle);
  judge(report);
  EXPECT_EQ(report.cells.front().outcome, AskedOutcome::not_met);
  EXPECT_THAT(report.cells.front().asked_words, HasSubstr("under 30.0 MB: NOT met"));
}

TEST(GroupwareReportTest, WhatIsAskedForTenThousandEventsIsOpenWithFewer) {
  auto cell = put_cell({figure("pollux", 4'000'000), figure("radicale", 100), figure("xandikos", 100)});
  cell.plan.asked.events = 10'000;
  auto report = report_of(cell);
  report.events = 1000;
  judge(report);
  EXPECT_EQ(report.cells.front().outcome, AskedOutcome::open);
}

TEST(GroupwareReportTest, TwoPartsThatDifferByMoreThanAQuarterAreNoisy) {
  auto one = figure("nginx", 10'000);
  one.parts_milli = {10'000, 12'500};
  judge_parts(one);
  EXPECT_EQ(one.verdict, Verdict::ok);
  one.parts_milli = {12'501, 10'000};
  judge_parts(one);
  EXPECT_EQ(one.verdict, Verdict::noisy);
  EXPECT_THAT(one.reason, HasSubstr("measured twice, it answered 12.5 and 10.0 a second"));
}

TEST(GroupwareReportTest, OtherProgramsAndTheHypervisorMakeACellNoisyAndTheRunWithIt) {
  auto cell = put_cell({figure("pollux", 4'000'000)});
  cell.foreign_ppm = 50'001;
  auto report = report_of(cell);
  judge(report);
  EXPECT_EQ(report.cells.front().verdict, Verdict::noisy);
  EXPECT_EQ(report.cells.front().reason, "other programs took 5 % of the CPU time");
  EXPECT_STREQ(report.verdict(), "noisy");

  cell.foreign_ppm = 50'000;
  cell.steal_ppm = 20'001;
  report = report_of(cell);
  judge(report);
  EXPECT_THAT(report.cells.front().reason, HasSubstr("the hypervisor took 2 %"));
}

TEST(GroupwareReportTest, MemoryIsNotNoisyBecauseOthersWork) {
  GroupwareCell idle{.plan = {.kind = CellKind::idle, .name = "idle"}, .servers = {figure("pollux", 0)}};
  idle.foreign_ppm = 900'000;
  auto report = report_of(idle);
  judge(report);
  EXPECT_EQ(report.cells.front().verdict, Verdict::ok);
}

TEST(GroupwareReportTest, ABuildWithSanitizersMakesEveryCellInvalid) {
  auto report = report_of(put_cell({figure("pollux", 4'000'000)}));
  report.host.optimized_build = false;
  judge(report);
  EXPECT_EQ(report.cells.front().verdict, Verdict::invalid);
  EXPECT_STREQ(report.verdict(), "invalid");
}

TEST(GroupwareReportTest, AWrongAnswerOfOursFailsTheRunAndOneOfOthersDoesNot) {
  const auto wrong = [](ServerFigure one) {
    one.failed = true;
    one.verdict = Verdict::invalid;
    one.reason = "answered with 699 bytes, not 700";
    return one;
  };
  auto report = report_of(put_cell({figure("pollux", 1000), wrong(figure("radicale", 1000))}));
  judge(report);
  EXPECT_THAT(report.failed, IsEmpty());
  EXPECT_FALSE(report.cells.front().ratios[0].hundredths);

  report = report_of(put_cell({wrong(figure("pollux", 1000))}));
  judge(report);
  EXPECT_THAT(report.failed, Contains(HasSubstr("answered with 699 bytes, not 700")));
  EXPECT_STREQ(report.verdict(), "failed");
}

TEST(GroupwareReportTest, AnAcknowledgedItemThatIsNotFoundFailsTheRun) {
  auto report = report_of(put_cell({figure("pollux", 1000)}));
  report.stored = 1000;
  report.found = 999;
  judge(report);
  EXPECT_THAT(report.failed,
              Contains("1,000 new items were acknowledged, and 999 of them are there at the end"));
}

TEST(GroupwareReportTest, SmallRatesKeepTheirDigits) {
  EXPECT_EQ(rate_text(12'345'678), "12,345");
  EXPECT_EQ(rate_text(12'345), "12.3");
  EXPECT_EQ(rate_text(1'234), "1.23");
  EXPECT_EQ(rate_text(45), "0.045");
  EXPECT_EQ(rate_text(0), "0.000");
}

TEST(GroupwareReportTest, EachServerOfEachCellIsACellOfTheResultAndTheEndIsOne) {
  auto report =
      report_of(put_cell({figure("pollux", 4'000'000), figure("radicale", 100'000), absent("xandikos")}));
  report.stored = report.found = 7;
  judge(report);
  const auto cells = cells_of(report);
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_EQ(cells[0].name(), "groupware operation=PUT of a new item connections=10 server=pollux");
  ASSERT_NE(cells[0].figure("answers"), nullptr);
  EXPECT_EQ(cells[0].figure("answers")->runs, (std::vector<std::int64_t>{4'000'000, 4'000'000}));
  EXPECT_EQ(cells[0].figure("answer p50")->value(), 100'000) << "its own percentile, where there are no samples";
  EXPECT_EQ(cells[0].verdict, Verdict::ok);
  EXPECT_EQ(cells[2].verdict, Verdict::not_available);
  EXPECT_THAT(cells[2].figures, IsEmpty());
  EXPECT_EQ(cells[3].figure("found again")->value(), 7);
  EXPECT_FALSE(cells[3].failed);
}

TEST(GroupwareReportTest, WhatIsNotFoundAgainFailsTheCellOfTheEndAndAnothersWrongAnswerFailsNothing) {
  auto wrong = figure("radicale", 100'000);
  wrong.verdict = Verdict::invalid;
  wrong.failed = true;
  wrong.reason = "a wrong answer";
  auto report = report_of(put_cell({figure("pollux", 4'000'000), wrong}));
  report.stored = 7;
  report.found = 6;
  judge(report);
  const auto cells = cells_of(report);
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_FALSE(cells[1].failed);
  EXPECT_EQ(cells[1].verdict, Verdict::invalid);
  EXPECT_TRUE(cells[2].failed);
  EXPECT_THAT(cells[2].reasons, Contains(HasSubstr("7 new items were acknowledged, and 6 found again")));
}

TEST(GroupwareRunTest, AnotherServerThatDoesNotAnswerIsEndedAndNoFailure) {
  RunningServer running;
  auto process =
      ChildProcess::start({.argv = {"/bin/sleep", "600"}, .environment = {}, .input = {}, .output = {}});
  ASSERT_TRUE(process) << process.error().text;
  running.process = std::move(*process);
  Lane lane{.name = "radicale"};
  lane.server = &running.server;
  lane.running = &running;
  ServerFigure one{.server = "radicale"};
  fail_with(lane, one, {Code::invalid_argument, "a wrong answer"});
  EXPECT_TRUE(running.process->running()) << "a wrong answer is no reason to end it";
  EXPECT_EQ(one.verdict, Verdict::invalid);

  fail_with(lane, one, {Code::unreachable, "it does not answer"});
  EXPECT_FALSE(running.process->running());
  EXPECT_EQ(one.verdict, Verdict::not_available);
  EXPECT_FALSE(one.failed);
  EXPECT_EQ(lane.server, nullptr);
  EXPECT_THAT(lane.not_available, HasSubstr("did not answer"));
}

TEST(GroupwareRunTest, OursThatDoesNotAnswerFails) {
  Lane lane{.name = "pollux"};
  ServerFigure one{.server = "pollux"};
  fail_with(lane, one, {Code::unreachable, "it does not answer"});
  EXPECT_TRUE(one.failed);
  EXPECT_EQ(one.verdict, Verdict::invalid);
}

TEST(GroupwarePlanTest, EachKindHasItsCellsForEachNumberOfConnections) {
  BenchGroupwareOptions options;
  options.connections = {1, 10};
  const auto cells = plan_cells(options);
  std::vector<std::string> names;
  names.reserve(cells.size());
  for (const auto& cell : cells) names.push_back(cell.name + "/" + std::to_string(cell.connections));
  for (const char* name :
       {"GET 700 B/1", "GET 700 B/10", "GET 1.5 KB/1", "GET 4 KB/10", "GET 12 KB/1",
        "GET 700 B by wrk -t2/64", "GET 700 B by ab -k/100", "PUT of a new item/10",
        "PUT of a changed item/1", "PROPFIND of 100 items/1", "multiget of 20/10", "multiget of 100/1",
        "calendar-query of a month/10", "sync-collection after one change/1",
        "gateway with idle connections, fresh/1000"}) {
    EXPECT_THAT(names, Contains(name));
  }
  options.kinds = {"put"};
  for (const auto& cell : plan_cells(options)) {
    EXPECT_THAT(cell.kind, AnyOf(CellKind::put_new, CellKind::put_changed));
    EXPECT_THAT(cell.asked.of, Not(Contains("nginx")));
  }
}

}  // namespace
}  // namespace pollux
