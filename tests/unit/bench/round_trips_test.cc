#include "ipc/round_trips.h"

#include <gtest/gtest.h>

#include <thread>

namespace pollux {

namespace {

const auto always = [](std::uint64_t) { return true; };
const auto no_problem = [] { return std::string("none"); };

TEST(RoundTripsTest, WarmUpIsNotCounted) {
  std::uint64_t calls = 0;
  const auto trips =
      run_round_trips({.messages = 100}, [&](std::uint64_t) { return ++calls > 0; }, always, no_problem);
  EXPECT_EQ(trips.times.count(), 100u);
  EXPECT_EQ(calls, 100u + warm_up_of(100));
}

TEST(RoundTripsTest, EndsAtItsTimeLimitWithWhatItHas) {
  const auto trips = run_round_trips({.messages = 1'000'000'000, .limit = std::chrono::milliseconds(50)},
                                     always, always, no_problem);
  EXPECT_GT(trips.times.count(), 0u);
  EXPECT_LT(trips.times.count(), 1'000'000'000u);
  EXPECT_EQ(trips.problem, "");
}

TEST(RoundTripsTest, WhatDidNotComeBackIsCountedAsAtLeastThatLong) {
  const auto warm_up = warm_up_of(10);
  const auto trip = [&](std::uint64_t n) {
    if (n < warm_up + 5) return true;
    std::this_thread::sleep_until(std::chrono::steady_clock::now() + std::chrono::milliseconds(20));
    return false;
  };
  const auto trips = run_round_trips({.messages = 10}, trip, always, [] { return std::string("cut off"); });
  EXPECT_EQ(trips.times.count(), 6u);
  EXPECT_EQ(trips.times.censored(), 1u);
  EXPECT_GE(trips.times.largest_ns(), 20'000'000);
  const auto run = cell_run_of(trips, {.messages = 10});
  ASSERT_EQ(run.invalid.size(), 1u);
  EXPECT_EQ(run.invalid.front(), "cut off");
}

TEST(RoundTripsTest, AtARateEachIsTimedFromWhenItWasDue) {
  // One round trip stands still for 100 ms; at 1,000 a second a hundred are due meanwhile, and each of them
  // waits.
  const auto warm_up = warm_up_of(300);
  const auto trip = [&](std::uint64_t n) {
    if (n == warm_up + 100) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return true;
  };
  const auto trips = run_round_trips({.messages = 300, .limit = std::chrono::seconds(20), .rate = 1000}, trip,
                                     always, no_problem);
  std::uint64_t waited = 0;
  for (const auto& [bucket, samples] : trips.times.filled()) {
    if (Histogram::value_of_bucket(bucket) >= 50'000'000) waited += samples;
  }
  EXPECT_GE(waited, 45u);
  EXPECT_GE(trips.late, 45u);
}

TEST(RoundTripsTest, WrongAnswersFailTheCell) {
  const auto warm_up = warm_up_of(10);
  const auto trips = run_round_trips(
      {.messages = 10}, always, [&](std::uint64_t n) { return n != warm_up + 3; }, no_problem);
  EXPECT_EQ(trips.wrong, 1u);
  const auto run = cell_run_of(trips, {.messages = 10});
  ASSERT_EQ(run.wrong.size(), 1u);
  EXPECT_EQ(run.wrong.front(), "1 answer came back with other bytes than were sent");
}

}  // namespace

}  // namespace pollux
