#include "run/plan.h"

#include <gtest/gtest.h>

#include "run/interrupt.h"

namespace pollux {

namespace {

PlannedCell cell(std::string name, std::function<Result<CellRun>()> run) {
  return {
      .bench = "test", .workload = {{"what", std::move(name)}}, .not_available = {}, .run = std::move(run)};
}

CellRun number(std::int64_t value) {
  CellRun run;
  run.figures.push_back(number_figure("number", Unit::count, Better::more, value));
  return run;
}

std::vector<Cell> measure(const std::vector<CellGroup>& groups, unsigned runs = 3) {
  Progress progress;
  return run_plan(groups, {.runs = runs, .others_disturb = false}, progress);
}

TEST(PlanTest, MeasuresInRoundsSoThatAChangeOfTheHostHitsAllCells) {
  std::string order;
  CellGroup group{.name = "g", .cells = {}};
  for (const char* const name : {"a", "b"}) {
    group.cells.push_back(cell(name, [&order, name]() -> Result<CellRun> {
      order += name;
      return number(1);
    }));
  }
  const auto cells = measure({group});
  EXPECT_EQ(order, "ababab");
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[0].runs, 3u);
  EXPECT_EQ(cells[0].figures.front().runs.size(), 3u);
  EXPECT_EQ(cells[0].verdict, Verdict::ok);
}

TEST(PlanTest, AnErrorOfOneCellLeavesTheOthersMeasured) {
  CellGroup group{.name = "g", .cells = {}};
  group.cells.push_back(
      cell("bad", []() -> Result<CellRun> { return fail(Code::io_error, "no such disk"); }));
  group.cells.push_back(cell("good", []() -> Result<CellRun> { return number(1); }));
  const auto cells = measure({group});
  EXPECT_EQ(cells[0].verdict, Verdict::invalid);
  EXPECT_EQ(cells[0].reasons, std::vector<std::string>{"no such disk"});
  EXPECT_FALSE(cells[0].failed);
  EXPECT_EQ(cells[1].verdict, Verdict::ok);
}

TEST(PlanTest, WhatCantBeOpenedMakesItsGroupInvalidAndNoOther) {
  CellGroup shut{.name = "shut",
                 .cells = {cell("a", []() -> Result<CellRun> { return number(1); })},
                 .open = []() -> Result<void> { return fail(Code::unreachable, "no pair"); }};
  CellGroup other{.name = "other", .cells = {cell("b", []() -> Result<CellRun> { return number(1); })}};
  const auto cells = measure({shut, other});
  EXPECT_EQ(cells[0].verdict, Verdict::invalid);
  EXPECT_EQ(cells[0].reasons, std::vector<std::string>{"no pair"});
  EXPECT_EQ(cells[1].verdict, Verdict::ok);
}

TEST(PlanTest, WhatIsFoundWrongAtTheEndFailsTheGroup) {
  CellGroup group{.name = "g",
                  .cells = {cell("a", []() -> Result<CellRun> { return number(1); })},
                  .close = [] { return std::vector<std::string>{"the trails differ"}; }};
  const auto cells = measure({group});
  EXPECT_TRUE(cells[0].failed);
  EXPECT_EQ(cells[0].verdict, Verdict::invalid);
  EXPECT_EQ(cells[0].reasons, std::vector<std::string>{"the trails differ"});
}

TEST(PlanTest, RunsThatDifferMakeACellNoisy) {
  int turn = 0;
  CellGroup group{
      .name = "g",
      .cells = {cell("a", [&turn]() -> Result<CellRun> { return number(++turn == 2 ? 200 : 100); })}};
  const auto cells = measure({group});
  EXPECT_EQ(cells[0].verdict, Verdict::noisy);
  EXPECT_EQ(cells[0].reasons, std::vector<std::string>{"its runs differ by 100 % of their median"});
}

TEST(PlanTest, WhatIsNotAvailableIsNotRunAndSaysWhy) {
  auto missing = cell("a", []() -> Result<CellRun> {
    ADD_FAILURE() << "it was run";
    return number(1);
  });
  missing.not_available = "there is one CPU only";
  const auto cells = measure({{.name = "g", .cells = {missing}}});
  EXPECT_EQ(cells[0].verdict, Verdict::not_available);
  EXPECT_EQ(cells[0].reasons, std::vector<std::string>{"there is one CPU only"});
}

TEST(PlanTest, AnInterruptKeepsWhatWasMeasured) {
  const InterruptGuard guard;
  CellGroup group{.name = "g", .cells = {}};
  group.cells.push_back(cell("a", []() -> Result<CellRun> { return number(1); }));
  group.cells.push_back(cell("b", []() -> Result<CellRun> {
    raise(SIGINT);
    return number(1);
  }));
  group.cells.push_back(cell("c", []() -> Result<CellRun> { return number(1); }));
  const auto cells = measure({group});
  EXPECT_EQ(cells[0].runs, 1u);
  EXPECT_EQ(cells[1].runs, 1u);
  EXPECT_EQ(cells[2].verdict, Verdict::not_available);
  EXPECT_EQ(cells[2].reasons, std::vector<std::string>{"interrupted before it was measured"});
}

TEST(PlanTest, DistributionsOfRunsAreMergedAndTheirMediansKept) {
  int turn = 0;
  CellGroup group{.name = "g", .cells = {cell("a", [&turn]() -> Result<CellRun> {
                                 CellRun run;
                                 Histogram times;
                                 times.record_ns(1000 * ++turn, 2000);
                                 run.figures.push_back(times_figure("round trip", times));
                                 return run;
                               })}};
  const auto cells = measure({group});
  const auto& figure = cells[0].figures.front();
  EXPECT_EQ(figure.times.count(), 6000u);
  EXPECT_EQ(figure.runs, (std::vector<std::int64_t>{1000, 2000, 3000}));
  EXPECT_EQ(figure.runs_p99, (std::vector<std::int64_t>{1000, 2000, 3000}));
  EXPECT_EQ(figure.value(), 2000);
}

}  // namespace

}  // namespace pollux
