// A disk that fails at its n-th write or flush, for every n: what was acknowledged before is there, nothing
// is written after, and what failed is there wholly or not at all.
#include <gmock/gmock.h>

#include <cerrno>
#include <functional>

#include "audit_tools.h"
#include "failing_disk.h"
#include "pollux/audit/archive.h"

namespace pollux::testing {
namespace {

class FlushFailure : public ::testing::TestWithParam<int> {
 protected:
  TempDir directory_;
};

TEST_P(FlushFailure, OfATrailPoisonsIt) {
  const Code expected = GetParam() == ENOSPC ? Code::disk_full : Code::io_error;
  bool failed = true;
  for (std::size_t nth = 1; failed; ++nth) {
    ASSERT_LT(nth, 200U);
    const auto directory = directory_ / ("trail" + std::to_string(nth));
    RecordMaker maker;
    Position acknowledged;
    std::vector<RecordPtr> lost;
    {
      auto trail = open_trail(directory);
      ASSERT_OK(trail->append(maker.some(10)));
      acknowledged = maker.last();
      lost = maker.some(300);
      const FailingDisk disk(nth, GetParam());
      const auto appended = trail->append(lost);
      failed = disk.failed();
      ASSERT_EQ(appended.has_value(), !failed);
      if (failed) {
        EXPECT_EQ(appended.error().code, expected) << appended.error().text;
        EXPECT_EQ(trail->last(), acknowledged);
      }
      if (!failed) break;
    }
    auto trail = open_trail(directory);
    ASSERT_NE(trail, nullptr);
    EXPECT_TRUE(trail->last() == acknowledged || trail->last() == maker.last());
    EXPECT_TRUE(verify(*trail, {})->faults.empty());
  }
}

TEST_P(FlushFailure, IsNeverRetried) {
  auto trail = open_trail(directory_ / "trail");
  RecordMaker maker;
  ASSERT_OK(trail->append(maker.some(10)));
  const auto records = maker.some(5);
  {
    const FailingDisk disk(1, GetParam());
    EXPECT_FALSE(trail->append(records));
  }
  const auto before = flushes();
  const auto again = trail->append(records);
  EXPECT_FALSE(again);
  EXPECT_THAT(again.error().text, ::testing::HasSubstr("after an earlier failure"));
  EXPECT_FALSE(trail->store_state({}));
  EXPECT_FALSE(trail->reset({}));
  EXPECT_FALSE(trail->drop_below(Lsn{5}, 5));
  EXPECT_FALSE(trail->cut({Lsn{5}, *trail->hash_at(Lsn{5})}, directory_ / "aside"));
  EXPECT_FALSE(trail->repair(*trail->read(Lsn{5})));
  EXPECT_EQ(flushes(), before);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "aside"));
  EXPECT_OK(trail->read(Lsn{10}));
}

TEST_P(FlushFailure, OfAnyWriteOfATrailLeavesItWholeOrAsItWas) {
  struct Case {
    const char* name;
    std::function<bool(Trail&, const std::vector<RecordPtr>&)> run;
  };
  const std::vector<Case> cases = {
      {"cut",
       [&](Trail& trail, const auto& records) {
         return trail.cut(records[9]->position(), directory_ / "aside").has_value();
       }},
      {"drop", [](Trail& trail, const auto&) { return trail.drop_below(Lsn{30}, 30).has_value(); }},
      {"reset", [](Trail& trail, const auto&) { return trail.reset({Lsn{77}, {}}).has_value(); }},
      {"state", [](Trail& trail, const auto&) { return trail.store_state({}).has_value(); }},
      {"repair", [](Trail& trail, const auto& records) { return trail.repair(records[3]).has_value(); }},
  };
  for (const auto& test : cases) {
    bool failed = true;
    for (std::size_t nth = 1; failed; ++nth) {
      ASSERT_LT(nth, 200U);
      const auto directory = directory_ / (test.name + std::to_string(nth));
      RecordMaker maker;
      const auto records = maker.some(60);
      {
        auto trail = open_trail(directory);
        ASSERT_OK(trail->append(records));
        const FailingDisk disk(nth, GetParam());
        const bool done = test.run(*trail, records);
        failed = disk.failed();
        EXPECT_EQ(done, !failed) << test.name << nth;
      }
      auto trail = open_trail(directory);
      ASSERT_NE(trail, nullptr);
      EXPECT_TRUE(verify(*trail, {})->faults.empty());
      const auto last = trail->last().lsn;
      EXPECT_TRUE(last == Lsn{60} || last == Lsn{10} || last == Lsn{77}) << last.value;
      if (last == Lsn{10}) {
        EXPECT_EQ(read_archive(directory_ / "aside")->records.size(), 50U);
      }
    }
  }
}

TEST_P(FlushFailure, OfTablesPoisonsThem) {
  bool failed = true;
  for (std::size_t nth = 1; failed; ++nth) {
    ASSERT_LT(nth, 200U);
    const auto directory = directory_ / ("tables" + std::to_string(nth));
    RecordMaker maker;
    Hash before;
    Position acknowledged;
    const std::vector<RecordPtr> first = {maker.of_kind(RecordKind::session_opened, {session_id(1), 0}),
                                          maker.request({{"a", "1"}}, {session_id(1), 1})};
    acknowledged = maker.last();
    const std::vector<RecordPtr> second = {
        maker.request({{"a", "2"}, {"b", std::string(9000, 'b')}}, {session_id(1), 2})};
    {
      auto tables = open_tables(directory);
      ASSERT_OK(tables->apply(first));
      before = tables->digest()->second;
      const FailingDisk disk(nth, GetParam());
      const bool applied = tables->apply(second).has_value();
      EXPECT_EQ(applied, !disk.failed());
      failed = disk.failed();
    }
    if (!failed) break;
    auto tables = open_tables(directory);
    ASSERT_NE(tables, nullptr);
    if (tables->applied() == acknowledged) {
      EXPECT_EQ(tables->digest()->second, before);
      EXPECT_OK(tables->apply(second));
    }
    auto expected = make_memory_tables();
    ASSERT_OK(expected->apply(first));
    ASSERT_OK(expected->apply(second));
    EXPECT_EQ(*tables->digest(), *expected->digest());
  }
}

TEST_P(FlushFailure, OfASnapshotCanBeMadeGoodAfterARestart) {
  auto from = make_memory_tables();
  RecordMaker maker;
  ASSERT_OK(from->apply(maker.some(200)));
  bool failed = true;
  for (std::size_t nth = 1; failed; ++nth) {
    ASSERT_LT(nth, 400U);
    const auto directory = directory_ / ("to" + std::to_string(nth));
    auto to = open_tables(directory);
    const auto move = [&](std::size_t most) -> Result<void> {
      if (!to->snapshot_progress() && to->applied() != from->applied()) {
        if (auto begun = to->begin_snapshot(); !begun) return begun;
      }
      for (; most > 0 && to->snapshot_progress(); --most) {
        const auto chunk = from->read_snapshot(to->snapshot_progress()->cursor, 4000);
        if (auto done = to->install(*chunk); !done) return done;
      }
      return {};
    };
    {
      const FailingDisk disk(nth, GetParam());
      const bool moved = move(3).has_value();
      EXPECT_EQ(moved, !disk.failed());
      failed = disk.failed();
    }
    to.reset();
    to = open_tables(directory);
    ASSERT_NE(to, nullptr);
    ASSERT_OK(move(1000));
    EXPECT_EQ(*to->digest(), *from->digest());
  }
}

TEST_P(FlushFailure, OfAnArchiveLeavesNoFileAndNoLoss) {
  bool failed = true;
  for (std::size_t nth = 1; failed; ++nth) {
    ASSERT_LT(nth, 400U);
    auto trail = open_trail(directory_ / ("trail" + std::to_string(nth)));
    const auto archives = directory_ / ("archives" + std::to_string(nth));
    RecordMaker maker;
    ASSERT_OK(trail->append(maker.some(2000)));
    Retention retention({.trail_bytes_max = 1,
                         .mode = RetentionMode::archive,
                         .archive_directory = archives,
                         .portion = 500});
    {
      const FailingDisk disk(nth, GetParam());
      bool ok = true;
      for (int i = 0; i < 12 && ok; ++i) ok = retention.step(*trail, maker.last().lsn, {}).has_value();
      EXPECT_EQ(ok, !disk.failed());
      failed = disk.failed();
    }
    std::uint64_t archived = 0;
    if (std::filesystem::exists(archives)) {
      for (const auto& entry : std::filesystem::directory_iterator(archives)) {
        auto content = read_archive(entry.path());
        ASSERT_OK(content);
        archived = std::max(archived, content->records.back()->record.lsn.value);
      }
    }
    EXPECT_GE(archived, trail->base().lsn.value);
  }
}

INSTANTIATE_TEST_SUITE_P(Errors, FlushFailure, ::testing::Values(EIO, ENOSPC),
                         [](const auto& kind) { return kind.param == EIO ? "IoError" : "DiskFull"; });

}  // namespace
}  // namespace pollux::testing
