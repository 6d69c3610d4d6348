#include "pollux/bench/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace pollux {
namespace {

using std::chrono::milliseconds;

// Answers calls on a thread of its own, in order, as it is told to.
class FakePair {
 public:
  FakePair() : thread_([this] { run(); }) {}
  ~FakePair() {
    {
      const std::scoped_lock lock(mutex_);
      stopped_ = held_ = false;
      stopped_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  LoadTarget target() {
    return {.send =
                [this](std::string payload, CallDone done) {
                  const std::scoped_lock lock(mutex_);
                  calls_.emplace_back(std::move(payload), std::move(done));
                  largest_queue_ = std::max(largest_queue_, calls_.size());
                  changed_.notify_all();
                },
            .payload = [](std::uint64_t n) { return std::to_string(n); }};
  }
  void hold(bool held) {
    const std::scoped_lock lock(mutex_);
    held_ = held;
    changed_.notify_all();
  }
  /// The n-th call (from 0) and those after get this answer.
  std::function<CallResult(const std::string& payload)> answer = [](const std::string& payload) {
    return CallResult(CallReply{.payload = payload});
  };
  std::size_t largest_queue() {
    const std::scoped_lock lock(mutex_);
    return largest_queue_;
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return (!calls_.empty() && !held_) || stopped_; });
      if (stopped_) return;
      auto [payload, done] = std::move(calls_.front());
      calls_.pop_front();
      lock.unlock();
      done(answer(payload));
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<std::string, CallDone>> calls_;
  std::size_t largest_queue_ = 0;
  bool held_ = false, stopped_ = false;
  std::thread thread_;
};

TEST(ClosedLoad, KeepsNoMoreThanTheGivenNumberOutstanding) {
  FakePair pair;
  const auto result = run_closed_load(
      pair.target(), {.outstanding = 16, .warm_up = milliseconds(0), .duration = milliseconds(50)});
  EXPECT_GT(result.counts.answered, 16u);
  EXPECT_LE(pair.largest_queue(), 16u);
  EXPECT_TRUE(result.drained);
  EXPECT_LE(result.latency.count(), result.counts.answered);
  EXPECT_EQ(result.latency.count(), result.measured_answers);
  EXPECT_GT(result.per_second(), 0u);
}

TEST(ClosedLoad, SendsExactlyAsManyRequestsAsItIsAskedTo) {
  FakePair pair;
  const auto result = run_closed_load(
      pair.target(), {.outstanding = 64, .duration = std::chrono::minutes(1), .requests_max = 1000});
  EXPECT_EQ(result.counts.answered, 1000u);
  EXPECT_TRUE(result.drained);
}

TEST(ClosedLoad, SendsABusyRequestAgainAndCountsIt) {
  FakePair pair;
  std::vector<std::string> answered;
  pair.answer = [&answered, refused = false](const std::string& payload) mutable -> CallResult {
    if (payload == "3" && !std::exchange(refused, true)) {
      return std::unexpected(CallError{.code = Code::busy, .text = "come back"});
    }
    answered.push_back(payload);
    return CallReply{.payload = payload};
  };
  const auto result = run_closed_load(
      pair.target(), {.outstanding = 1, .duration = std::chrono::minutes(1), .requests_max = 10});
  EXPECT_EQ(result.counts.busy, 1u);
  EXPECT_EQ(result.counts.answered, 10u);
  EXPECT_THAT(answered, ::testing::UnorderedElementsAre("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"));
  EXPECT_TRUE(result.counts.first_error.empty());
}

TEST(ClosedLoad, TellsTheFirstErrorAndRemembersWhatIsInDoubt) {
  FakePair pair;
  pair.answer = [](const std::string& payload) -> CallResult {
    if (payload == "1")
      return std::unexpected(CallError{.code = Code::in_doubt, .text = "", .sync = {.seq = 7}});
    if (payload == "2") return CallReply{.code = Code::insufficient, .payload = "not enough"};
    return CallReply{.payload = payload};
  };
  const auto result = run_closed_load(
      pair.target(), {.outstanding = 1, .duration = std::chrono::minutes(1), .requests_max = 5});
  EXPECT_EQ(result.counts.in_doubt, 1u);
  ASSERT_EQ(result.counts.doubts.size(), 1u);
  EXPECT_EQ(result.counts.doubts.front().seq, 7u);
  EXPECT_EQ(result.counts.refused, 1u);
  EXPECT_EQ(result.counts.first_error, "insufficient: not enough");
}

TEST(ClosedLoad, EndsEarlyWhenStoppedAndSaysWhenAnswersAreMissing) {
  FakePair pair;
  pair.hold(true);
  const std::atomic<bool> stop = true;
  const auto result = run_closed_load(pair.target(), {.outstanding = 2,
                                                      .duration = std::chrono::minutes(1),
                                                      .drain_limit = milliseconds(20),
                                                      .stop = &stop});
  EXPECT_FALSE(result.drained);
  EXPECT_EQ(result.measured_answers, 0u);
}

// The point of open load: a pair that stalls is charged for every request that was due meanwhile.
TEST(OpenLoad, TimesEachRequestFromTheMomentItWasDue) {
  FakePair pair;
  OpenLoad load(pair.target(), 1000);
  pair.hold(true);
  const auto from = monotonic_ns();
  while (load.longest_wait_ns(from, monotonic_ns()) < 50'000'000) std::this_thread::yield();
  pair.hold(false);
  EXPECT_TRUE(load.stop());
  const auto latency = load.latency();
  EXPECT_EQ(latency.count(), load.counts().answered);
  EXPECT_GE(latency.largest_ns(), 50'000'000);
  // Requests were due all along the stall: there are many of all lengths, not one long one.
  EXPECT_GE(latency.count(), 40u);
  EXPECT_EQ(load.longest_wait_ns(from, monotonic_ns()), latency.largest_ns());
}

TEST(OpenLoad, FindsTheLongestWaitAroundAMoment) {
  FakePair pair;
  OpenLoad load(pair.target(), 1000);
  pair.hold(true);
  const auto from = monotonic_ns();
  while (load.longest_wait_ns(from, monotonic_ns()) < 30'000'000) std::this_thread::yield();
  pair.hold(false);
  EXPECT_TRUE(load.stop());
  EXPECT_GE(load.longest_wait_ns(from, from + 10'000'000), 20'000'000);
  EXPECT_EQ(load.longest_wait_ns(0, 1), 0);
}

}  // namespace
}  // namespace pollux
