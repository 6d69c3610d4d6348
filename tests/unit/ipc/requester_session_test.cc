// A requester's session: what is in doubt and its outcome, expired sessions, the end of a session.
#include <atomic>

#include "requester_fixture.h"

namespace pollux::testing {
namespace {

TEST_F(RequesterTest, IsInDoubtAfterTheDeadlineAndLearnsTheOutcome) {
  start_pair();
  bool silent = true;
  a_->override_with(
      [&](const FakeMember::Received& received) -> std::optional<std::optional<RequesterReply>> {
        if (!std::holds_alternative<Request>(received.message.body)) return std::nullopt;
        const auto& request = std::get<Request>(received.message.body);
        if (request.payload == "executed") static_cast<void>(a_->answer_normally(received));
        if (silent && request.payload != "later") return std::optional<RequesterReply>();
        return std::nullopt;
      });
  open({.retry_after = 1s});
  const CallResult executed = requester_->call("executed", opening);
  ASSERT_FALSE(executed.has_value());
  EXPECT_EQ(executed.error().code, Code::in_doubt);
  EXPECT_EQ(executed.error().sync.seq, 1u);
  const CallResult lost = requester_->call("lost", opening);
  ASSERT_FALSE(lost.has_value());
  EXPECT_EQ(lost.error().code, Code::in_doubt);

  // Calls in doubt hold back what the pair may forget.
  ASSERT_TRUE(requester_->call("later").has_value());
  EXPECT_EQ(a_->requests().back().ack_below, 1u);

  const CallResult found = requester_->outcome(executed.error().sync);
  ASSERT_TRUE(found.has_value()) << found.error().text;
  EXPECT_EQ(found->payload, "done executed");
  const CallResult tombstone = requester_->outcome(lost.error().sync);
  ASSERT_FALSE(tombstone.has_value());
  EXPECT_EQ(tombstone.error().code, Code::tombstone);

  ASSERT_TRUE(requester_->call("later").has_value());
  EXPECT_EQ(a_->requests().back().ack_below, 4u);
}

TEST_F(RequesterTest, StaysInDoubtWhenNobodyTellsTheOutcome) {
  start_pair();
  a_->override_with(
      [&](const FakeMember::Received& received) -> std::optional<std::optional<RequesterReply>> {
        if (std::holds_alternative<RequesterHello>(received.message.body)) return std::nullopt;
        if (std::holds_alternative<OpenSession>(received.message.body)) return std::nullopt;
        return std::optional<RequesterReply>();
      });
  open();
  const CallResult call = requester_->call("one", opening);
  ASSERT_FALSE(call.has_value());
  const CallResult outcome = requester_->outcome(call.error().sync, 30ms);
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().code, Code::in_doubt);
  EXPECT_EQ(outcome.error().sync, call.error().sync);
}

TEST_F(RequesterTest, GivesUpTheOldestDoubtWhenTheWindowIsFull) {
  start_pair();
  a_->override_with(
      [&](const FakeMember::Received& received) -> std::optional<std::optional<RequesterReply>> {
        const auto* request = std::get_if<Request>(&received.message.body);
        if (request != nullptr && request->payload == "lost") return std::optional<RequesterReply>();
        return std::nullopt;
      });
  open({.retry_after = 1s, .session_window = 4});
  ASSERT_FALSE(requester_->call("lost", opening).has_value());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(requester_->call("more").has_value());
  EXPECT_EQ(a_->requests().back().ack_below, 1u);
  ASSERT_TRUE(requester_->call("more").has_value());
  EXPECT_EQ(a_->requests().back().ack_below, 5u);
}

TEST_F(RequesterTest, OpensANewSessionForWhatWasNeverAccepted) {
  start_pair();
  open();
  ASSERT_TRUE(requester_->call("one").has_value());
  state_->expire_sessions();
  const CallResult result = requester_->call("two");
  ASSERT_TRUE(result.has_value()) << result.error().text;
  EXPECT_EQ(result->sync.seq, 1u) << "the first of a new session";
  EXPECT_EQ(state_->sessions_opened(), 2u);
  EXPECT_EQ(state_->times_executed("two"), 1);
}

TEST_F(RequesterTest, SaysClearlyThatAnExpiredSessionCantTell) {
  start_pair();
  int seen = 0;
  a_->override_with(
      [&](const FakeMember::Received& received) -> std::optional<std::optional<RequesterReply>> {
        if (!std::holds_alternative<Request>(received.message.body)) return std::nullopt;
        if (seen++ == 0) return std::optional<RequesterReply>();  // may have been executed
        return std::optional(std::optional(a_->reply(received, Code::session_expired, "unknown session")));
      });
  open({.retry_after = 20ms});
  const CallResult result = requester_->call("one");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Code::session_expired);
  EXPECT_THAT(result.error().text, ::testing::HasSubstr("may have been executed"));
  EXPECT_EQ(result.error().sync.seq, 1u);
}

TEST_F(RequesterTest, ClosesItsSession) {
  start_pair();
  open();
  ASSERT_TRUE(requester_->call("one").has_value());
  requester_.reset();
  EXPECT_TRUE(a_->wait_for([](const auto& received) {
    return std::holds_alternative<CloseSession>(received.back().message.body);
  }));
}

TEST_F(RequesterTest, ClosesTheSessionThatALateAnswerBrings) {
  start_pair();
  int opens = 0;
  std::atomic<std::uint64_t> first{0};
  a_->override_with(
      [&](const FakeMember::Received& received) -> std::optional<std::optional<RequesterReply>> {
        if (!std::holds_alternative<OpenSession>(received.message.body) || opens++ > 0) return std::nullopt;
        first = received.message.number;
        return std::optional<RequesterReply>();  // late
      });
  open({.retry_after = 20ms});
  ASSERT_TRUE(requester_->call("one").has_value());
  RequesterReply late{.number = first, .epoch = Epoch{1}, .primary = a_->run(), .serving = true};
  late.session = SessionId{{9}};
  a_->send_raw(encode(late));
  EXPECT_TRUE(a_->wait_for([](const auto& received) {
    const auto* close = std::get_if<CloseSession>(&received.back().message.body);
    return close != nullptr && close->session == SessionId{{9}};
  }));
  EXPECT_TRUE(requester_->call("two").has_value()) << "its own session goes on";
}

}  // namespace
}  // namespace pollux::testing
