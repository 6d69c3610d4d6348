// The executor against memory tables and a service made of functions.
#include "executor.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "pollux/proto/record_codec.h"
#include "support.h"

namespace pollux {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::eventually;

/// "set KEY VALUE", "get KEY", "throw", "both" (writes, then throws), "big", "code", "wait".
class ScriptedService final : public Service {
 public:
  ServiceReply execute(const ServiceRequest& request, WriteTxn& txn) override {
    ++calls;
    const std::string payload(request.payload);
    if (payload.starts_with("set ")) {
      txn.put(payload.substr(4, 1), payload.substr(6));
      return {Code::ok, "done"};
    }
    if (payload.starts_with("get ")) return {Code::ok, txn.get(payload.substr(4, 1)).value_or("nothing")};
    if (payload == "throw") throw std::runtime_error("no");
    if (payload == "throw a number") throw 7;
    if (payload == "both") {
      txn.put("x", "must not stay");
      throw std::runtime_error("changed my mind");
    }
    if (payload == "refuse") {
      txn.put("r", "kept");
      return {Code::insufficient, "too little"};
    }
    if (payload == "big") return {Code::ok, std::string(2000, 'b')};
    if (payload == "code") return {Code::not_primary, ""};
    if (payload == "long key") txn.put(std::string(481, 'k'), "v");
    if (payload == "wait") {
      waiting = true;
      while (!go_on) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      txn.put("w", "waited");
    }
    return {Code::ok, payload};
  }
  ServiceReply query(const ServiceRequest&, ReadTxn&) override { return {}; }

  std::atomic<int> calls{0};
  std::atomic<bool> waiting{false}, go_on{false};
};

class ExecutorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    tables_ = make_memory_tables();
    state_ = std::make_unique<SharedState>(*tables_);
    mark_.emplace(ExecutingMark::open(home_.path(), BootId{}).value());
    executor_.emplace(Executor::Parts{service_, *state_, *mark_, inbox_, counters_, [this] { return solo_.load(); }},
                      ExecutorOptions{.reply_bytes_max = 1000});
    executor_->start();
    executor_->reset({});
  }

  void give(std::vector<std::string> payloads, std::optional<Code> verdict = {}) {
    std::vector<Execute::Item> items;
    for (std::string& payload : payloads) {
      lsn_ = lsn_.next();
      Execute::Item item;
      item.lsn = lsn_;
      item.epoch = {3};
      item.time_at_least = {1000 + static_cast<std::int64_t>(lsn_.value)};
      item.sync = {SessionId{{1}}, lsn_.value};
      item.payload = std::move(payload);
      item.verdict = verdict;
      items.push_back(std::move(item));
    }
    executor_->give(items);
  }

  /// Waits for `count` records of the newest generation.
  std::vector<RecordPtr> take(std::size_t count) {
    std::vector<RecordPtr> records;
    EXPECT_TRUE(eventually([&] {
      std::vector<Input> inputs;
      inbox_.drain(inputs);
      for (Input& input : inputs) {
        if (auto* batch = std::get_if<ExecutedBatch>(&input)) {
          if (batch->generation != executor_->generation()) continue;
          for (auto& record : batch->records) records.push_back(record);
        } else {
          events_.push_back(std::get<Event>(std::move(input)));
        }
      }
      return records.size() >= count;
    }));
    return records;
  }
  Record one(const std::string& payload) {
    give({payload});
    return copy_of(take(1).front()->record);
  }

  testing::TestDirectory home_;
  std::unique_ptr<Tables> tables_;
  std::unique_ptr<SharedState> state_;
  ScriptedService service_;
  std::optional<ExecutingMark> mark_;
  CoreInbox inbox_;
  MemberCounters counters_;
  std::atomic<bool> solo_{false};
  std::optional<Executor> executor_;
  std::vector<Event> events_;
  Lsn lsn_;
};

TEST_F(ExecutorTest, SealsRecordsIntoAChainInOrder) {
  give({"set a 1", "get a", "set a 2"});
  const auto records = take(3);
  Hash previous;
  for (std::uint64_t lsn = 1; lsn <= 3; ++lsn) {
    const SealedRecord& sealed = *records[lsn - 1];
    EXPECT_EQ(sealed.record.lsn.value, lsn);
    EXPECT_EQ(sealed.record.epoch, Epoch{3});
    EXPECT_EQ(sealed.hash, chain_hash(previous, sealed.bytes));
    previous = sealed.hash;
  }
  EXPECT_EQ(records[1]->record.reply, "1");
  EXPECT_THAT(records[0]->record.changes, SizeIs(1));
}

TEST_F(ExecutorTest, ARequestSeesTheChangesOfTheOneBefore) {
  one("set k first");
  EXPECT_EQ(one("get k").reply, "first");
}

TEST_F(ExecutorTest, AnExceptionAbortsAndLeavesARecordWithoutChanges) {
  const Record record = one("both");
  EXPECT_EQ(record.code, Code::aborted);
  EXPECT_EQ(record.reply, "changed my mind");
  EXPECT_THAT(record.changes, IsEmpty());
  EXPECT_EQ(one("get x").reply, "nothing");
  EXPECT_EQ(one("throw a number").code, Code::aborted);
}

TEST_F(ExecutorTest, ACodeThatIsAnAnswerKeepsItsChanges) {
  const Record record = one("refuse");
  EXPECT_EQ(record.code, Code::insufficient);
  EXPECT_THAT(record.changes, SizeIs(1));
}

TEST_F(ExecutorTest, WhatIsTooLargeOrNotAServicesToSayIsAborted) {
  const Record big = one("big");
  EXPECT_EQ(big.code, Code::aborted);
  EXPECT_THAT(big.reply, HasSubstr("reply_bytes_max"));
  EXPECT_EQ(one("code").code, Code::aborted);
  const Record key = one("long key");
  EXPECT_EQ(key.code, Code::aborted);
  EXPECT_THAT(key.reply, HasSubstr("481"));
}

TEST_F(ExecutorTest, AVerdictIsRecordedWithoutCallingTheService) {
  give({"set a 1"}, Code::quarantined);
  const RecordPtr sealed = take(1).front();
  const RecordView& record = sealed->record;
  EXPECT_EQ(record.code, Code::quarantined);
  EXPECT_THAT(record.reply, HasSubstr("stopped a member"));
  EXPECT_EQ(service_.calls, 0);
}

TEST_F(ExecutorTest, RecordTimesNeverGoBack) {
  state_->note_time({5000});
  EXPECT_EQ(one("x").time.us, 5000);
  state_->note_time({100});
  EXPECT_EQ(one("x").time.us, 5000);
}

TEST_F(ExecutorTest, AResetVoidsWhatIsQueuedAndWhatIsInExecution) {
  one("set a kept");
  const Position kept{Lsn{1}, {}};
  give({"wait", "set a lost"});
  ASSERT_TRUE(eventually([&] { return service_.waiting.load(); }));
  executor_->reset(kept);
  service_.go_on = true;
  lsn_ = {1};
  // The next item of the new generation is numbered and chained after `kept`.
  EXPECT_EQ(one("get a").reply, "kept");
  EXPECT_EQ(one("get w").reply, "nothing");
  EXPECT_EQ(lsn_, Lsn{3});
}

TEST_F(ExecutorTest, WhatTheTablesTookOverIsStillSeen) {
  give({"set a 1", "set b 2"});
  const auto records = take(2);
  ASSERT_TRUE(tables_->apply(records));
  state_->set_committed(Lsn{2});
  state_->set_applied(Lsn{2});
  state_->trim(Lsn{2});
  EXPECT_EQ(one("get a").reply, "1");
  EXPECT_EQ(one("get b").reply, "2");
}

}  // namespace
}  // namespace pollux
