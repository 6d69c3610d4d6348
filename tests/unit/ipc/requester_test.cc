// What a requester is for: calls, queries, its own limits, its end.
#include "requester_fixture.h"

namespace pollux::testing {
namespace {

TEST_F(RequesterTest, CallsThePrimary) {
  start_pair();
  open();
  const CallResult first = requester_->call("one");
  ASSERT_TRUE(first.has_value()) << first.error().text;
  EXPECT_EQ(first->payload, "done one");
  EXPECT_EQ(first->sync.seq, 1u);
  EXPECT_EQ(first->attempts, 1u);
  const CallResult second = requester_->call("two");
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->sync.seq, 2u);
  EXPECT_EQ(a_->requests().back().ack_below, 2u) << "the pair may forget the first reply";
  EXPECT_TRUE(b_->requests().empty());
}

TEST_F(RequesterTest, SendsClusterPairAndTheRemainingDeadline) {
  start_pair();
  open();
  ASSERT_TRUE(requester_->call("x", 5s, 77).has_value());
  const Request request = a_->requests().at(0);
  EXPECT_EQ(request.trace, 77u);
  EXPECT_LE(request.deadline, Duration(5s));
  EXPECT_GT(request.deadline, Duration(1s));
  EXPECT_TRUE(a_->wait_for([](const auto& received) {
    return received.back().message.cluster == ClusterId{{1}} && received.back().message.pair == "ledger";
  }));
}

TEST_F(RequesterTest, QueriesNeedNoSession) {
  start_pair();
  open();
  const CallResult result = requester_->query("balance");
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->payload, "read balance");
  EXPECT_EQ(state_->sessions_opened(), 0u);
}

TEST_F(RequesterTest, CallsMadeByACallDoneAreServed) {
  start_pair();
  open();
  Results results;
  int left = 100;
  std::function<void(CallResult)> again = [&](CallResult result) {
    ASSERT_TRUE(result.has_value());
    if (--left == 0) return results.take()(std::move(result));
    requester_->call_async("again", again);
  };
  requester_->call_async("first", again);
  EXPECT_TRUE(results.wait(1).at(0).has_value());
  EXPECT_EQ(state_->times_executed("again"), 99);
}

TEST_F(RequesterTest, AnswersBusyBeyondItsOwnLimit) {
  start_pair();
  a_->override_with(
      [&](const FakeMember::Received& received) -> std::optional<std::optional<RequesterReply>> {
        if (std::holds_alternative<Query>(received.message.body)) return std::optional<RequesterReply>();
        return std::nullopt;
      });
  open({.outstanding_max = 3});
  Results results;
  for (int i = 0; i < 4; ++i) requester_->query_async("q", results.take());
  const CallResult result = results.wait(1).at(0);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Code::busy);
  EXPECT_THAT(result.error().text, ::testing::HasSubstr("outstanding_max"));
}

TEST_F(RequesterTest, RefusesAPayloadAboveItsLimit) {
  start_pair();
  open({.payload_bytes_max = 10});
  const CallResult result = requester_->call("01234567890");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Code::too_large);
  EXPECT_TRUE(requester_->call("0123456789").has_value());
}

TEST_F(RequesterTest, IsNotDisturbedByGarbage) {
  start_pair();
  open();
  ASSERT_TRUE(requester_->call("one").has_value());
  a_->send_raw("garbage");
  a_->send_raw("");
  std::string other_version = encode(RequesterReply{});
  other_version[4] = 9;
  a_->send_raw(other_version);
  const auto until = std::chrono::steady_clock::now() + 20s;
  while (requester_->counters().malformed < 3 && std::chrono::steady_clock::now() < until) {
    ASSERT_TRUE(requester_->call("more").has_value());
  }
  EXPECT_EQ(requester_->counters().malformed, 3u);
  EXPECT_TRUE(requester_->call("last").has_value());
}

TEST_F(RequesterTest, EndsOutstandingCallsWhenItIsClosed) {
  start_pair();
  a_->override_with(
      [&](const FakeMember::Received& received) -> std::optional<std::optional<RequesterReply>> {
        if (std::holds_alternative<Request>(received.message.body)) return std::optional<RequesterReply>();
        return std::nullopt;
      });
  open();
  Results results;
  for (int i = 0; i < 10; ++i) requester_->call_async("one", results.take());
  ASSERT_TRUE(a_->wait_for([](const auto& received) { return count_requests(received) == 10; }));
  requester_.reset();
  for (const CallResult& result : results.wait(10)) {
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, Code::stopping);
    EXPECT_NE(result.error().sync.seq, 0u);
  }
}

TEST(RequesterOpen, RefusesWhatIsNoEndpoint) {
  for (const std::string endpoint :
       {"", "here", "http://localhost:1", "tcp://localhost", "tcp://:5", "tcp://h:99999"}) {
    const auto opened = Requester::open({ClusterId{{1}}, "ledger", {endpoint}});
    ASSERT_FALSE(opened.has_value()) << endpoint;
    EXPECT_EQ(opened.error().code, Code::bad_config);
  }
  const auto nowhere = Requester::open({ClusterId{{1}}, "ledger", {}});
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_EQ(nowhere.error().code, Code::bad_config);
}

}  // namespace
}  // namespace pollux::testing
