// What all tables promise: those in LMDB, those in memory, and the faulty ones without faults.
#include <gmock/gmock.h>

#include <functional>

#include "audit_tools.h"

namespace pollux::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

struct TablesKind {
  const char* name;
  std::function<std::unique_ptr<Tables>(const std::filesystem::path&)> make;
};

class TablesTest : public ::testing::TestWithParam<TablesKind> {
 protected:
  TempDir directory_;
  std::unique_ptr<Tables> tables_ = GetParam().make(directory_ / "tables");
  RecordMaker maker_;
};

TEST_P(TablesTest, AreEmptyWhenNew) {
  EXPECT_EQ(tables_->applied(), Position{});
  EXPECT_FALSE(tables_->incomplete());
  EXPECT_EQ(tables_->snapshot_progress(), std::nullopt);
  EXPECT_EQ(tables_->sessions()->size(), 0U);
  EXPECT_TRUE(rows_of(*tables_).empty());
  EXPECT_EQ(tables_->stats().rows, 0U);
}

TEST_P(TablesTest, TheLastChangeOfARowInABatchStays) {
  ASSERT_OK(
      tables_->apply({{maker_.put("b", "1"), maker_.put("a", "1"), maker_.put("b", "2"), maker_.put("c", "1"),
                       maker_.erase("c"), maker_.put("d", "1"), maker_.erase("d"), maker_.put("d", "2")}}));
  EXPECT_THAT(rows_of(*tables_), ElementsAre(Pair("a", "1"), Pair("b", "2"), Pair("d", "2")));
  EXPECT_EQ(tables_->applied(), maker_.last());
  ASSERT_OK(tables_->apply({{maker_.erase("a"), maker_.erase("never there")}}));
  EXPECT_THAT(rows_of(*tables_), ElementsAre(Pair("b", "2"), Pair("d", "2")));
  EXPECT_EQ(tables_->stats().rows, 2U);
}

TEST_P(TablesTest, KnowTheTimeOfTheirNewestRecord) {
  EXPECT_EQ(tables_->newest_time(), WallTime{});
  ASSERT_OK(tables_->apply({{maker_.put("a", "1"), maker_.put("b", "1")}}));
  EXPECT_EQ(tables_->newest_time(), WallTime{2'000'000});
  EXPECT_EQ(tables_->read_snapshot("", 1000)->time, WallTime{2'000'000});
}

TEST_P(TablesTest, OneRecordCanChangeARowTwice) {
  ASSERT_OK(tables_->apply({{maker_.request({{"a", "1"}, {"a", std::nullopt}, {"a", "3"}})}}));
  EXPECT_THAT(rows_of(*tables_), ElementsAre(Pair("a", "3")));
}

TEST_P(TablesTest, KeysAndValuesAreAnyBytes) {
  const std::string zero("k\0y", 3);
  const std::string high("\xff\xfe", 2);
  const std::string longest(480, 'x');
  const std::string large(3'000'000, 'L');
  ASSERT_OK(tables_->apply({{maker_.put(high, "h"), maker_.put(zero, ""), maker_.put(longest, large),
                             maker_.put("k", "short"), maker_.put(std::string(1, '\0'), "z")}}));
  EXPECT_THAT(rows_of(*tables_), ElementsAre(Pair(std::string(1, '\0'), "z"), Pair("k", "short"),
                                             Pair(zero, ""), Pair(longest, large), Pair(high, "h")));
  auto view = tables_->view();
  ASSERT_OK(view);
  EXPECT_EQ((*view)->get(longest).value(), large);
  EXPECT_EQ((*view)->get(zero).value(), "");
  EXPECT_EQ((*view)->get("").value(), std::nullopt);
  EXPECT_EQ((*view)->get(std::string(2000, 'x')).value(), std::nullopt);
}

TEST_P(TablesTest, KeysThatShareTheirFirstBytesStayInOrder) {
  std::vector<RecordPtr> records;
  for (int i = 999; i >= 0; --i)
    records.push_back(maker_.put("account/number/" + std::to_string(10'000 + i), "v"));
  records.push_back(maker_.put("account/number/", "prefix"));
  records.push_back(maker_.put("account/number/10500", "newer"));
  ASSERT_OK(tables_->apply(records));
  const auto rows = rows_of(*tables_);
  ASSERT_EQ(rows.size(), 1001U);
  EXPECT_TRUE(std::ranges::is_sorted(rows));
  EXPECT_THAT(rows.front(), Pair("account/number/", "prefix"));
  EXPECT_THAT(rows[501], Pair("account/number/10500", "newer"));
}

TEST_P(TablesTest, AnImpossibleKeyIsRefusedAndChangesNothing) {
  // Sealing refuses such a key already, so the record is made by hand.
  const std::string key(481, 'x');
  const std::vector<ChangeView> changes = {{key, std::nullopt}};
  const RecordPtr bad = SealedRecord::make({.lsn = Lsn{2}, .changes = changes}, key, {});
  const auto refused = tables_->apply({{maker_.put("fine", "1"), bad}});
  EXPECT_EQ(code_of(refused), Code::malformed);
  EXPECT_THAT(refused.error().text, HasSubstr("LSN 2"));
  EXPECT_TRUE(rows_of(*tables_).empty());
  EXPECT_EQ(tables_->applied(), Position{});
}

TEST_P(TablesTest, ScansStopWhereTheyShould) {
  ASSERT_OK(tables_->apply(
      {{maker_.put("a", "1"), maker_.put("b", "2"), maker_.put("c", "3"), maker_.put("d", "4")}}));
  auto view = tables_->view();
  ASSERT_OK(view);
  const auto scan = [&](std::string_view from, std::string_view to, std::size_t most) {
    std::string keys;
    EXPECT_OK((*view)->scan(from, to, [&](std::string_view key, std::string_view) {
      keys += key;
      return keys.size() < most;
    }));
    return keys;
  };
  EXPECT_EQ(scan("", "", 9), "abcd");
  EXPECT_EQ(scan("b", "d", 9), "bc");
  EXPECT_EQ(scan("bb", "", 9), "cd");
  EXPECT_EQ(scan("", "c", 1), "a");
  EXPECT_EQ(scan("e", "", 9), "");
  EXPECT_EQ(scan("c", "b", 9), "");
}

TEST_P(TablesTest, AViewStaysAsItWasUntilRenewed) {
  ASSERT_OK(tables_->apply({{maker_.put("a", "1")}}));
  auto view = tables_->view();
  ASSERT_OK(view);
  ASSERT_OK(tables_->apply({{maker_.put("a", "2"), maker_.put("b", "2")}}));
  EXPECT_EQ((*view)->applied(), Lsn{1});
  EXPECT_EQ((*view)->get("a").value(), "1");
  EXPECT_EQ((*view)->get("b").value(), std::nullopt);
  ASSERT_OK((*view)->renew());
  EXPECT_EQ((*view)->applied(), Lsn{3});
  EXPECT_EQ((*view)->get("a").value(), "2");
}

TEST_P(TablesTest, KeepTheSessions) {
  const SessionId one = session_id(1);
  const SessionId two = session_id(2);
  ASSERT_OK(tables_->apply(
      {{maker_.of_kind(RecordKind::session_opened, {one, 0}),
        maker_.of_kind(RecordKind::session_opened, {two, 0}), maker_.request({{"a", "1"}}, {one, 1}, "first"),
        maker_.request({}, {one, 2}, "second"), maker_.of_kind(RecordKind::tombstone, {one, 3})}}));
  Record acknowledging;
  acknowledging.sync = {one, 4};
  acknowledging.ack_below = 2;
  ASSERT_OK(
      tables_->apply({{maker_.make(acknowledging), maker_.of_kind(RecordKind::session_closed, {two, 0})}}));
  auto sessions = tables_->sessions();
  ASSERT_OK(sessions);
  EXPECT_EQ(sessions->size(), 1U);
  const Session* session = sessions->find(one);
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(session->ack_below, 2U);
  EXPECT_EQ(session->replies.size(), 3U);
  EXPECT_EQ(session->replies.at(2).reply, "second");
  EXPECT_EQ(tables_->stats().sessions, 1U);
}

TEST_P(TablesTest, DigestsAreEqualHoweverTheRecordsWereFed) {
  TempDir other_directory;
  auto other = make_memory_tables();
  std::vector<RecordPtr> records;
  records.push_back(maker_.of_kind(RecordKind::session_opened, {session_id(1), 0}));
  for (std::uint64_t i = 1; i < 200; ++i) {
    records.push_back(
        maker_.request({{"k" + std::to_string(i % 17), std::to_string(i)}}, {session_id(1), i}));
    if (i % 3 == 0) records.push_back(maker_.erase("k" + std::to_string(i % 5)));
  }
  ASSERT_OK(tables_->apply(records));
  for (const auto& record : records) ASSERT_OK(other->apply({{record}}));
  auto mine = tables_->digest();
  auto others = other->digest();
  ASSERT_OK(mine);
  EXPECT_EQ(*mine, *others);
  EXPECT_EQ(mine->first, maker_.last());
  ASSERT_OK(tables_->apply({{maker_.put("one", "more")}}));
  EXPECT_NE(tables_->digest()->second, mine->second);
}

INSTANTIATE_TEST_SUITE_P(Kinds, TablesTest,
                         ::testing::Values(TablesKind{"Lmdb", open_tables},
                                           TablesKind{"Memory",
                                                      [](const auto&) { return make_memory_tables(); }},
                                           TablesKind{"Faulty",
                                                      [](const auto& directory) {
                                                        return make_faulty_tables(open_tables(directory), {});
                                                      }}),
                         [](const auto& kind) { return kind.param.name; });

TEST(LmdbTables, AreThereAgainWhenOpenedAgain) {
  const TempDir directory;
  RecordMaker maker;
  std::optional<Hash> digest;
  {
    auto tables = open_tables(directory / "tables");
    ASSERT_OK(tables->apply({{maker.of_kind(RecordKind::session_opened, {session_id(1), 0}),
                              maker.request({{"a", "1"}}, {session_id(1), 1}, "reply")}}));
    digest = tables->digest()->second;
  }
  auto tables = open_tables(directory / "tables");
  EXPECT_EQ(tables->applied(), maker.last());
  EXPECT_EQ(tables->newest_time(), WallTime{2'000'000});
  EXPECT_EQ(tables->digest()->second, *digest);
  EXPECT_EQ(tables->sessions()->find(session_id(1))->replies.at(1).reply, "reply");
  EXPECT_OK(tables->apply({{maker.request({{"a", "2"}}, {session_id(1), 2}, "reply")}}));
}

TEST(FaultyTables, FailWhenToldAndRefuseEveryLaterWrite) {
  bool fail_now = false;
  auto tables =
      make_faulty_tables(make_memory_tables(), [&](std::string_view operation) -> std::optional<Code> {
        if (!fail_now || operation != "apply") return std::nullopt;
        return Code::io_error;
      });
  RecordMaker maker;
  EXPECT_OK(tables->apply(maker.some(1)));
  fail_now = true;
  EXPECT_EQ(code_of(tables->apply(maker.some(1))), Code::io_error);
  fail_now = false;
  EXPECT_EQ(code_of(tables->begin_snapshot()), Code::io_error);
}

}  // namespace
}  // namespace pollux::testing
