#include "run/threshold.h"

#include <gtest/gtest.h>

namespace pollux {

namespace {

BenchResult measured() {
  BenchResult result;
  for (const auto& [bytes, ns] : {std::pair{"64", 5'000}, std::pair{"4096", 9'000}}) {
    Figure figure{.name = "round trip", .unit = Unit::ns};
    for (int i = 0; i < 2000; ++i) figure.times.record_ns(ns);
    figure.times.record_ns(100 * ns, 100);
    figure.runs = {ns};
    Figure rate{.name = "data rate", .unit = Unit::bytes_per_second, .better = Better::more};
    rate.runs = {1'250'000'000};
    result.cells.push_back({.bench = "ipc", .workload = {{"bytes", bytes}}, .figures = {figure, rate}});
  }
  return result;
}

bool met(std::string_view text) {
  const auto threshold = parse_threshold(text);
  EXPECT_TRUE(threshold) << text << ": " << threshold.error().text;
  return check_threshold(*threshold, measured()).met;
}

TEST(ThresholdTest, HoldsForEveryCellOfAMeasurement) {
  EXPECT_TRUE(met("ipc<10us"));
  EXPECT_FALSE(met("ipc<9us"));
  EXPECT_TRUE(met("ipc<=9us"));
  EXPECT_TRUE(met("ipc.p50<0.01ms"));
  EXPECT_FALSE(met("ipc.p99<200us"));
  EXPECT_TRUE(met("ipc.longest<=900us"));
  EXPECT_TRUE(met("ipc.round-trip.p99<1ms"));
}

TEST(ThresholdTest, KnowsRatesInBytesAndBits) {
  EXPECT_TRUE(met("ipc.data rate>=10Gbit/s"));
  EXPECT_FALSE(met("ipc.data rate>10Gbit/s"));
  EXPECT_TRUE(met("ipc.data-rate>=1.25GB/s"));
  EXPECT_TRUE(met("ipc.data-rate>1249.999 MB/s"));
}

TEST(ThresholdTest, NamesTheCellThatMissesIt) {
  const auto outcome = check_threshold(*parse_threshold("ipc<8us"), measured());
  EXPECT_EQ(outcome.text, "threshold ipc<8us: missed: 9.0 us in ipc bytes=4096");
}

TEST(ThresholdTest, WhatWasNotMeasuredIsNotMet) {
  EXPECT_FALSE(met("tcp<1s"));
  EXPECT_FALSE(met("ipc.p999<1s"));       // too few samples for it
  EXPECT_FALSE(met("ipc.data rate<1s"));  // no time
}

TEST(ThresholdTest, AnInvalidCellCantMeetAThreshold) {
  auto result = measured();
  result.cells[0].verdict = Verdict::invalid;
  EXPECT_FALSE(check_threshold(*parse_threshold("ipc<1s"), result).met);
}

TEST(ThresholdTest, RefusesWhatItDoesNotUnderstand) {
  for (const auto* const text : {"", "ipc", "ipc<", "<1s", "ipc<fast", "ipc<1 parsec", "ipc<-1us",
                                 "ipc<1,5us", "a.b.c.d<1s", "ipc<1.1.1us", "ipc<99999999999s", "ipc<1e3us"}) {
    const auto threshold = parse_threshold(text);
    ASSERT_FALSE(threshold) << text;
    EXPECT_TRUE(threshold.error().text.starts_with("--threshold '")) << threshold.error().text;
  }
}

}  // namespace

}  // namespace pollux
