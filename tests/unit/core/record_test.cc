#include "pollux/core/record.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "pollux/core/check.h"

namespace pollux {
namespace {

TEST(SealedRecord, HoldsItsOwnCopyOfAllText) {
  std::string bytes = "key1value1key2reply";
  std::vector<ChangeView> changes = {{std::string_view(bytes).substr(0, 4), std::string_view(bytes).substr(4, 6)},
                                     {std::string_view(bytes).substr(10, 4), std::nullopt}};
  Leads leads{.epoch = Epoch{3}, .primary = {}, .backup = {}, .commit_base = {}, .reason = "a long enough reason to lead"};
  RecordView fields{.lsn = Lsn{7}, .epoch = Epoch{3}, .changes = changes, .reply = std::string_view(bytes).substr(14),
                    .leads = &leads};
  const RecordPtr record = SealedRecord::make(fields, bytes, Hash{{9}});
  bytes.assign(bytes.size(), 'x');
  changes.clear();
  leads.reason.clear();

  EXPECT_EQ(record->bytes, "key1value1key2reply");
  ASSERT_EQ(record->record.changes.size(), 2U);
  EXPECT_EQ(record->record.changes[0].key, "key1");
  EXPECT_EQ(record->record.changes[0].value, "value1");
  EXPECT_EQ(record->record.changes[1].key, "key2");
  EXPECT_FALSE(record->record.changes[1].value.has_value());
  EXPECT_EQ(record->record.reply, "reply");
  ASSERT_NE(record->record.leads, nullptr);
  EXPECT_EQ(record->record.leads->reason, "a long enough reason to lead");
  EXPECT_EQ(record->position(), (Position{Lsn{7}, Hash{{9}}}));
  EXPECT_GE(record->memory(), sizeof(SealedRecord) + record->bytes.size());

  const Record copy = copy_of(record->record);
  EXPECT_EQ(record->record, copy);
  Record other = copy;
  other.changes[0].value = "another";
  EXPECT_FALSE(record->record == other);
  other = copy;
  other.leads.reset();
  EXPECT_FALSE(record->record == other);
}

TEST(SealedRecord, LivesAsLongAsItsLastOwner) {
  RecordPtr first = SealedRecord::make({.lsn = Lsn{1}}, "bytes", {});
  RecordPtr second = first;
  first.reset();
  EXPECT_EQ(second->bytes, "bytes");
}

TEST(SealedRecord, WithTextFromElsewhereIsOurMistake) {
  set_check_handler([](const char*, const char*, int, const char*) { throw std::logic_error("check"); });
  const std::string bytes = "bytes", elsewhere = "elsewhere";
  EXPECT_THROW(SealedRecord::make({.lsn = Lsn{1}, .reply = elsewhere}, bytes, {}), std::logic_error);
  set_check_handler(nullptr);
}

}  // namespace
}  // namespace pollux
