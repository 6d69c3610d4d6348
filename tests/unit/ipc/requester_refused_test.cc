// A pair that is busy, away, or not the one that was meant: what its callers are told, and when.
#include <atomic>

#include "requester_fixture.h"

namespace pollux::testing {
namespace {

TEST_F(RequesterTest, WaitsAsLongAsABusyPairSays) {
  start_pair();
  int refusals = 0;
  a_->override_with(
      [&](const FakeMember::Received& received) -> std::optional<std::optional<RequesterReply>> {
        if (!std::holds_alternative<Request>(received.message.body) || ++refusals > 2) return std::nullopt;
        RequesterReply busy = a_->reply(received, Code::busy, "the queue is full");
        busy.retry_after_ms = 30;
        return std::optional(std::optional(busy));
      });
  open();
  const auto begin = std::chrono::steady_clock::now();
  const CallResult result = requester_->call("one");
  ASSERT_TRUE(result.has_value()) << result.error().text;
  EXPECT_EQ(result->attempts, 3u);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 60ms);
}

TEST_F(RequesterTest, SaysBusyOnlyWhenTheRequestWasCertainlyNotAccepted) {
  start_pair();
  std::atomic<bool> silent_first{false};
  int seen = 0;
  a_->override_with(
      [&](const FakeMember::Received& received) -> std::optional<std::optional<RequesterReply>> {
        if (!std::holds_alternative<Request>(received.message.body)) return std::nullopt;
        if (silent_first && seen++ == 0) return std::optional<RequesterReply>();
        RequesterReply busy = a_->reply(received, Code::busy, "the queue is full");
        busy.retry_after_ms = 10;
        return std::optional(std::optional(busy));
      });
  open({.retry_after = 20ms});
  const CallResult refused = requester_->call("one", opening);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::busy) << refused.error().text;
  EXPECT_GT(refused.error().retry_after_ms, 0u);
  EXPECT_EQ(refused.error().sync, SyncId{});

  silent_first = true;
  const CallResult doubtful = requester_->call("two", opening);
  ASSERT_FALSE(doubtful.has_value());
  EXPECT_EQ(doubtful.error().code, Code::in_doubt) << doubtful.error().text;
}

TEST_F(RequesterTest, WaitsForAPairThatIsNotThereYet) {
  open();
  Results results;
  requester_->call_async("early", results.take());
  start_pair();
  const CallResult result = results.wait(1).at(0);
  ASSERT_TRUE(result.has_value()) << result.error().text;
  EXPECT_EQ(result->payload, "done early");
}

TEST_F(RequesterTest, SaysUnreachableWhenNobodyIsThere) {
  open({.connect_within = 40ms});
  const CallResult result = requester_->call("one");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Code::unreachable);
  EXPECT_THAT(result.error().text, ::testing::HasSubstr(directory_.endpoint("a")));
  EXPECT_EQ(duty(result.error().code), Duty::retry);
  const CallResult query = requester_->query("one", 40ms);
  ASSERT_FALSE(query.has_value());
  EXPECT_EQ(query.error().code, Code::unreachable);
}

TEST_F(RequesterTest, SaysWhichVersionTheMembersSpeak) {
  start_pair();
  for (FakeMember* member : {a_.get(), b_.get()}) {
    member->override_with([](const FakeMember::Received&) {
      const RequesterReply refusal{.code = Code::wrong_version, .payload = "the sender speaks version 1"};
      return std::optional(std::optional(refusal));
    });
  }
  open({.connect_within = 100ms});
  const CallResult result = requester_->call("one");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Code::wrong_version);
  EXPECT_THAT(result.error().text, ::testing::HasSubstr("the sender speaks version 1"));
}

TEST_F(RequesterTest, SaysAtOnceThatItIsAtAnotherClustersMember) {
  start_pair();
  a_->override_with(
      [&](const FakeMember::Received& received) -> std::optional<std::optional<RequesterReply>> {
        if (std::holds_alternative<RequesterHello>(received.message.body)) return std::nullopt;
        return std::optional(std::optional(a_->reply(received, Code::wrong_cluster, "this is cluster 42")));
      });
  open();
  const CallResult result = requester_->call("one");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Code::wrong_cluster);
  EXPECT_THAT(result.error().text, ::testing::HasSubstr("this is cluster 42"));
}

}  // namespace
}  // namespace pollux::testing
