// A requester follows the primary: lost answers, takeovers, restarts.
#include <atomic>
#include <set>

#include "requester_fixture.h"

namespace pollux::testing {
namespace {

TEST_F(RequesterTest, SendsALostAnswersRequestAgainWithTheSameSyncId) {
  start_pair();
  int lost = 0;
  a_->override_with(
      [&](const FakeMember::Received& received) -> std::optional<std::optional<RequesterReply>> {
        if (!std::holds_alternative<Request>(received.message.body) || lost++ > 0) return std::nullopt;
        static_cast<void>(a_->answer_normally(received));  // executed, but the answer is lost
        return std::optional<RequesterReply>();
      });
  open({.retry_after = 30ms});
  const CallResult result = requester_->call("one");
  ASSERT_TRUE(result.has_value()) << result.error().text;
  EXPECT_GE(result->attempts, 2u);
  const auto requests = a_->requests();
  ASSERT_GE(requests.size(), 2u);
  EXPECT_EQ(requests[0].sync, requests[1].sync);
  EXPECT_EQ(state_->times_executed("one"), 1);
  EXPECT_GE(requester_->counters().retries, 1u);
}

TEST_F(RequesterTest, ResendsEverythingInOrderWhenANewPrimaryServes) {
  start_pair();
  a_->override_with(
      [&](const FakeMember::Received& received) -> std::optional<std::optional<RequesterReply>> {
        if (std::holds_alternative<Request>(received.message.body)) return std::optional<RequesterReply>();
        return std::nullopt;
      });
  open({.retry_after = 60s});
  Results results;
  for (int i = 0; i < 50; ++i) requester_->call_async(std::to_string(i), results.take());
  ASSERT_TRUE(a_->wait_for([](const auto& received) { return count_requests(received) == 50; }));
  wait_until_known();
  EXPECT_EQ(results.size(), 0u);
  b_->serve(Epoch{2});
  for (const CallResult& result : results.wait(50)) ASSERT_TRUE(result.has_value()) << result.error().text;
  const auto requests = b_->requests();
  ASSERT_EQ(requests.size(), 50u);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(requests[i].sync.seq, i + 1);
    EXPECT_EQ(requests[i].payload, std::to_string(i));
  }
  EXPECT_EQ(requester_->counters().takeovers_followed, 1u);
}

TEST_F(RequesterTest, FollowsThePrimaryThatIsNotTheOneItAskedFirst) {
  start_pair();
  open();
  ASSERT_TRUE(requester_->call("one").has_value());
  // A switchover whose news got lost: a says `not_primary`.
  b_->override_with([&](const FakeMember::Received&) { return std::nullopt; });
  a_->retire(Epoch{2}, b_->run());
  b_->retire(Epoch{2}, b_->run());
  // b serves, but nobody is told: only a hello finds out.
  b_->override_with(
      [&](const FakeMember::Received& received) -> std::optional<std::optional<RequesterReply>> {
        auto answer = std::holds_alternative<RequesterHello>(received.message.body)
                          ? std::optional(b_->reply(received, Code::ok))
                          : std::optional(b_->reply(received, Code::ok, "from b"));
        answer->serving = true;
        return std::optional<std::optional<RequesterReply>>(answer);
      });
  const CallResult result = requester_->call("two");
  ASSERT_TRUE(result.has_value()) << result.error().text;
  EXPECT_EQ(result->payload, "from b");
}

TEST_F(RequesterTest, IgnoresNewsOfAnOlderEpoch) {
  start_pair();
  a_->serve(Epoch{5});
  open();
  ASSERT_TRUE(requester_->call("one").has_value());
  wait_until_known();
  RequesterReply old{.epoch = Epoch{4}, .primary = b_->run(), .serving = true};
  b_->send_raw(encode(old));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(requester_->call("more").has_value());
  EXPECT_TRUE(b_->requests().empty());
}

TEST_F(RequesterTest, BelievesAnOlderEpochOnceThePairWasFoundedAnew) {
  start_pair();
  a_->serve(Epoch{5});
  open({.epoch_memory = 50ms});
  ASSERT_TRUE(requester_->call("one").has_value());
  a_.reset();
  state_->expire_sessions();
  b_->serve(Epoch{1});
  const CallResult result = requester_->call("two");
  ASSERT_TRUE(result.has_value()) << result.error().text;
}

TEST_F(RequesterTest, ASilentPrimaryIsAskedAgainAndSoIsTheOther) {
  start_pair();
  a_->override_with(
      [&](const FakeMember::Received& received) -> std::optional<std::optional<RequesterReply>> {
        if (std::holds_alternative<Query>(received.message.body)) return std::optional<RequesterReply>();
        return std::nullopt;
      });
  open({.retry_after = 20ms, .retry_after_max = 40ms});
  Results results;
  requester_->query_async("q", results.take());
  const auto queries = [](const auto& received) {
    return std::count_if(received.begin(), received.end(),
                         [](const auto& each) { return std::holds_alternative<Query>(each.message.body); });
  };
  EXPECT_TRUE(a_->wait_for([&](const auto& received) { return queries(received) >= 3; }));
  EXPECT_TRUE(b_->wait_for([&](const auto& received) { return queries(received) >= 1; }));
}

TEST_F(RequesterTest, GoesOnWithAMemberThatRestartedAtItsEndpoint) {
  start_pair();
  open({.retry_after = 60s});
  ASSERT_TRUE(requester_->call("one").has_value());
  a_.reset();
  Results results;
  for (int i = 0; i < 20; ++i) requester_->call_async(std::to_string(i), results.take());
  start_a(3);
  a_->serve(Epoch{2});
  for (const CallResult& result : results.wait(20)) EXPECT_TRUE(result.has_value()) << result.error().text;
}

TEST_F(RequesterTest, TenThousandCallsAcrossARestartAreExecutedOnceEach) {
  start_pair();
  open({.deadline = 60s, .retry_after = 100ms});
  constexpr std::size_t calls = 10000;
  constexpr std::size_t at_once = 256;
  Results results;
  std::atomic<std::size_t> next{0};
  std::function<void()> start_one = [&] {
    const std::size_t number = next++;
    if (number >= calls) return;
    requester_->call_async(std::to_string(number), [&](CallResult result) {
      results.take()(std::move(result));
      start_one();
    });
  };
  for (std::size_t i = 0; i < at_once; ++i) start_one();
  results.wait(calls / 4);
  a_.reset();
  start_a(3);
  a_->serve(Epoch{2});
  results.wait(calls / 2);
  a_.reset();
  b_->serve(Epoch{3});
  const auto done = results.wait(calls);
  requester_.reset();  // its thread may still be in the last call's done, which uses what is above
  std::set<std::string> replies;
  for (const CallResult& result : done) {
    ASSERT_TRUE(result.has_value()) << result.error().text;
    EXPECT_TRUE(replies.insert(result->payload).second) << result->payload;
  }
  EXPECT_EQ(replies.size(), calls);
  const std::lock_guard lock(state_->mutex);
  for (const auto& [payload, executions] : state_->executions) ASSERT_EQ(executions, 1) << payload;
}

}  // namespace
}  // namespace pollux::testing
