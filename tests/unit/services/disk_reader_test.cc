// The disk reader: what a member that catches up is given from the primary's trail and tables.
#include "disk_reader.h"

#include <gmock/gmock.h>

#include "posted.h"
#include "unit/audit/audit_tools.h"

namespace pollux {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Posted;
using ::testing::SizeIs;

class DiskReaderTest : public ::testing::Test {
 protected:
  void write(std::size_t count) {
    trail_ = testing::open_trail(directory_ / "trail");
    for (std::size_t i = 1; i <= count; ++i) records_.push_back(maker_.put("key", value(i)));
    ASSERT_OK(trail_->append(records_));
    ASSERT_TRUE(tables_->apply(records_));
  }
  static std::string value(std::size_t i) {
    return "<value " + std::to_string(i) + ">" + std::string(50, '.');
  }
  void damage(std::size_t i) {
    trail_.reset();
    testing::flip_all(directory_ / "trail" / "data.mdb", "<value " + std::to_string(i) + ">", 3, 6);
    trail_ = testing::open_trail(directory_ / "trail");
  }
  void start() {
    state_ = std::make_unique<SharedState>(*tables_);
    log_ = MemberLog::open({.directory = directory_.path(), .name = "test"}).value();
    reader_.emplace(DiskReader::Parts{*trail_, *state_, inbox_, counters_, *log_});
    reader_->start();
  }
  std::vector<std::uint64_t> lsns_of(const TailRead& read) {
    std::vector<std::uint64_t> lsns;
    for (const auto& record : read.records) lsns.push_back(record->position().lsn.value);
    return lsns;
  }
  TailRead tail(std::uint64_t after, std::size_t bytes_max) {
    reader_->give(ReadTail{.ticket = 4, .after = {after}, .bytes_max = bytes_max});
    auto read = posted_.next<TailRead>();
    EXPECT_EQ(read.ticket, 4U);
    return read;
  }

  testing::TempDir directory_;
  testing::RecordMaker maker_;
  std::vector<RecordPtr> records_;
  std::unique_ptr<Trail> trail_;
  std::unique_ptr<Tables> tables_ = make_memory_tables();
  std::unique_ptr<SharedState> state_;
  CoreInbox inbox_;
  Posted posted_{inbox_};
  MemberCounters counters_;
  std::unique_ptr<MemberLog> log_;
  std::optional<DiskReader> reader_;
};

TEST_F(DiskReaderTest, TellsTheHashesItKnowsAndLeavesOutTheOthers) {
  write(5);
  start();
  reader_->give(ReadHashes{.ticket = 3, .lsns = {{2}, {99}, {5}}});
  const auto read = posted_.next<HashesRead>();
  EXPECT_EQ(read.ticket, 3U);
  EXPECT_THAT(read.known, ElementsAre(records_[1]->position(), records_[4]->position()));
}

TEST_F(DiskReaderTest, GivesTheTailInPortionsAndNothingAtItsEnd) {
  write(10);
  start();
  EXPECT_THAT(lsns_of(tail(8, 1 << 20)), ElementsAre(9, 10));
  const auto first = lsns_of(tail(0, 1));
  EXPECT_THAT(first, ElementsAre(1)) << "at least one, however small the portion";
  const auto end = tail(10, 1 << 20);
  EXPECT_THAT(end.records, IsEmpty());
  EXPECT_FALSE(end.gone);
}

TEST_F(DiskReaderTest, SaysThatATailIsGoneOnceItsRecordsHaveLeft) {
  write(10);
  ASSERT_OK(trail_->drop_below({6}, 100));
  start();
  const auto read = tail(3, 1 << 20);
  EXPECT_TRUE(read.gone);
  EXPECT_THAT(read.records, IsEmpty());
  EXPECT_THAT(lsns_of(tail(6, 1 << 20)), ElementsAre(7, 8, 9, 10));
}

TEST_F(DiskReaderTest, GivesWhatIsBeforeADamagedRecordAndReportsTheDamage) {
  write(10);
  damage(4);
  start();
  EXPECT_THAT(lsns_of(tail(1, 1 << 20)), ElementsAre(2, 3));
  EXPECT_EQ(posted_.next<DamageFound>().lsn, Lsn{4});
  EXPECT_EQ(counters_.damage_found, 1U);
  const auto at_damage = tail(3, 1 << 20);
  EXPECT_THAT(at_damage.records, IsEmpty());
  EXPECT_FALSE(at_damage.gone);
  EXPECT_EQ(posted_.next<DamageFound>().lsn, Lsn{4});
  EXPECT_THAT(lsns_of(tail(4, 1 << 20)), SizeIs(6)) << "what is behind it is as good as ever";
}

TEST_F(DiskReaderTest, ReadsASnapshotChunkByChunkUntilThereIsNoNext) {
  for (int i = 0; i < 20; ++i) records_.push_back(maker_.put("key-" + std::to_string(i), value(1)));
  ASSERT_TRUE(tables_->apply(records_));
  trail_ = testing::open_trail(directory_ / "trail");
  start();
  std::size_t rows = 0, chunks = 0;
  std::string cursor;
  do {
    reader_->give(ReadSnapshot{.ticket = 5, .cursor = cursor, .bytes_max = 300});
    const auto read = posted_.next<SnapshotRead>();
    ASSERT_FALSE(read.failed);
    EXPECT_EQ(read.ticket, 5U);
    EXPECT_EQ(read.chunk.cursor, cursor);
    EXPECT_EQ(read.chunk.tag, records_.back()->position());
    rows += read.chunk.rows.size();
    cursor = read.chunk.next;
    ASSERT_LT(++chunks, 100U);
  } while (!cursor.empty());
  EXPECT_EQ(rows, 20U);
  EXPECT_GT(chunks, 3U);
}

TEST_F(DiskReaderTest, ASnapshotThatCantBeReadIsSaidToHaveFailed) {
  tables_ = make_faulty_tables(std::move(tables_), [](std::string_view operation) {
    return operation == "read_snapshot" ? std::optional(Code::io_error) : std::nullopt;
  });
  trail_ = testing::open_trail(directory_ / "trail");
  start();
  reader_->give(ReadSnapshot{.ticket = 6, .cursor = "", .bytes_max = 300});
  const auto read = posted_.next<SnapshotRead>();
  EXPECT_EQ(read.ticket, 6U);
  EXPECT_TRUE(read.failed);
}

TEST_F(DiskReaderTest, ATrailThatCantBeReadGivesNothingAndIsNotTakenForGone) {
  trail_ = make_faulty_trail(make_memory_trail(), [](std::string_view operation) {
    return operation == "read_after" ? std::optional(Code::io_error) : std::nullopt;
  });
  start();
  const auto read = tail(0, 1 << 20);
  EXPECT_THAT(read.records, IsEmpty());
  EXPECT_FALSE(read.gone);
}

}  // namespace
}  // namespace pollux
