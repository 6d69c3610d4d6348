// The query threads with a service that answers as its payload says.
#include "queries.h"

#include <gmock/gmock.h>

#include <condition_variable>
#include <mutex>

#include "posted.h"
#include "unit/audit/audit_tools.h"

namespace pollux {
namespace {

using testing::eventually;
using ::testing::HasSubstr;
using testing::Posted;

/// "get KEY", "rows", "throw", "throw a number", "big", "hold".
class ReadingService final : public Service {
 public:
  ServiceReply execute(const ServiceRequest&, WriteTxn&) override { return {}; }
  ServiceReply query(const ServiceRequest& request, ReadTxn& txn) override {
    const std::string payload(request.payload);
    if (payload.starts_with("get ")) return {Code::ok, txn.get(payload.substr(4)).value_or("nothing")};
    if (payload == "rows") {
      std::string rows;
      txn.scan("", "", [&](std::string_view key, std::string_view value) {
        rows += std::string(key) + "=" + std::string(value) + ";";
        return true;
      });
      return {Code::ok, rows};
    }
    if (payload == "throw") throw std::runtime_error("no such thing");
    if (payload == "throw a number") throw 7;
    if (payload == "damaged") throw ServiceStorageError({Code::damaged, "the row \"k\" is damaged"});
    if (payload == "big") return {Code::ok, std::string(1001, 'b')};
    if (payload == "just right") return {Code::ok, std::string(1000, 'b')};
    if (payload == "hold") {
      std::unique_lock lock(mutex_);
      ++held_;
      changed_.notify_all();
      changed_.wait(lock, [this] { return going_on_; });
    }
    return {Code::not_found, payload};
  }
  bool holds(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, testing::patience, [&] { return held_ == count; });
  }
  void go_on() {
    const std::lock_guard lock(mutex_);
    going_on_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int held_ = 0;
  bool going_on_ = false;
};

class QueriesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    tables_ = make_faulty_tables(make_memory_tables(), [this](std::string_view operation) {
      return operation == "view" && views_fail_ ? std::optional(Code::io_error) : std::nullopt;
    });
    state_ = std::make_unique<SharedState>(*tables_);
    queries_.emplace(
        Queries::Parts{service_, *state_, inbox_, counters_, *log_, [this] { return solo_.load(); }},
        Queries::Options{
            .run = RunId{{9}}, .threads = 2, .waiting_max = 3, .reply_bytes_max = 1000, .busy_retry_ms = 33});
    queries_->start();
  }
  void TearDown() override {
    service_.go_on();
    queries_->stop();
  }
  void give(const std::string& payload, std::uint64_t number = 1) {
    queries_->give({.route = Route{77}, .number = number, .trace = 0, .payload = payload, .epoch = {5}});
  }
  RequesterReply ask(const std::string& payload) {
    give(payload);
    return posted_.next<QueryAnswer>().reply;
  }
  void execute(const std::string& key, const std::string& value) {
    state_->add_received(maker_.put(key, value));
  }

  std::atomic<bool> views_fail_{false};
  testing::RecordMaker maker_;
  ReadingService service_;
  std::unique_ptr<Tables> tables_;
  std::unique_ptr<SharedState> state_;
  CoreInbox inbox_;
  Posted posted_{inbox_};
  MemberCounters counters_;
  std::unique_ptr<MemberLog> log_ = MemberLog::open({.directory = {}, .name = "test"}).value();
  std::atomic<bool> solo_{false};
  std::optional<Queries> queries_;
};

TEST_F(QueriesTest, AnAnswerBearsItsQueryNumberEpochRunAndRoute) {
  give("get x", 42);
  const auto answer = posted_.next<QueryAnswer>();
  EXPECT_EQ(answer.route, Route{77});
  EXPECT_EQ(answer.reply.number, 42U);
  EXPECT_EQ(answer.reply.epoch, Epoch{5});
  EXPECT_EQ(answer.reply.primary, RunId{{9}});
  EXPECT_TRUE(answer.reply.serving);
  EXPECT_EQ(answer.reply.code, Code::ok);
  EXPECT_EQ(answer.reply.payload, "nothing");
  EXPECT_EQ(ask("echo").code, Code::not_found) << "the service's own codes are answers";
}

TEST_F(QueriesTest, NobodyReadsWhatIsNotCommitted) {
  execute("x", "first");
  execute("x", "second");
  EXPECT_EQ(ask("get x").payload, "nothing");
  state_->set_committed({1});
  EXPECT_EQ(ask("get x").payload, "first");
  EXPECT_EQ(ask("rows").payload, "x=first;");
  state_->set_committed({2});
  EXPECT_EQ(ask("get x").payload, "second");
}

TEST_F(QueriesTest, WhatAServiceThrowsIsAnAbortWithItsText) {
  EXPECT_EQ(ask("throw").code, Code::aborted);
  EXPECT_EQ(ask("throw").payload, "no such thing");
  EXPECT_EQ(ask("throw a number").code, Code::aborted);
  EXPECT_EQ(ask("echo").payload, "echo") << "the thread goes on";
}

TEST_F(QueriesTest, AMemberThatCantReadARowLeavesItToItsBackup) {
  give("damaged");
  EXPECT_EQ(posted_.next<StorageFailed>().error.code, Code::damaged);
  EXPECT_EQ(ask("echo").payload, "echo") << "and the caller of the damaged row is not answered by this member";
}

TEST_F(QueriesTest, TheLastCopyGoesOnAndSaysWhatItCantRead) {
  solo_ = true;
  const auto reply = ask("damaged");
  EXPECT_EQ(reply.code, Code::aborted);
  EXPECT_THAT(reply.payload, HasSubstr("the row \"k\" is damaged"));
}

TEST_F(QueriesTest, AnAnswerAboveTheLimitIsRefusedByTheLimitsName) {
  EXPECT_EQ(ask("just right").code, Code::ok);
  const auto reply = ask("big");
  EXPECT_EQ(reply.code, Code::too_large);
  EXPECT_THAT(reply.payload, HasSubstr("1001 bytes, more than the 1000 allowed (reply_bytes_max)"));
}

TEST_F(QueriesTest, TablesThatCantBeReadAreToldAndTheNextQueryIsTriedAgain) {
  views_fail_ = true;
  const auto reply = ask("get x");
  EXPECT_EQ(reply.code, Code::aborted);
  EXPECT_THAT(reply.payload, HasSubstr("the state can't be read"));
  views_fail_ = false;
  EXPECT_EQ(ask("get x").code, Code::ok);
}

TEST_F(QueriesTest, SeveralRunAtATimeAndBeyondTheQueuesLimitTheAnswerIsBusyAtOnce) {
  give("hold");
  give("hold");
  ASSERT_TRUE(service_.holds(2)) << "two threads, two queries at a time";
  for (std::uint64_t number = 10; number < 13; ++number) give("echo", number);
  EXPECT_FALSE(posted_.take<QueryAnswer>().has_value());
  give("echo", 13);
  const auto refused = posted_.next<QueryAnswer>().reply;
  EXPECT_EQ(refused.number, 13U);
  EXPECT_EQ(refused.code, Code::busy);
  EXPECT_EQ(refused.retry_after_ms, 33U);
  EXPECT_THAT(refused.payload, HasSubstr("queue_reads_max"));
  EXPECT_EQ(counters_.queries_refused, 1U);
  service_.go_on();
  for (int i = 0; i < 5; ++i) EXPECT_NE(posted_.next<QueryAnswer>().reply.code, Code::busy);
  EXPECT_EQ(counters_.queries, 5U);
}

TEST_F(QueriesTest, StoppingWaitsForWhatRunsAndDropsWhatWaits) {
  give("hold", 1);
  give("hold", 2);
  ASSERT_TRUE(service_.holds(2));
  give("echo", 3);
  std::thread stopper([&] { queries_->stop(); });
  service_.go_on();
  stopper.join();
  std::vector<std::uint64_t> numbers;
  while (const auto answer = posted_.take<QueryAnswer>()) numbers.push_back(answer->reply.number);
  EXPECT_THAT(numbers, ::testing::IsSupersetOf({1, 2}));
}

}  // namespace
}  // namespace pollux
