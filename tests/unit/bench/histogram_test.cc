#include "pollux/bench/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

namespace pollux {
namespace {

TEST(Histogram, KeepsEveryValueToATenthOfAPercent) {
  for (std::int64_t value = Histogram::min_ns; value < Histogram::max_ns; value += 1 + value / 97) {
    Histogram histogram;
    // Two samples far apart on either side, so that the exact ends don't help the one in the middle.
    histogram.record_ns(Histogram::min_ns);
    histogram.record_ns(value);
    histogram.record_ns(Histogram::max_ns);
    const auto told = histogram.median_ns();
    ASSERT_LE(std::abs(told - value) * 1000, value) << value << " was told as " << told;
  }
}

TEST(Histogram, TellsThePercentilesOfASortedList) {
  std::mt19937_64 random(7);
  std::vector<std::int64_t> values;
  Histogram histogram;
  for (int i = 0; i < 20000; ++i) {
    const auto value = static_cast<std::int64_t>(std::exp2(std::uniform_real_distribution<>(3, 35)(random)));
    values.push_back(value);
    histogram.record_ns(value);
  }
  std::sort(values.begin(), values.end());
  for (const auto percentile : {Percentile{10'000}, p50, p90, p99, p999}) {
    const auto rank = (values.size() * percentile.ppm + 999'999) / 1'000'000;
    const auto exact = values[rank - 1];
    const auto told = histogram.percentile_ns(percentile);
    ASSERT_TRUE(told);
    EXPECT_LE(std::abs(*told - exact) * 1000, exact) << percentile.ppm;
  }
  EXPECT_EQ(histogram.smallest_ns(), values.front());
  EXPECT_EQ(histogram.largest_ns(), values.back());
}

TEST(Histogram, TellsNoPercentileWithTooFewSamplesBehindIt) {
  EXPECT_EQ(Histogram::samples_needed(p50), 20u);
  EXPECT_EQ(Histogram::samples_needed(p99), 1000u);
  EXPECT_EQ(Histogram::samples_needed(p999), 10'000u);
  Histogram histogram;
  EXPECT_FALSE(histogram.percentile_ns(p50));
  for (int i = 0; i < 999; ++i) histogram.record_ns(1000 + i);
  EXPECT_TRUE(histogram.percentile_ns(p50));
  EXPECT_FALSE(histogram.percentile_ns(p99));
  histogram.record_ns(5000);
  EXPECT_TRUE(histogram.percentile_ns(p99));
  EXPECT_FALSE(histogram.percentile_ns(p999));
}

TEST(Histogram, AMedianIsToldOfHoweverFew) {
  Histogram histogram;
  EXPECT_EQ(histogram.median_ns(), 0);
  for (const int ns : {30, 10, 20}) histogram.record_ns(ns);
  EXPECT_EQ(histogram.median_ns(), 20);
}

TEST(Histogram, MergingTwoIsTheSameAsCountingEverythingInOne) {
  std::mt19937_64 random(11);
  Histogram all, one, other;
  for (int i = 0; i < 5000; ++i) {
    const auto value = static_cast<std::int64_t>(random() % 4'000'000'000'000);
    all.record_ns(value);
    (i % 3 == 0 ? one : other).record_ns(value);
  }
  one.merge(other);
  one.merge(Histogram());
  EXPECT_EQ(one.count(), all.count());
  EXPECT_EQ(one.overflow(), all.overflow());
  EXPECT_EQ(one.mean_ns(), all.mean_ns());
  EXPECT_EQ(one.smallest_ns(), all.smallest_ns());
  EXPECT_EQ(one.largest_ns(), all.largest_ns());
  for (const auto percentile : {Percentile{1}, p50, p99, p999}) {
    EXPECT_EQ(one.percentile_ns(percentile), all.percentile_ns(percentile));
  }
}

TEST(Histogram, CountsWhatIsLongerThanAnHourAsAnHourAndSaysSo) {
  Histogram histogram;
  histogram.record(std::chrono::hours(2));
  EXPECT_EQ(histogram.largest_ns(), Histogram::max_ns);
  EXPECT_EQ(histogram.overflow(), 1u);
}

TEST(Histogram, ATimeBelowZeroIsNoSampleAndIsCounted) {
  Histogram histogram;
  histogram.record(std::chrono::nanoseconds(-5));
  histogram.record(std::chrono::nanoseconds(0));
  EXPECT_EQ(histogram.count(), 1u);
  EXPECT_EQ(histogram.smallest_ns(), 1);
  EXPECT_EQ(histogram.anomalies(), 1u);
}

TEST(Histogram, WhatWasGivenUpCountsAsAtLeastSoLong) {
  Histogram histogram, other;
  histogram.record_ns(10);
  other.record_censored_ns(1000);
  histogram.merge(other);
  EXPECT_EQ(histogram.count(), 2u);
  EXPECT_EQ(histogram.censored(), 1u);
  EXPECT_EQ(histogram.largest_ns(), 1000);
}

TEST(Histogram, ComesBackFromWhatAFileKeeps) {
  std::mt19937_64 random(5);
  Histogram times;
  for (int i = 0; i < 20'000; ++i) times.record_ns(static_cast<std::int64_t>(random() % 1'000'000'000));
  times.record_censored_ns(5'000'000'000);
  times.record_ns(-1);
  const Histogram::Kept kept{.filled = times.filled(),
                             .smallest_ns = times.smallest_ns(),
                             .largest_ns = times.largest_ns(),
                             .sum_ns = times.sum_ns(),
                             .overflow = times.overflow(),
                             .censored = times.censored(),
                             .anomalies = times.anomalies()};
  const auto back = Histogram::of(kept);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->count(), times.count());
  EXPECT_EQ(back->filled(), times.filled());
  EXPECT_EQ(back->mean_ns(), times.mean_ns());
  for (const auto percentile : {p50, p99, p999})
    EXPECT_EQ(back->percentile_ns(percentile), times.percentile_ns(percentile));
}

TEST(Histogram, WhatContradictsItselfIsNone) {
  Histogram times;
  for (int i = 0; i < 100; ++i) times.record_ns(1000 + i);
  const Histogram::Kept good{
      .filled = times.filled(), .smallest_ns = 1000, .largest_ns = 1099, .sum_ns = times.sum_ns()};
  ASSERT_TRUE(Histogram::of(good));
  auto kept = good;
  kept.largest_ns = 5000;  // in another bucket than the last
  EXPECT_FALSE(Histogram::of(kept));
  kept = good;
  kept.sum_ns = 1;  // a mean below the smallest
  EXPECT_FALSE(Histogram::of(kept));
  kept = good;
  kept.censored = 101;
  EXPECT_FALSE(Histogram::of(kept));
  kept = good;
  std::swap(kept.filled.front(), kept.filled.back());
  EXPECT_FALSE(Histogram::of(kept));
  kept = good;
  kept.filled.back().first = UINT32_MAX;
  EXPECT_FALSE(Histogram::of(kept));
}

TEST(Histogram, AnEmptyOneTellsNothing) {
  Histogram histogram;
  histogram.record_ns(5);
  histogram.clear();
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.mean_ns(), 0);
  EXPECT_FALSE(histogram.percentile_ns(p50));
}

}  // namespace
}  // namespace pollux
