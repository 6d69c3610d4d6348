#include "pollux/ipc/requester.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>

#include "fake_member.h"
#include "scratch_directory.h"

namespace pollux {
namespace {

using namespace std::chrono_literals;
using testing::FakeMember;
using testing::FakeState;
using testing::ScratchDirectory;

std::size_t count_requests(const std::vector<FakeMember::Received>& received) {
  return static_cast<std::size_t>(std::count_if(received.begin(), received.end(), [](const auto& each) {
    return std::holds_alternative<Request>(each.message.body);
  }));
}

/// Collects the results of async calls. Shared with the calls, which may end after the test's body.
class Results {
 public:
  CallDone take() {
    return [shared = shared_](CallResult result) {
      const std::lock_guard lock(shared->mutex);
      shared->results.push_back(std::move(result));
      shared->changed.notify_all();
    };
  }
  std::vector<CallResult> wait(std::size_t count) {
    std::unique_lock lock(shared_->mutex);
    EXPECT_TRUE(shared_->changed.wait_for(lock, 60s, [&] { return shared_->results.size() >= count; }))
        << shared_->results.size();
    return shared_->results;
  }
  std::size_t size() {
    const std::lock_guard lock(shared_->mutex);
    return shared_->results.size();
  }

 private:
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<CallResult> results;
  };
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

/// A deadline that passes, but not before a busy machine has opened the session and sent the request.
constexpr auto opening = 800ms;

class RequesterTest : public ::testing::Test {
 protected:
  void start_a(std::uint8_t run = 1) {
    a_ = std::make_unique<FakeMember>(directory_.endpoint("a"), state_, run);
  }
  void start_b(std::uint8_t run = 2) {
    b_ = std::make_unique<FakeMember>(directory_.endpoint("b"), state_, run);
  }
  void start_pair() {
    start_a();
    start_b();
    a_->serve(Epoch{1});
    b_->retire(Epoch{1}, a_->run());
  }
  void open(RequesterOptions options = {}) {
    auto opened = Requester::open(
        {ClusterId{{1}}, "ledger", {directory_.endpoint("a"), directory_.endpoint("b")}}, options);
    ASSERT_TRUE(opened.has_value()) << opened.error().text;
    requester_ = std::move(*opened);
  }
  /// Both members know the requester, so that news reach it.
  void wait_until_known() {
    for (FakeMember* member : {a_.get(), b_.get()}) {
      ASSERT_TRUE(member->wait_for([](const auto& received) { return !received.empty(); }));
    }
  }

  ScratchDirectory directory_;
  std::shared_ptr<FakeState> state_ = std::make_shared<FakeState>();
  std::unique_ptr<FakeMember> a_, b_;
  std::unique_ptr<Requester> requester_;
};

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

TEST_F(RequesterTest, ClosesItsSession) {
  start_pair();
  open();
  ASSERT_TRUE(requester_->call("one").has_value());
  requester_.reset();
  EXPECT_TRUE(a_->wait_for([](const auto& received) {
    return std::holds_alternative<CloseSession>(received.back().message.body);
  }));
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

TEST(StaticDirectory, FindsPairsAndNamesTheOnesItKnows) {
  const auto directory =
      make_static_directory({{ClusterId{{1}}, "ledger", {"ipc:///a"}}, {ClusterId{{1}}, "notes", {}}});
  EXPECT_EQ(directory->find("ledger").value().endpoints.at(0), "ipc:///a");
  const auto unknown = directory->find("legder");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code, Code::unknown_pair);
  EXPECT_EQ(unknown.error().text, "no pair is named 'legder'; there is 'ledger', 'notes'");
}

}  // namespace
}  // namespace pollux
