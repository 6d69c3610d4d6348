// What a request reads and changes: its own changes on top of the state, in one order, until it is done.
#include "transactions.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "pollux/proto/record_codec.h"
#include "unit/audit/audit_tools.h"

namespace pollux {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Rows = std::vector<std::pair<std::string, std::string>>;

class TransactionsTest : public ::testing::Test {
 protected:
  /// b, d and f are in the tables, d (anew) and h in the overlay.
  void SetUp() override {
    testing::RecordMaker maker;
    const auto applied = maker.request({{"b", "1"}, {"d", "2"}, {"f", "3"}});
    ASSERT_TRUE(tables_->apply({{applied}}));
    overlay_.add(maker.request({{"d", "20"}, {"h", "4"}}));
    view_ = StateView::open(*tables_, overlay_, [] { return Lsn{2}; }).value();
    txn_.emplace(*view_);
  }
  Rows scan(std::string_view from = "", std::string_view to = "", std::size_t rows_max = 100) {
    Rows rows;
    txn_->scan(from, to, [&](std::string_view key, std::string_view value) {
      rows.emplace_back(key, value);
      return rows.size() < rows_max;
    });
    return rows;
  }
  std::string thrown_by(const std::function<void()>& act) {
    try {
      act();
    } catch (const std::exception& failure) {
      return failure.what();
    }
    return "nothing";
  }

  std::unique_ptr<Tables> tables_ = make_memory_tables();
  Overlay overlay_;
  std::unique_ptr<StateView> view_;
  std::optional<StagedWriteTxn> txn_;
};

TEST_F(TransactionsTest, AScanSeesTheRequestsOwnChangesInKeyOrderAmongTheOthers) {
  txn_->put("a", "before all");
  txn_->put("c", "between");
  txn_->put("d", "instead");
  txn_->erase("f");
  txn_->put("z", "after all");
  EXPECT_EQ(scan(), (Rows{{"a", "before all"},
                          {"b", "1"},
                          {"c", "between"},
                          {"d", "instead"},
                          {"h", "4"},
                          {"z", "after all"}}));
}

TEST_F(TransactionsTest, AScansBoundsHoldForStagedRowsToo) {
  for (const char* key : {"a", "b", "c", "e", "f", "g"}) txn_->put(key, "own");
  EXPECT_EQ(scan("b", "f"), (Rows{{"b", "own"}, {"c", "own"}, {"d", "20"}, {"e", "own"}}));
  EXPECT_EQ(scan("bb", "c"), Rows{});
  EXPECT_EQ(scan("f"), (Rows{{"f", "own"}, {"g", "own"}, {"h", "4"}}));
}

TEST_F(TransactionsTest, AScanEndsWhereItsReaderSaysWhosesoeverTheRowIs) {
  txn_->put("a", "own");
  txn_->put("c", "own");
  txn_->put("z", "own");
  EXPECT_THAT(scan("", "", 1), ElementsAre(Rows::value_type{"a", "own"}));
  EXPECT_EQ(scan("", "", 2).back().first, "b");
  EXPECT_EQ(scan("", "", 3).back().first, "c");
  EXPECT_THAT(scan("i", "", 1), ElementsAre(Rows::value_type{"z", "own"}));
}

TEST_F(TransactionsTest, ErasedRowsAreSkippedWithoutCountingAndComeBackWhenPutAgain) {
  for (const char* key : {"b", "d", "f"}) txn_->erase(key);
  txn_->erase("no such row");
  EXPECT_EQ(scan(), (Rows{{"h", "4"}}));
  EXPECT_FALSE(txn_->get("b").has_value());
  txn_->put("d", "again");
  EXPECT_EQ(scan(), (Rows{{"d", "again"}, {"h", "4"}}));
  EXPECT_EQ(txn_->get("d"), "again");
}

TEST_F(TransactionsTest, ReadsAreAllowedWithinAScanAndWritesAndScansAreNot) {
  std::string read;
  std::vector<std::string> refusals;
  txn_->put("own", "x");
  txn_->scan("b", "c", [&](std::string_view, std::string_view) {
    read = txn_->get("h").value() + txn_->get("own").value();
    refusals.push_back(thrown_by([&] { txn_->put("b", "2"); }));
    refusals.push_back(thrown_by([&] { txn_->erase("b"); }));
    refusals.push_back(
        thrown_by([&] { txn_->scan("", "", [](std::string_view, std::string_view) { return true; }); }));
    return true;
  });
  EXPECT_EQ(read, "4x");
  ASSERT_THAT(refusals, SizeIs(3));
  EXPECT_THAT(refusals[0], HasSubstr("written from within a scan"));
  EXPECT_THAT(refusals[1], HasSubstr("written from within a scan"));
  EXPECT_THAT(refusals[2], HasSubstr("begun from within a scan"));
  EXPECT_EQ(txn_->get("b"), "1");
}

TEST_F(TransactionsTest, AScanThatWasLeftByAnExceptionDoesNotForbidWrites) {
  EXPECT_THAT(thrown_by([&] {
                txn_->scan("", "", [](std::string_view, std::string_view) -> bool {
                  throw std::runtime_error("enough");
                });
              }),
              HasSubstr("enough"));
  txn_->put("b", "2");
  EXPECT_EQ(txn_->get("b"), "2");
}

TEST_F(TransactionsTest, ChangesAreTakenInKeyOrderEachKeyOnceAndNothingIsLeft) {
  txn_->put("z", "1");
  txn_->put("a", "first");
  txn_->put("a", "last");
  txn_->erase("m");
  const auto changes = txn_->take_changes();
  EXPECT_EQ(changes, (std::vector<Change>{{"a", "last"}, {"m", std::nullopt}, {"z", "1"}}));
  EXPECT_THAT(txn_->take_changes(), IsEmpty());
  EXPECT_FALSE(txn_->get("z").has_value());
}

TEST_F(TransactionsTest, KeysAreOneTo480Bytes) {
  txn_->put(std::string(change_key_bytes_max, 'k'), "v");
  EXPECT_THAT(thrown_by([&] { txn_->put(std::string(change_key_bytes_max + 1, 'k'), "v"); }),
              HasSubstr("a key of 481 bytes: 1 to 480 are allowed"));
  EXPECT_THAT(thrown_by([&] { txn_->erase(""); }), HasSubstr("a key of 0 bytes"));
}

TEST_F(TransactionsTest, MoreThanARecordHoldsIsRefusedAndWhatIsReplacedDoesNotCount) {
  const std::string big(20u << 20, 'x');
  for (int again = 0; again < 5; ++again) txn_->put("same", big);  // 20 MiB in the end, not 100
  txn_->put("second", big);
  txn_->put("third", big);
  EXPECT_THAT(thrown_by([&] { txn_->put("fourth", big); }), HasSubstr("more than a record holds"));
  txn_->erase("second");
  txn_->put("fourth", big);
  const auto changes = txn_->take_changes();
  EXPECT_THAT(changes, SizeIs(4));
  txn_->put("fresh", big);  // counts from nothing again
  txn_->put("fresh2", big);
}

TEST(TransactionsOfDamagedTables, ADamagedRowIsThrownAsAStorageErrorWithItsCode) {
  testing::TempDir directory;
  auto tables = testing::open_tables(directory / "tables");
  testing::RecordMaker maker;
  ASSERT_TRUE(tables->apply({{maker.request({{"row", "<a row's value>"}})}}));
  tables.reset();
  testing::flip_all(directory / "tables" / "data.mdb", "<a row's value>", 3, 2);
  tables = testing::open_tables(directory / "tables");
  ASSERT_NE(tables, nullptr);
  Overlay overlay;
  auto view = StateView::open(*tables, overlay, [] { return Lsn{1}; }).value();
  StagedWriteTxn writes(*view);
  ViewReadTxn reads(*view);
  for (ReadTxn* txn : {static_cast<ReadTxn*>(&writes), static_cast<ReadTxn*>(&reads)}) {
    try {
      static_cast<void>(txn->get("row"));
      ADD_FAILURE() << "a damaged row was read";
    } catch (const ServiceStorageError& failure) {
      EXPECT_EQ(failure.error().code, Code::damaged) << failure.what();
    }
    try {
      txn->scan("", "", [](std::string_view, std::string_view) { return true; });
      ADD_FAILURE() << "a damaged row was scanned";
    } catch (const ServiceStorageError& failure) {
      EXPECT_EQ(failure.error().code, Code::damaged) << failure.what();
    }
  }
}

}  // namespace
}  // namespace pollux
