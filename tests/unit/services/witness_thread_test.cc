// The witness thread with a witness that the test holds up, makes fail, and reads along.
#include "witness_thread.h"

#include <gmock/gmock.h>

#include <condition_variable>
#include <fstream>
#include <mutex>

#include "posted.h"

namespace pollux {
namespace {

using ::testing::ElementsAre;
using testing::eventually;
using ::testing::HasSubstr;
using testing::Posted;
using testing::TestDirectory;
using Outcome = WitnessSaid::Outcome;

class HeldWitness final : public Witness {
 public:
  Answer read() override { return take_turn("read"); }
  Answer propose(const Configuration& next) override {
    return take_turn("propose " + std::to_string(next.epoch.value));
  }
  Answer adopt(const WitnessView& refused, const Configuration& next) override {
    return take_turn("adopt " + std::to_string(next.epoch.value) + " over " +
                     std::to_string(refused.configuration.epoch.value));
  }
  Result<void> raise_floor(const Configuration& configuration) override {
    take_turn("floor " + std::to_string(configuration.floor.lsn.value));
    const std::lock_guard lock(mutex_);
    return floor_;
  }

  void hold() { set_held(true); }
  void go_on() { set_held(false); }
  void floor_fails(Result<void> how) {
    const std::lock_guard lock(mutex_);
    floor_ = std::move(how);
  }
  std::vector<std::string> calls() {
    const std::lock_guard lock(mutex_);
    return calls_;
  }

 private:
  Answer take_turn(std::string call) {
    std::unique_lock lock(mutex_);
    calls_.push_back(std::move(call));
    changed_.wait(lock, [this] { return !held_; });
    return {.outcome = Outcome::read, .view = WitnessView{.revision = calls_.size()}, .text = calls_.back()};
  }
  void set_held(bool held) {
    const std::lock_guard lock(mutex_);
    held_ = held;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
  std::vector<std::string> calls_;
  Result<void> floor_;
};

class WitnessThreadTest : public ::testing::Test {
 protected:
  void SetUp() override {
    log_ = MemberLog::open({.directory = home_.path(), .name = "test"}).value();
    thread_.emplace(WitnessThread::Parts{witness_, inbox_, counters_, *log_});
    thread_->start();
  }
  void TearDown() override {
    witness_.go_on();
    thread_->stop();
  }
  void hold_at_first_read() {
    witness_.hold();
    thread_->give(ReadWitness{1});
    ASSERT_TRUE(eventually([&] { return witness_.calls().size() == 1; }));
  }
  static RaiseFloor floor(std::uint64_t lsn) {
    RaiseFloor raise;
    raise.configuration.floor.lsn = {lsn};
    return raise;
  }
  static ProposeWitness proposal(std::uint64_t ticket, std::uint64_t epoch) {
    ProposeWitness propose{.ticket = ticket, .next = {}};
    propose.next.epoch = {epoch};
    return propose;
  }
  /// Lines with `text` in the member's log; closes it.
  std::size_t logged(const std::string& text) {
    thread_->stop();
    log_.reset();
    std::ifstream file(home_.path() / "log");
    std::size_t lines = 0;
    for (std::string line; std::getline(file, line);) lines += line.find(text) != std::string::npos;
    return lines;
  }

  TestDirectory home_;
  HeldWitness witness_;
  CoreInbox inbox_;
  Posted posted_{inbox_};
  MemberCounters counters_;
  std::unique_ptr<MemberLog> log_;
  std::optional<WitnessThread> thread_;
};

TEST_F(WitnessThreadTest, AnswersBearTheTicketAndWhatTheWitnessSaid) {
  thread_->give(ReadWitness{7});
  thread_->give(proposal(8, 3));
  const auto read = posted_.next<WitnessSaid>();
  EXPECT_EQ(read.ticket, 7U);
  EXPECT_EQ(read.outcome, Outcome::read);
  EXPECT_EQ(read.view->revision, 1U);
  const auto proposed = posted_.next<WitnessSaid>();
  EXPECT_EQ(proposed.ticket, 8U);
  EXPECT_EQ(proposed.text, "propose 3");
  AdoptWitness adoption{.ticket = 9, .refused = {}, .next = {}};
  adoption.refused.configuration.epoch = {2};
  adoption.next.epoch = {6};
  thread_->give(adoption);
  const auto adopted = posted_.next<WitnessSaid>();
  EXPECT_EQ(adopted.ticket, 9U);
  EXPECT_EQ(adopted.text, "adopt 6 over 2");
  EXPECT_EQ(counters_.witness_calls, 3U);
}

TEST_F(WitnessThreadTest, WhatIsWaitedForComesBeforeFloorsAndOfFloorsOnlyTheNewest) {
  hold_at_first_read();
  for (const std::uint64_t lsn : {10, 20, 30}) thread_->give(floor(lsn));
  thread_->give(proposal(2, 5));
  witness_.go_on();
  ASSERT_TRUE(eventually([&] { return witness_.calls().size() == 3; }));
  EXPECT_THAT(witness_.calls(), ElementsAre("read", "propose 5", "floor 30"));
}

TEST_F(WitnessThreadTest, AWitnessThatHangsIsInDoubtForEverybodyBeyondTheQueuesLimit) {
  hold_at_first_read();
  for (std::uint64_t i = 0; i < WitnessThread::jobs_max; ++i) thread_->give(ReadWitness{100 + i});
  EXPECT_FALSE(posted_.take<WitnessSaid>().has_value());
  thread_->give(ReadWitness{2});
  thread_->give(proposal(3, 5));
  thread_->give(AdoptWitness{.ticket = 4, .refused = {}, .next = {}});
  thread_->give(floor(4));  // nobody waits for it
  for (const std::uint64_t ticket : {2, 3, 4}) {
    const auto said = posted_.next<WitnessSaid>();
    EXPECT_EQ(said.ticket, ticket);
    EXPECT_EQ(said.outcome, Outcome::in_doubt);
    EXPECT_THAT(said.text, HasSubstr("has not answered"));
  }
  witness_.go_on();
  EXPECT_EQ(posted_.next<WitnessSaid>().ticket, 1U);
  for (std::uint64_t i = 0; i < WitnessThread::jobs_max; ++i) {
    EXPECT_EQ(posted_.next<WitnessSaid>().ticket, 100 + i);
  }
  thread_->stop();
  EXPECT_EQ(witness_.calls().back(), "read") << "the floor beyond the limit was dropped";
}

TEST_F(WitnessThreadTest, AFloorThatFailsIsLoggedOnceUntilOneSucceeds) {
  const auto raise = [&](std::uint64_t lsn, Result<void> how) {
    witness_.floor_fails(std::move(how));
    const auto before = witness_.calls().size();
    thread_->give(floor(lsn));
    ASSERT_TRUE(eventually([&] { return witness_.calls().size() > before; }));
    thread_->give(ReadWitness{lsn});  // answered only when the floor is done with
    posted_.next<WitnessSaid>();
  };
  raise(1, fail(Code::io_error, "the witness's disk fails"));
  raise(2, fail(Code::io_error, "the witness's disk fails"));
  raise(3, {});
  raise(4, fail(Code::io_error, "the witness's disk fails"));
  raise(5, fail(Code::witness_refused, "another configuration stands there"));  // core will see it
  EXPECT_EQ(logged("can't take a floor: the witness's disk fails"), 2U);
}

TEST_F(WitnessThreadTest, AFloorThatCameTooLateIsNoWorryForTheLog) {
  witness_.floor_fails(fail(Code::witness_refused, "another configuration stands there"));
  thread_->give(floor(1));
  ASSERT_TRUE(eventually([&] { return !witness_.calls().empty(); }));
  EXPECT_EQ(logged("can't take a floor"), 0U);
}

}  // namespace
}  // namespace pollux
