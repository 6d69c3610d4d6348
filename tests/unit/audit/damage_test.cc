// Bits that flip on the disk: found, told in one sentence, and nothing else is lost.
#include <gmock/gmock.h>

#include <random>

#include "audit_tools.h"
#include "pollux/audit/archive.h"

namespace pollux::testing {
namespace {

using ::testing::HasSubstr;

class DamageTest : public ::testing::Test {
 protected:
  TempDir directory_;
  std::filesystem::path trail_directory_ = directory_ / "trail";
  std::filesystem::path trail_file_ = trail_directory_ / "data.mdb";
  RecordMaker maker_;
  std::vector<RecordPtr> records_;

  void write_trail(std::size_t count) {
    auto trail = open_trail(trail_directory_);
    for (std::size_t i = 1; i <= count; ++i) {
      records_.push_back(
          maker_.put("key", "<value " + std::to_string(i) + ">" + std::string(i == 5 ? 10'000 : 50, '.')));
    }
    ASSERT_OK(trail->append(records_));
  }
  void flip_in_bytes(std::size_t i) { flip_all(trail_file_, "<value " + std::to_string(i) + ">", 3, 6); }
  /// `back` bytes before the record's bytes: 1 to 32 is its hash, then come its two checksums.
  void flip_before_bytes(std::size_t i, std::ptrdiff_t back) {
    flip_all(trail_file_, records_[i - 1]->bytes, -back, 2);
  }
  void expect_only_fault(const Trail& trail, std::size_t i) {
    for (std::size_t other = 1; other <= records_.size(); ++other) {
      auto record = trail.read(Lsn{other});
      if (other == i) {
        EXPECT_EQ(code_of(record), Code::damaged);
        EXPECT_THAT(text_of(record), HasSubstr("LSN " + std::to_string(i) + ":"));
      } else {
        ASSERT_OK(record);
        EXPECT_EQ((*record)->bytes, records_[other - 1]->bytes);
      }
      EXPECT_EQ(*trail.hash_at(Lsn{other}), records_[other - 1]->hash);
    }
    auto report = verify(trail, {});
    ASSERT_OK(report);
    ASSERT_EQ(report->faults.size(), 1U);
    EXPECT_THAT(report->faults[0].text, HasSubstr("LSN " + std::to_string(i) + ":"));
    EXPECT_EQ(report->records, records_.size() - 1);
  }
};

TEST_F(DamageTest, AFlippedBitInARecordIsFoundAndRepaired) {
  write_trail(20);
  for (const std::size_t i : {1, 5, 12, 20}) {
    flip_in_bytes(i);
    auto trail = open_trail(trail_directory_);
    ASSERT_NE(trail, nullptr);
    EXPECT_EQ(trail->last(), maker_.last());
    expect_only_fault(*trail, i);
    EXPECT_EQ(code_of(trail->read_after(Lsn{0}, 1 << 20)), Code::damaged);
    RecordMaker other(i == 1 ? Position{} : records_[i - 2]->position());
    EXPECT_EQ(code_of(trail->repair(other.put("not", "that one"))), Code::damaged);
    ASSERT_OK(trail->repair(records_[i - 1]));
    EXPECT_TRUE(verify(*trail, {})->faults.empty());
  }
}

TEST_F(DamageTest, AFlippedBitInAHashIsFoundAndRepaired) {
  write_trail(20);
  for (const std::size_t i : {1, 5, 12, 20}) {
    flip_before_bytes(i, 20);
    auto trail = open_trail(trail_directory_);
    ASSERT_NE(trail, nullptr);
    EXPECT_EQ(trail->last(), maker_.last());
    expect_only_fault(*trail, i);
    ASSERT_OK(trail->repair(records_[i - 1]));
    EXPECT_TRUE(verify(*trail, {})->faults.empty());
  }
}

TEST_F(DamageTest, AFlippedBitInAChecksumIsFoundAndRepaired) {
  write_trail(20);
  for (const std::ptrdiff_t back : {33, 37}) {  // the body's and the head's
    for (const std::size_t i : {1, 12, 20}) {
      flip_before_bytes(i, back);
      auto trail = open_trail(trail_directory_);
      ASSERT_NE(trail, nullptr);
      EXPECT_EQ(trail->last(), maker_.last());
      expect_only_fault(*trail, i);
      ASSERT_OK(trail->repair(records_[i - 1]));
      EXPECT_TRUE(verify(*trail, {})->faults.empty());
    }
  }
}

TEST_F(DamageTest, AppendingGoesOnAfterADamagedLastRecord) {
  write_trail(20);
  flip_in_bytes(20);
  auto trail = open_trail(trail_directory_);
  ASSERT_NE(trail, nullptr);
  const auto more = maker_.put("more", "records");
  ASSERT_OK(trail->append({{more}}));
  EXPECT_EQ((*trail->read(Lsn{21}))->bytes, more->bytes);
}

TEST_F(DamageTest, NeighboursDamagedTogetherAreRepairedOneAfterTheOther) {
  write_trail(20);
  for (const std::size_t i : {10, 11, 12}) {
    flip_before_bytes(i, 20);
    flip_in_bytes(i);
  }
  auto trail = open_trail(trail_directory_);
  ASSERT_NE(trail, nullptr);
  EXPECT_EQ(verify(*trail, {})->faults.size(), 3U);
  const auto early = trail->repair(records_[10]);
  EXPECT_EQ(code_of(early), Code::damaged);
  EXPECT_THAT(early.error().text, HasSubstr("repair these first"));
  EXPECT_EQ(code_of(trail->hash_at(Lsn{11})), Code::damaged);
}

TEST_F(DamageTest, ARowsFlippedBitIsFoundWhenItIsReadAndByTheDigest) {
  {
    auto tables = open_tables(directory_ / "tables");
    ASSERT_OK(tables->apply(
        {{maker_.put("a", "first row"), maker_.put("b", "<second row>"), maker_.put("c", "third row")}}));
  }
  const auto file = directory_ / "tables/data.mdb";
  flip_bit(file, find_in(file, "<second row>"), 3);
  auto tables = open_tables(directory_ / "tables");
  ASSERT_NE(tables, nullptr);
  auto view = tables->view();
  ASSERT_OK(view);
  EXPECT_EQ((*view)->get("a").value(), "first row");
  EXPECT_EQ(code_of((*view)->get("b")), Code::damaged);
  EXPECT_THAT((*view)->get("b").error().text, HasSubstr("the row \"b\""));
  EXPECT_EQ((*view)->get("c").value(), "third row");
  EXPECT_EQ(code_of((*view)->scan("", "", [](auto, auto) { return true; })), Code::damaged);
  EXPECT_EQ(code_of(tables->digest()), Code::damaged);
  EXPECT_EQ(code_of(tables->read_snapshot("", 1000)), Code::damaged);
}

TEST_F(DamageTest, ASessionsFlippedBitIsFoundAtOpening) {
  {
    auto tables = open_tables(directory_ / "tables");
    ASSERT_OK(tables->apply({{maker_.of_kind(RecordKind::session_opened, {session_id(1), 0}),
                              maker_.request({}, {session_id(1), 1}, "<the reply>")}}));
  }
  const auto file = directory_ / "tables/data.mdb";
  flip_bit(file, find_in(file, "<the reply>"), 3);
  const auto refused = open_lmdb_tables({.directory = directory_ / "tables"});
  EXPECT_EQ(code_of(refused), Code::damaged);
  EXPECT_THAT(refused.error().text, HasSubstr("session"));
}

// Any bit of any page: LMDB's own structures have no checksums, and it follows a damaged pointer anywhere.
TEST_F(DamageTest, NoFlippedBitAnywhereGoesUnnoticedOrCrashes) {
  {
    auto trail = open_trail(trail_directory_);
    for (int i = 0; i < 20; ++i) {
      auto more = maker_.some(40, i % 5 == 0 ? 6000 : 60);
      records_.insert(records_.end(), more.begin(), more.end());
      ASSERT_OK(trail->append(more));
      ASSERT_OK(trail->drop_below(Lsn{records_.size() / 2}, 30));
      ASSERT_OK(trail->store_state({}));
    }
  }
  const std::string whole = contents(trail_file_);
  std::mt19937_64 random(20240229);
  int refused = 0;
  int faults = 0;
  for (int round = 0; round < 400; ++round) {
    // Half of them in the headers and pointers at the beginnings of pages, where it hurts most.
    std::size_t byte = random() % whole.size();
    if (round % 2 == 0) byte = byte / 4096 * 4096 + random() % 160;
    if (byte >= whole.size()) continue;
    const int bit = static_cast<int>(random() % 8);
    flip_bit(trail_file_, byte, bit);
    auto opened = open_lmdb_trail({.directory = trail_directory_, .map_bytes = 1ULL << 30});
    if (!opened) {
      EXPECT_EQ(opened.error().code, Code::damaged) << opened.error().text;
      ++refused;
    } else {
      // What opens is the whole trail to its end, with one record damaged at most.
      EXPECT_EQ((*opened)->last(), maker_.last()) << "byte " << byte << " bit " << bit;
      auto report = verify(**opened, {});
      ASSERT_OK(report);
      EXPECT_LE(report->faults.size(), 1U) << "byte " << byte << " bit " << bit;
      faults += static_cast<int>(report->faults.size());
      for (Lsn lsn = (*opened)->base().lsn.next(); lsn <= maker_.last().lsn; lsn = lsn.next()) {
        auto record = (*opened)->read(lsn);
        if (record) {
          ASSERT_EQ((*record)->bytes, records_[lsn.value - 1]->bytes);
        }
      }
      opened->reset();
    }
    std::ofstream(trail_file_, std::ios::binary | std::ios::trunc) << whole;
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(faults, 0);
}

}  // namespace
}  // namespace pollux::testing
