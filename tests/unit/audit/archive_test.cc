#include "pollux/audit/archive.h"

#include <gmock/gmock.h>

#include "audit_tools.h"

namespace pollux::testing {
namespace {

using ::testing::HasSubstr;

class ArchiveTest : public ::testing::Test {
 protected:
  TempDir directory_;
  std::filesystem::path file_ = directory_ / "file";
  RecordMaker maker_;
};

TEST_F(ArchiveTest, GivesBackItsRecords) {
  maker_.some(7);
  const Position base = maker_.last();
  auto records = maker_.some(2000, 500);
  records.push_back(maker_.put("large", std::string(3'000'000, 'L')));
  records.push_back(maker_.put("small", ""));
  ASSERT_OK(write_archive(file_, base, records));
  auto content = read_archive(file_);
  ASSERT_OK(content);
  EXPECT_EQ(content->base, base);
  ASSERT_EQ(content->records.size(), records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(content->records[i]->bytes, records[i]->bytes);
    EXPECT_EQ(content->records[i]->hash, records[i]->hash);
  }
  EXPECT_LT(std::filesystem::file_size(file_), 2000U * 500 / 2);
}

TEST_F(ArchiveTest, MayBeEmpty) {
  ASSERT_OK(write_archive(file_, {Lsn{5}, {}}, {}));
  auto content = read_archive(file_);
  ASSERT_OK(content);
  EXPECT_EQ(content->base.lsn, Lsn{5});
  EXPECT_TRUE(content->records.empty());
}

TEST_F(ArchiveTest, TellsAHashByInflatingOneBlock) {
  const auto records = maker_.some(5000, 200);
  ASSERT_OK(write_archive(file_, {}, records));
  auto reader = ArchiveReader::open(file_);
  ASSERT_OK(reader);
  EXPECT_GT(reader->blocks(), 4U);
  EXPECT_EQ(reader->last(), maker_.last());
  for (const std::size_t i : {0, 1, 1234, 4998, 4999}) {
    EXPECT_EQ(*reader->hash_at(Lsn{i + 1}), records[i]->hash);
    EXPECT_EQ((*reader->read(Lsn{i + 1}))->bytes, records[i]->bytes);
  }
  EXPECT_EQ(*reader->hash_at(Lsn{0}), Hash{});
  EXPECT_EQ(code_of(reader->hash_at(Lsn{5001})), Code::not_found);
  EXPECT_EQ(code_of(reader->read(Lsn{0})), Code::gone);
}

TEST_F(ArchiveTest, AppearsOnlyWhenComplete) {
  {
    auto writer = ArchiveWriter::create(file_, {});
    ASSERT_OK(writer);
    for (const auto& record : maker_.some(100))
      ASSERT_OK(writer->add(record->record.lsn, record->bytes, record->hash));
    EXPECT_FALSE(std::filesystem::exists(file_));
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path()));
}

TEST_F(ArchiveTest, FindsEveryFlippedBit) {
  const auto records = maker_.some(40, 30);
  ASSERT_OK(write_archive(file_, {}, records));
  const auto size = std::filesystem::file_size(file_);
  for (std::size_t byte = 0; byte < size; ++byte) {
    flip_bit(file_, byte, static_cast<int>(byte % 8));
    auto content = read_archive(file_);
    ASSERT_FALSE(content) << "byte " << byte;
    EXPECT_EQ(content.error().code, Code::damaged);
    flip_bit(file_, byte, static_cast<int>(byte % 8));
  }
  EXPECT_OK(read_archive(file_));
}

TEST_F(ArchiveTest, FindsThatItWasCutOffAtAnyByte) {
  ASSERT_OK(write_archive(file_, {}, maker_.some(40, 30)));
  for (auto size = std::filesystem::file_size(file_); size-- > 0;) {
    std::filesystem::resize_file(file_, size);
    EXPECT_EQ(code_of(read_archive(file_)), Code::damaged) << size;
  }
}

TEST_F(ArchiveTest, DamageInOneBlockLeavesTheOthersReadable) {
  const auto records = maker_.some(5000, 200);
  ASSERT_OK(write_archive(file_, {}, records));
  flip_bit(file_, std::filesystem::file_size(file_) / 2);
  auto report = verify_archive(file_);
  ASSERT_OK(report);
  ASSERT_EQ(report->faults.size(), 1U);
  EXPECT_THAT(report->faults[0].text, HasSubstr("LSN"));
  EXPECT_GT(report->records, 3000U);
  EXPECT_LT(report->records, 5000U);
  auto reader = ArchiveReader::open(file_);
  ASSERT_OK(reader);
  EXPECT_EQ((*reader->read(Lsn{5000}))->bytes, records.back()->bytes);
}

TEST_F(ArchiveTest, WhatIsNoArchiveIsRefusedInOneSentence) {
  EXPECT_THAT(text_of(read_archive(directory_ / "absent")), HasSubstr("No such file"));
  std::ofstream(file_) << std::string(500, 'x');
  EXPECT_THAT(text_of(read_archive(file_)), HasSubstr("not that of a Pollux archive"));
  std::ofstream(file_, std::ios::trunc) << "x";
  EXPECT_THAT(text_of(read_archive(file_)), HasSubstr("too short"));
  EXPECT_EQ(code_of(read_archive(directory_.path())), Code::io_error);
}

}  // namespace
}  // namespace pollux::testing
