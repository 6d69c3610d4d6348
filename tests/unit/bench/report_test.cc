// The HTML report: well-formed, nothing fetched, and whatever a file says is only text in it.
#include <expat.h>
#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "made_up_result.h"
#include "report/axis.h"
#include "report/charts.h"
#include "report/markup.h"
#include "report/page.h"
#include "report/published.h"

namespace pollux::testing {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string complaint_of_parser(const std::string& page) {
  XML_Parser parser = XML_ParserCreate("UTF-8");
  std::string complaint;
  if (XML_Parse(parser, page.data(), static_cast<int>(page.size()), 1) != XML_STATUS_OK) {
    const auto at = static_cast<std::size_t>(XML_GetCurrentByteIndex(parser));
    complaint = std::string(XML_ErrorString(XML_GetErrorCode(parser))) +
                " at: " + page.substr(at > 80 ? at - 80 : 0, 200);
  }
  XML_ParserFree(parser);
  return complaint;
}

// Round trips by size and place, throughput by size, memory beside published figures.
BenchResult much(std::int64_t factor) {
  BenchResult result = made_up_result({}, factor == 1 ? "none" : "kvm");
  for (const auto* place : {"same-core", "other-core"}) {
    for (const std::int64_t bytes : {64, 4096, 65536}) {
      auto figure = made_up_time({});
      for (int run = 0; run < 5; ++run) {
        Histogram times;
        for (int i = 0; i < 3000; ++i) times.record_ns(factor * (5000 + bytes / 16 + i + run * 7));
        figure.runs.push_back(times.median_ns());
        figure.times.merge(times);
      }
      result.cells.push_back(
          made_up_cell("ipc", {{"transport", "pipe"}, {"bytes", std::to_string(bytes)}, {"place", place}},
                       std::move(figure)));
    }
  }
  result.cells.push_back(
      made_up_cell("memory", {{"numbers", "integer"}, {"threads", "1"}, {"loop", "add"}},
                   made_up_rate({9'000'000'000, 9'100'000'000, 9'050'000'000, 9'060'000'000})));
  auto missing = made_up_cell("disk", {{"file", "raw"}}, made_up_time({}));
  missing.figures.clear();
  missing.verdict = Verdict::not_available;
  missing.reasons = {"no room"};
  result.cells.push_back(missing);
  result.findings = {{"ipc", "knee", "from 4 KiB on"}};
  return result;
}

TEST(ReportTest, IsWellFormedAndHoldsChartsTablesAndTheResult) {
  const auto page = report_page({{"a.json", much(1)}});
  EXPECT_EQ(complaint_of_parser(page), "");
  for (const auto* part :
       {"by percentile", "by size and place", "median and spread", "t4g.small", "from 4 KiB on",
        "not available: ", "id=\"result-A\"", "prefers-color-scheme:dark", "@media print"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
}

TEST(ReportTest, ComparesTwoResultsBesideTheVendorsBand) {
  const auto page = report_page({{"a.json", much(1)}, {"b.json", much(2)}});
  EXPECT_EQ(complaint_of_parser(page), "");
  EXPECT_THAT(page, HasSubstr("Intended factor"));
  EXPECT_THAT(page, HasSubstr("class=\"band\""));
  EXPECT_THAT(page, HasSubstr("x slower"));
}

TEST(ReportTest, NothingIsFetchedAndNothingIsRun) {
  const auto page = report_page({{"a.json", much(1)}});
  for (const auto* never : {"src=", "<link", "@import", "url(", "javascript:", "onload", "<script>"}) {
    EXPECT_THAT(page, Not(HasSubstr(never)));
  }
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(ReportTest, WhatStrangersCallThingsIsOnlyText) {
  const std::string evil = "</script><script>alert(1)</script><!--\"'&\x01\xff\xed\xa0\x80";
  auto result = much(1);
  result.host.facts.push_back({"host.name", evil, evil, FactKind::identity});
  result.arguments = {evil};
  result.version = result.started = evil;
  for (auto& cell : result.cells) {
    cell.bench += evil;
    cell.workload.emplace_back("peer", evil);
    for (auto& figure : cell.figures) figure.name += evil;
  }
  result.findings = {{evil, evil, evil}};
  const auto page = report_page({{evil, result}, {"b", result}});
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("<!--")));
  EXPECT_THAT(page, Not(HasSubstr("\x01")));
}

TEST(ReportTest, TheJsonWithinIsTheResult) {
  auto result = much(1);
  result.host.facts.push_back({"host.name", "</script>&", "", FactKind::identity});
  const auto page = report_page({{"a.json", result}});
  EXPECT_EQ(complaint_of_parser(page), "");
  const std::string begin = "id=\"result-A\">";
  const auto from = page.find(begin) + begin.size();
  const auto json = page.substr(from, page.find("</script>", from) - from);
  const auto read = parse_result(json, "page");
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(json_of(*read), json_of(result));
}

TEST(ReportTest, TakesResultsWithoutCellsAndTheLargestNumbers) {
  EXPECT_EQ(complaint_of_parser(report_page({{"a", made_up_result({})}})), "");
  const auto extreme =
      made_up_result({made_up_cell("x", {{"bytes", "9223372036854775807"}}, made_up_time({INT64_MAX, 1})),
                      made_up_cell("x", {{"bytes", "1"}}, made_up_time({INT64_MIN, 0})),
                      made_up_cell("x", {{"bytes", "0"}}, made_up_time({}))});
  EXPECT_EQ(complaint_of_parser(report_page({{"a", extreme}, {"b", extreme}})), "");
}

TEST(ReportTest, AnAxisHoldsItsValuesBetweenRoundNumbers) {
  LogAxis axis;
  axis.add(1'300);
  axis.add(870'000);
  axis.place(0, 1000);
  EXPECT_GE(axis.at(1'300), 0);
  EXPECT_LT(axis.at(1'300), axis.at(870'000));
  EXPECT_LE(axis.at(870'000), 1000);
  EXPECT_THAT(axis.ticks(), ::testing::ElementsAre(1'000, 10'000, 100'000, 1'000'000));
}

TEST(ReportTest, PublishedFiguresAreInOurUnitsAndTheirFlagsInWords) {
  ASSERT_EQ(all_published().size(), 88u);
  const auto risk = std::ranges::find(all_published(), "risk", &Published::test);
  EXPECT_EQ(risk->value, 667'000);
  EXPECT_EQ(risk->as, Unit::ns);
  for (const auto& one : all_published()) {
    for (const auto& flag : one.flags) EXPECT_NE(flag_in_words(flag), flag) << flag;
  }
}

TEST(ReportTest, ARatioToAPublishedFigureNeedsTheSameWorkload) {
  const Figure rate{.name = "accepted",
                    .unit = Unit::per_second_milli,
                    .better = Better::more,
                    .times = {},
                    .runs = {1000}};
  const auto same =
      published_beside(made_up_cell("ingest", {{"connections", "1000"}, {"batch", "1000"}}, rate), rate);
  ASSERT_EQ(same.size(), 2u);
  EXPECT_TRUE(same[0].same_workload);
  const auto other =
      published_beside(made_up_cell("ingest", {{"connections", "10"}, {"batch", "1000"}}, rate), rate);
  ASSERT_EQ(other.size(), 2u);
  EXPECT_FALSE(other[0].same_workload);
  EXPECT_THAT(other[0].why_no_ratio, HasSubstr("1000 connections"));
  EXPECT_TRUE(published_beside(made_up_cell("tcp", {}, rate), rate).empty());
}

}  // namespace

}  // namespace pollux::testing
