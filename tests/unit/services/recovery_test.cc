// What a member makes of the files it finds when it starts, damaged ones included.
#include "recovery.h"

#include <gmock/gmock.h>

#include <fstream>

#include "unit/audit/audit_tools.h"

namespace pollux {
namespace {

using testing::code_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::text_of;

class RecoveryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    log_ = MemberLog::open({.directory = directory_.path(), .name = "test"}).value();
    quarantine_ = Quarantine::open(directory_.path()).value();
    open();
  }
  void open() {
    trail_ = testing::open_trail(directory_ / "trail");
    tables_ = testing::open_tables(directory_ / "tables");
  }
  /// A session, then requests: `count` records in the trail, the first `applied` of them in the tables.
  void write(std::size_t count, std::size_t applied) {
    records_.push_back(maker_.of_kind(RecordKind::session_opened, sync(0)));
    for (std::size_t i = 2; i <= count; ++i) {
      records_.push_back(maker_.request({{"key-" + std::to_string(i), value(i)}}, sync(i)));
    }
    ASSERT_OK(trail_->append(records_));
    if (applied > 0) ASSERT_OK(tables_->apply(std::span(records_).first(applied)));
    state_.incarnation = {{1}};
    ASSERT_OK(trail_->store_state(state_));
  }
  static std::string value(std::size_t i) { return "<value " + std::to_string(i) + ">"; }
  static SyncId sync(std::size_t i) { return {testing::session_id(1), i}; }
  void damage(std::size_t i) {
    trail_.reset();
    tables_.reset();
    testing::flip_all(directory_ / "trail" / "data.mdb", value(i), 3, 2);
    open();
  }
  Result<Recovery> recover() { return pollux::recover(*trail_, *tables_, *quarantine_, state_, *log_); }
  /// The tables tell of records, the trail of others.
  void expect_damaged(const std::string& what) {
    const auto found = recover();
    EXPECT_EQ(code_of(found), Code::damaged);
    EXPECT_THAT(text_of(found), HasSubstr(what));
  }
  std::vector<std::uint64_t> unapplied(const Recovery& found) {
    std::vector<std::uint64_t> lsns;
    for (const auto& record : found.event.unapplied) lsns.push_back(record->position().lsn.value);
    return lsns;
  }

  testing::TempDir directory_;
  testing::RecordMaker maker_;
  std::vector<RecordPtr> records_;
  std::unique_ptr<Trail> trail_;
  std::unique_ptr<Tables> tables_;
  std::unique_ptr<Quarantine> quarantine_;
  std::unique_ptr<MemberLog> log_;
  MemberState state_;
};

TEST_F(RecoveryTest, FilesThatAreNewGetAnIncarnationAndKeepIt) {
  const auto founded = load_or_found_state(*trail_);
  ASSERT_OK(founded);
  EXPECT_FALSE(founded->incarnation.none());
  trail_.reset();
  tables_.reset();
  open();
  EXPECT_EQ(load_or_found_state(*trail_).value(), *founded);
}

TEST_F(RecoveryTest, ATrailWithRecordsButWithoutItsOwnersNameIsNotTakenForNew) {
  ASSERT_OK(trail_->append(maker_.some(3)));
  const auto state = load_or_found_state(*trail_);
  EXPECT_EQ(code_of(state), Code::damaged);
  EXPECT_THAT(text_of(state), HasSubstr("move this member's directory away"));
  EXPECT_FALSE(trail_->load_state().value().has_value()) << "nothing was written";
}

TEST_F(RecoveryTest, TellsCoreWhatIsAppliedAndHandsItTheRest) {
  write(7, 4);
  const auto found = recover();
  ASSERT_OK(found);
  EXPECT_EQ(found->event.state, state_);
  EXPECT_EQ(found->event.trail_base, Position{});
  EXPECT_EQ(found->event.trail_last, records_.back()->position());
  EXPECT_EQ(found->event.applied, Lsn{4});
  EXPECT_THAT(unapplied(*found), ElementsAre(5, 6, 7));
  EXPECT_EQ(found->newest, records_.back()->record.time);
  ASSERT_NE(found->event.sessions.find(testing::session_id(1)), nullptr);
  EXPECT_THAT(found->event.sessions.find(testing::session_id(1))->replies, SizeIs(3)) << "as of LSN 4";
  EXPECT_THAT(found->damaged, IsEmpty());
}

TEST_F(RecoveryTest, TheTimeOfTheNewestRecordIsKnownWhenRetentionHasEmptiedTheTrail) {
  write(7, 7);
  const WallTime time = records_.back()->record.time;
  ASSERT_OK(trail_->drop_below({7}, 100));
  ASSERT_EQ(trail_->stats().records, 0U);
  const auto found = recover();
  ASSERT_OK(found);
  EXPECT_EQ(found->newest, time) << "the next record's may not be earlier";
}

TEST_F(RecoveryTest, WhatIsBelowTheFloorIsCommittedAndAppliedAtOnce) {
  write(7, 2);
  state_.configuration.floor = records_[4]->position();
  const auto found = recover();
  ASSERT_OK(found);
  EXPECT_EQ(found->event.applied, Lsn{5});
  EXPECT_EQ(tables_->applied(), records_[4]->position());
  EXPECT_THAT(testing::rows_of(*tables_), SizeIs(4));
  EXPECT_THAT(unapplied(*found), ElementsAre(6, 7));
}

TEST_F(RecoveryTest, AFloorOfAnotherHistoryOrBeyondTheTrailAppliesNothing) {
  write(7, 2);
  state_.configuration.floor = {Lsn{5}, Hash{{9}}};
  ASSERT_OK(recover());
  EXPECT_EQ(tables_->applied().lsn, Lsn{2});
  state_.configuration.floor = {Lsn{8}, records_[6]->hash};
  ASSERT_OK(recover());
  EXPECT_EQ(tables_->applied().lsn, Lsn{2});
}

TEST_F(RecoveryTest, ADamagedRecordThatIsStillNeededIsAnErrorThatNamesIt) {
  write(7, 3);
  damage(5);
  expect_damaged("LSN 5");
}

TEST_F(RecoveryTest, ADamagedRecordBelowTheFloorStopsTheApplyingAndChangesNothing) {
  write(7, 2);
  damage(4);
  state_.configuration.floor = records_[5]->position();
  expect_damaged("LSN 4");
  EXPECT_EQ(tables_->applied().lsn, Lsn{2});
}

TEST_F(RecoveryTest, ADamagedRecordThatTheTablesShowIsListedForThePeersCopy) {
  write(7, 6);
  damage(4);
  const auto found = recover();
  ASSERT_OK(found);
  EXPECT_THAT(found->damaged, ElementsAre(Lsn{4}));
  EXPECT_THAT(unapplied(*found), ElementsAre(7));
  log_.reset();
  EXPECT_THAT(testing::contents(directory_ / "log"), HasSubstr("LSN 4"));
}

TEST_F(RecoveryTest, TablesBeyondTheTrailsEndAreToldWithWhatToDo) {
  write(5, 5);
  trail_.reset();
  std::filesystem::remove_all(directory_ / "trail");
  trail_ = testing::open_trail(directory_ / "trail");
  ASSERT_OK(trail_->append(std::span(records_).first(3)));
  expect_damaged("the trail ends at LSN 3, but the tables show LSN 5");
  expect_damaged("move this member's directory away");
}

TEST_F(RecoveryTest, ATrailThatBeginsAfterTheTablesLeavesAGap) {
  write(7, 2);
  ASSERT_OK(trail_->drop_below({4}, 100));
  expect_damaged("the trail begins after LSN 4, but the tables end at LSN 2");
}

TEST_F(RecoveryTest, TablesOfAnotherHistoryAreRefused) {
  write(5, 0);
  testing::RecordMaker other;
  ASSERT_OK(tables_->apply(other.some(3)));
  expect_damaged("different histories at LSN 3");
}

TEST_F(RecoveryTest, AnUnfinishedSnapshotFitsNoTrailAndIsGoneOnWith) {
  write(5, 3);
  ASSERT_OK(tables_->begin_snapshot());
  const auto found = recover();
  ASSERT_OK(found);
  EXPECT_TRUE(found->event.incomplete);
  EXPECT_EQ(found->event.applied, Lsn{0});
  EXPECT_THAT(found->event.unapplied, IsEmpty());
}

TEST_F(RecoveryTest, ARequestWhoseOutcomeIsInTheTrailLeavesTheQuarantine) {
  write(7, 4);
  for (const std::size_t seq : {3, 6, 9}) ASSERT_OK(quarantine_->add({.sync = sync(seq), .guilty = true}));
  const auto found = recover();
  ASSERT_OK(found);
  EXPECT_THAT(found->event.quarantined, ElementsAre(sync(9))) << "3 is applied, 6 is not yet, 9 is unknown";
  EXPECT_THAT(Quarantine::open(directory_.path()).value()->quarantined(), ElementsAre(sync(9)));
}

TEST_F(RecoveryTest, RecordsThatLeftTheTrailAreNotMissed) {
  write(7, 5);
  ASSERT_OK(trail_->drop_below({4}, 100));
  const auto found = recover();
  ASSERT_OK(found);
  EXPECT_EQ(found->event.trail_base, records_[3]->position());
  EXPECT_THAT(unapplied(*found), ElementsAre(6, 7));
  EXPECT_THAT(found->damaged, IsEmpty());
}

TEST(PeerHasEverything, IfAnotherMemberIsNamedWhoseDiskHasWhatThisOneAcknowledged) {
  const MemberId me{{{1}}, {{2}}}, peer{{{3}}, {{4}}};
  MemberState state{.incarnation = me.incarnation, .configuration = {}};
  EXPECT_FALSE(peer_has_everything(state)) << "never led: nobody has anything";
  state.configuration = {.epoch = {5}, .primary = me, .backup = {}, .floor = {}};
  EXPECT_FALSE(peer_has_everything(state)) << "solo: this is the only copy";
  state.configuration.backup = peer;
  EXPECT_TRUE(peer_has_everything(state));
  state.configuration = {.epoch = {6}, .primary = peer, .backup = {}, .floor = {}};
  EXPECT_TRUE(peer_has_everything(state)) << "left behind: the peer went on";
}

}  // namespace
}  // namespace pollux
