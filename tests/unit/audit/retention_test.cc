#include <gmock/gmock.h>

#include "audit_tools.h"
#include "pollux/audit/archive.h"

namespace pollux::testing {
namespace {

constexpr Lsn no_limit{~0ULL};

class RetentionTest : public ::testing::Test {
 protected:
  TempDir directory_;
  std::unique_ptr<Trail> trail_ = open_trail(directory_ / "trail");
  RecordMaker maker_;
  WallTime now_;

  void append(std::size_t count, std::size_t value_bytes = 200) {
    const auto records = maker_.some(count, value_bytes);
    ASSERT_OK(trail_->append(records));
    now_ = records.back()->record.time;
  }
  void run(Retention& retention, Lsn removable = no_limit) {
    for (int steps = 0;; ++steps) {
      ASSERT_LT(steps, 10'000);
      auto more = retention.step(*trail_, removable, now_);
      ASSERT_OK(more);
      if (!*more) return;
    }
  }
  std::vector<std::filesystem::path> archives() {
    std::vector<std::filesystem::path> files;
    if (!std::filesystem::exists(directory_ / "archives")) return files;
    for (const auto& entry : std::filesystem::directory_iterator(directory_ / "archives")) {
      if (entry.path().extension() == ".pollux-archive") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
  }
  /// Archives and trail together hold 1..last, each record once, in one chain.
  void expect_nothing_lost() {
    Position at;
    for (const auto& file : archives()) {
      auto content = read_archive(file);
      ASSERT_OK(content);
      EXPECT_EQ(content->base, at) << file;
      at = content->records.back()->position();
    }
    EXPECT_GE(at, trail_->base());
    auto tail = trail_->read_after(at.lsn, 1u << 30);
    ASSERT_OK(tail);
    if (!tail->empty()) at = tail->back()->position();
    EXPECT_EQ(at, maker_.last());
  }
  RetentionOptions archiving(std::uint64_t bytes) {
    return {.trail_bytes_max = bytes,
            .mode = RetentionMode::archive,
            .archive_directory = directory_ / "archives",
            .portion = 500};
  }
};

TEST_F(RetentionTest, WithinItsLimitsDoesNothing) {
  append(1000);
  Retention retention({});
  EXPECT_EQ(*retention.step(*trail_, no_limit, now_), false);
  EXPECT_EQ(trail_->base(), Position{});
}

TEST_F(RetentionTest, DropsTheOldestBeyondTheSize) {
  append(10'000);
  Retention retention({.trail_bytes_max = 1u << 20, .portion = 300});
  run(retention);
  EXPECT_LE(trail_->stats().bytes_used, 1u << 20);
  EXPECT_GT(trail_->stats().bytes_used, 700u << 10);
  EXPECT_EQ(trail_->last(), maker_.last());
}

TEST_F(RetentionTest, NeverDropsWhatIsNotRemovable) {
  append(10'000);
  Retention retention({.trail_bytes_max = 1u << 20, .portion = 300});
  run(retention, Lsn{1000});
  EXPECT_EQ(trail_->base().lsn, Lsn{1000});
  EXPECT_FALSE(*retention.step(*trail_, Lsn{1000}, now_));
  EXPECT_FALSE(*retention.step(*trail_, Lsn{0}, now_));
}

TEST_F(RetentionTest, DropsWhatIsTooOldToTheSecond) {
  append(5000);  // a record a second
  Retention retention({.trail_age_max_s = 1000, .portion = 300});
  run(retention);
  EXPECT_EQ(trail_->base().lsn, Lsn{3999});
  EXPECT_EQ(trail_->stats().oldest.us, now_.us - 1000LL * 1'000'000);
}

TEST_F(RetentionTest, AStepIsSmall) {
  append(5000);
  Retention retention({.trail_bytes_max = 1, .portion = 300});
  EXPECT_TRUE(*retention.step(*trail_, no_limit, now_));
  EXPECT_EQ(trail_->base().lsn, Lsn{300});
}

TEST_F(RetentionTest, ArchivesBeforeItDrops) {
  Retention retention(archiving(1u << 20));
  for (int i = 0; i < 10; ++i) {
    append(3000);
    run(retention, Lsn{maker_.last().lsn.value - 10});
    expect_nothing_lost();
    EXPECT_LE(trail_->stats().bytes_used, 1u << 20);
  }
  EXPECT_GE(archives().size(), 4U);
  EXPECT_LE(archives().size(), 10U);
}

TEST_F(RetentionTest, GoesOnAfterARestartAtAnyStep) {
  for (int i = 0; i < 12; ++i) {
    append(1500);
    Retention retention(archiving(1u << 20));
    for (int steps = 0; steps < i; ++steps) ASSERT_OK(retention.step(*trail_, no_limit, now_));
    expect_nothing_lost();
  }
  Retention retention(archiving(1u << 20));
  run(retention);
  expect_nothing_lost();
  EXPECT_LE(trail_->stats().bytes_used, 1u << 20);
}

TEST_F(RetentionTest, AnUnfinishedFileIsBegunAnew) {
  append(10'000);
  std::filesystem::create_directories(directory_ / "archives");
  std::ofstream(directory_ / "archives/filling.unfinished") << "half a file";
  std::ofstream(directory_ / "archives/00000000000000000001-00000000000000000500.pollux-archive")
      << "not an archive";
  Retention retention(archiving(1u << 20));
  run(retention);
  std::filesystem::remove(directory_ / "archives/00000000000000000001-00000000000000000500.pollux-archive");
  expect_nothing_lost();
}

TEST_F(RetentionTest, AQuietPairHasNoCrowdOfTinyArchives) {
  RetentionOptions options = archiving(1u << 30);
  options.trail_age_max_s = 100;
  Retention retention(options);
  for (int i = 0; i < 1000; ++i) {  // a record a second
    append(1, 10);
    run(retention);
  }
  EXPECT_GE(archives().size(), 8U);
  EXPECT_LE(archives().size(), 12U);
  EXPECT_EQ(trail_->base().lsn, Lsn{899});
  expect_nothing_lost();
}

TEST_F(RetentionTest, ArchivesHaveALimitToo) {
  RetentionOptions options = archiving(1u << 20);
  options.archive_bytes_max = 300'000;
  Retention retention(options);
  for (int i = 0; i < 20; ++i) {
    append(3000);
    run(retention);
  }
  std::uintmax_t bytes = 0;
  for (const auto& file : archives()) bytes += std::filesystem::file_size(file);
  EXPECT_LE(bytes, 300'000U);
  EXPECT_GE(archives().size(), 1U);
}

TEST_F(RetentionTest, ACutTrailIsArchivedAsItIsNow) {
  append(10'000);
  RetentionOptions options = archiving(1u << 20);
  options.archive_file_bytes = 1u << 30;
  Retention retention(options);
  for (int i = 0; i < 3; ++i) ASSERT_OK(retention.step(*trail_, no_limit, now_));
  const Position kept{Lsn{100}, *trail_->hash_at(Lsn{100})};
  ASSERT_OK(trail_->cut(kept, directory_ / "aside"));
  maker_ = RecordMaker(kept);
  ASSERT_OK(trail_->append({{maker_.put("another", "history")}}));
  append(10'000);
  run(retention);
  expect_nothing_lost();
}

TEST_F(RetentionTest, TheTwoHalvesMayRunApart) {
  append(10'000);
  Retention retention(archiving(1u << 20));
  EXPECT_FALSE(*retention.drop(*trail_, no_limit, now_));  // nothing is archived yet
  EXPECT_EQ(trail_->base(), Position{});
  while (*retention.copy(*trail_, no_limit, now_)) {
  }
  EXPECT_EQ(trail_->base(), Position{});
  while (*retention.drop(*trail_, no_limit, now_)) {
  }
  EXPECT_LE(trail_->stats().bytes_used, 1u << 20);
  expect_nothing_lost();
}

TEST_F(RetentionTest, OneStepByItself) {
  append(10'000);
  for (int i = 0; i < 40; ++i) {
    auto more = retention_step(*trail_, archiving(1u << 20), no_limit, now_);
    ASSERT_OK(more);
    if (!*more) break;
  }
  EXPECT_LE(trail_->stats().bytes_used, 1u << 20);
  expect_nothing_lost();
}

// Freed pages are used again: the file stops growing, however much is written.
TEST_F(RetentionTest, TheDataFileStopsGrowing) {
  constexpr std::uint64_t limit = 4u << 20;
  Retention retention({.trail_bytes_max = limit, .portion = 1000});
  std::uint64_t written = 0;
  std::size_t sizes[] = {100, 900, 40, 3000, 150, 9000};
  for (int i = 0; written < 10 * limit; ++i) {
    const std::size_t bytes = sizes[i % 6];
    const std::size_t count = 100'000 / bytes;
    append(count, bytes);
    written += count * bytes;
    run(retention, Lsn{maker_.last().lsn.value - 5});
  }
  EXPECT_LT(std::filesystem::file_size(directory_ / "trail/data.mdb"), 2 * limit);
  EXPECT_LE(trail_->stats().bytes_used, limit);
  auto report = verify(*trail_, {});
  ASSERT_OK(report);
  EXPECT_TRUE(report->faults.empty());
  trail_.reset();
  trail_ = open_trail(directory_ / "trail");
  ASSERT_NE(trail_, nullptr);
  EXPECT_EQ(trail_->last(), maker_.last());
}

}  // namespace
}  // namespace pollux::testing
