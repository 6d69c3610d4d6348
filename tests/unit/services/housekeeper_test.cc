// The housekeeper with real audit files and short rounds: retention, scrub, and a disk that fills up.
#include "housekeeper.h"

#include <gmock/gmock.h>
#include <sys/mount.h>
#include <unistd.h>

#include <fstream>

#include "applier.h"
#include "posted.h"
#include "unit/audit/audit_tools.h"

namespace pollux {
namespace {

using testing::eventually;
using ::testing::HasSubstr;
using testing::Posted;

class HousekeeperTest : public ::testing::Test {
 protected:
  void write(std::size_t count) {
    for (std::size_t i = 1; i <= count; ++i) {
      records_.push_back(maker_.put("key", "<value " + std::to_string(i) + ">" + std::string(500, '.')));
    }
    trail_ = testing::open_trail(directory_ / "trail");
    ASSERT_OK(trail_->append(records_));
  }
  void start(Housekeeper::Options options) {
    if (!trail_) trail_ = testing::open_trail(directory_ / "trail");
    state_ = std::make_unique<SharedState>(*tables_);
    log_ = MemberLog::open({.directory = directory_.path(), .name = "test"}).value();
    quarantine_ = Quarantine::open(directory_.path()).value();
    applier_.emplace(Applier::Parts{*trail_, *state_, *quarantine_, inbox_, counters_, *log_},
                     Applier::Options{});
    forcer_.emplace(Forcer::Parts{*trail_, *state_, *applier_, inbox_, counters_, *log_},
                    directory_ / "aside");
    forcer_->start();
    if (options.directory.empty()) options.directory = directory_.path();
    options.round = std::min(options.round, std::chrono::milliseconds(5));
    state_->set_committed(committed_);
    state_->set_applied(applied_);
    housekeeper_.emplace(Housekeeper::Parts{*trail_, *state_, *forcer_, inbox_, counters_, *log_}, options);
    housekeeper_->start();
  }
  void TearDown() override {
    if (housekeeper_) housekeeper_->stop();
    if (forcer_) forcer_->stop();
  }
  /// Limits that no test's disk reaches.
  static Housekeeper::Options quiet() {
    return {.directory = {}, .warn_percent = 101, .full_percent = 101, .retention = {}};
  }
  static RetentionOptions keep_nothing(RetentionMode mode, const std::filesystem::path& archive = {}) {
    return {.trail_bytes_max = 1, .mode = mode, .archive_directory = archive, .portion = 10};
  }
  /// Waits until every round's work was done `rounds` times more. Requires a trail that is scrubbed in one
  /// round.
  void wait_for_rounds(std::uint64_t rounds) {
    const std::uint64_t wanted = counters_.records_scrubbed + rounds * records_.size();
    EXPECT_TRUE(eventually([&] { return counters_.records_scrubbed >= wanted; }));
  }
  std::size_t logged(const std::string& text) {
    housekeeper_->stop();
    forcer_->stop();
    forcer_.reset();
    housekeeper_.reset();
    log_.reset();
    std::ifstream file(directory_ / "log");
    std::size_t lines = 0;
    for (std::string line; std::getline(file, line);) lines += line.find(text) != std::string::npos;
    return lines;
  }

  testing::TempDir directory_;
  testing::RecordMaker maker_;
  std::vector<RecordPtr> records_;
  Lsn committed_, applied_;
  std::unique_ptr<Trail> trail_;
  std::unique_ptr<Tables> tables_ = make_memory_tables();
  std::unique_ptr<SharedState> state_;
  std::unique_ptr<Quarantine> quarantine_;
  CoreInbox inbox_;
  Posted posted_{inbox_};
  MemberCounters counters_;
  std::unique_ptr<MemberLog> log_;
  std::optional<Applier> applier_;
  std::optional<Forcer> forcer_;
  std::optional<Housekeeper> housekeeper_;
};

TEST_F(HousekeeperTest, OldRecordsLeaveInPortionsAndOnlyOnceTheyAreAppliedAndCommitted) {
  write(200);
  committed_ = {120};
  applied_ = {80};
  auto options = quiet();
  options.retention = keep_nothing(RetentionMode::drop);
  start(options);
  EXPECT_TRUE(eventually([&] { return trail_->base().lsn == Lsn{80}; })) << trail_->base().lsn.value;
  EXPECT_TRUE(eventually([&] { return counters_.retention_steps >= 7; })) << "ten records a step";
  state_->set_applied({150});  // committed is what counts now
  EXPECT_TRUE(eventually([&] { return trail_->base().lsn == Lsn{120}; })) << trail_->base().lsn.value;
  housekeeper_->stop();
  EXPECT_EQ(trail_->base().lsn, Lsn{120});
  EXPECT_EQ(trail_->last().lsn, Lsn{200});
}

TEST_F(HousekeeperTest, WhatLeavesIsInTheArchiveFirst) {
  write(100);
  committed_ = applied_ = {60};
  auto options = quiet();
  options.retention = keep_nothing(RetentionMode::archive, directory_ / "archive");
  start(options);
  EXPECT_TRUE(eventually([&] { return trail_->base().lsn == Lsn{60}; })) << trail_->base().lsn.value;
  housekeeper_->stop();
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory_ / "archive"))
    files.push_back(entry);
  std::ranges::sort(files);
  std::uint64_t archived = 0;
  for (const auto& file : files) {
    const auto report = verify_archive(file);
    ASSERT_OK(report);
    EXPECT_TRUE(report->faults.empty());
    archived += report->records;
  }
  EXPECT_EQ(archived, 60U);
}

TEST_F(HousekeeperTest, AnArchiveThatCantBeWrittenKeepsTheRecordsSaysSoOnceAndGoesOnWhenItCan) {
  write(40);
  committed_ = applied_ = {40};
  const auto archive = directory_ / "archive";
  std::ofstream(archive) << "a file stands where the directory should be";
  auto options = quiet();
  options.retention = keep_nothing(RetentionMode::archive, archive);
  start(options);
  wait_for_rounds(3);
  EXPECT_EQ(trail_->base().lsn, Lsn{0});
  std::filesystem::remove(archive);
  EXPECT_TRUE(eventually([&] { return trail_->base().lsn == Lsn{40}; }));
  EXPECT_EQ(logged("old records can't leave the trail"), 1U);
}

TEST_F(HousekeeperTest, ADiskThatFailedIsLeftAlone) {
  write(40);
  trail_ = make_faulty_trail(std::move(trail_), [](std::string_view operation) {
    return operation == "append" ? std::optional(Code::io_error) : std::nullopt;
  });
  start(quiet());
  forcer_->give(Force{{maker_.put("one", "more")}});
  EXPECT_EQ(posted_.next<StorageFailed>().error.code, Code::io_error);
  housekeeper_->stop();
  state_->set_committed({40});
  state_->set_applied({40});
  auto options = quiet();
  options.directory = directory_.path();
  options.round = std::chrono::milliseconds(5);
  options.retention = keep_nothing(RetentionMode::drop);
  housekeeper_.emplace(Housekeeper::Parts{*trail_, *state_, *forcer_, inbox_, counters_, *log_}, options);
  housekeeper_->start();
  wait_for_rounds(3);
  EXPECT_EQ(trail_->base().lsn, Lsn{0});
  EXPECT_EQ(logged("old records"), 0U) << "the member stops and says why: no second complaint";
}

TEST_F(HousekeeperTest, TheScrubFindsADamagedRecordWhereverItIs) {
  write(50);
  trail_.reset();
  testing::flip_all(directory_ / "trail" / "data.mdb", "<value 50>", 3, 6);
  committed_ = {50};
  auto options = quiet();
  options.scrub_records = 7;  // several rounds
  start(options);
  EXPECT_EQ(posted_.next<DamageFound>().lsn, Lsn{50});
  EXPECT_GE(counters_.damage_found, 1U);
}

TEST_F(HousekeeperTest, TheScrubReadsAShortTrailOnceARoundAndNothingThatIsNotCommitted) {
  write(20);
  trail_.reset();
  testing::flip_all(directory_ / "trail" / "data.mdb", "<value 15>", 3, 6);
  committed_ = {10};
  start(quiet());
  EXPECT_TRUE(eventually([&] { return counters_.records_scrubbed >= 30; })) << "again and again";
  housekeeper_->stop();
  EXPECT_EQ(counters_.records_scrubbed % 10, 0U) << "whole rounds of ten";
  EXPECT_EQ(counters_.damage_found, 0U);
}

TEST_F(HousekeeperTest, ADirectoryThatCantBeAskedForItsSpaceIsSaidOnceAndIsNoPressure) {
  write(5);
  committed_ = {5};
  auto options = quiet();
  options.directory = directory_ / "not there";
  start(options);
  wait_for_rounds(3);
  EXPECT_FALSE(posted_.take<DiskPressure>().has_value());
  EXPECT_EQ(logged("can't ask how full"), 1U);
}

/// A small file system in memory that can be filled to a percentage.
class SmallDisk {
 public:
  explicit SmallDisk(std::filesystem::path where) : where_(std::move(where)) {
    std::filesystem::create_directory(where_);
    mounted_ = ::mount("pollux-test", where_.c_str(), "tmpfs", 0, "size=16m,mode=700") == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(where_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  [[nodiscard]] bool mounted() const { return mounted_; }
  /// A file that takes so much of the disk. Written, not extended: a hole fills nothing.
  void fill(const std::string& name, double percent) {
    const auto bytes = static_cast<std::size_t>((16u << 20) * percent / 100);
    std::ofstream(where_ / name, std::ios::binary) << std::string(bytes, 'x');
  }
  void remove(const std::string& name) { std::filesystem::remove(where_ / name); }

 private:
  std::filesystem::path where_;
  bool mounted_ = false;
};

TEST_F(HousekeeperTest, AFullDiskIsToldOnceAndOnlyWellBelowTheLimitTakenBack) {
  SmallDisk disk(directory_ / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small disk needs root";
  write(5);
  committed_ = {5};
  Housekeeper::Options options;
  options.directory = directory_ / "disk";
  options.warn_percent = 80;
  options.full_percent = 95;
  start(options);
  disk.fill("a", 85);
  disk.fill("b", 9.5);
  wait_for_rounds(2);
  EXPECT_FALSE(posted_.take<DiskPressure>().has_value()) << "94.5 % is reason to warn, no more";
  disk.fill("c", 1.5);
  EXPECT_TRUE(posted_.next<DiskPressure>().full);
  disk.fill("d", 0.5);
  wait_for_rounds(2);
  EXPECT_FALSE(posted_.take<DiskPressure>().has_value()) << "told once";
  disk.fill("e", 2);
  EXPECT_TRUE(posted_.next<DiskPressure>().exhausted) << "98.5 % is above the second mark";
  disk.remove("e");
  const auto less = posted_.next<DiskPressure>();
  EXPECT_TRUE(less.full);
  EXPECT_FALSE(less.exhausted);
  disk.remove("c");
  disk.remove("d");
  wait_for_rounds(2);
  EXPECT_FALSE(posted_.take<DiskPressure>().has_value()) << "94.5 % is too near the limit to call it over";
  disk.remove("b");
  EXPECT_FALSE(posted_.next<DiskPressure>().full);
  EXPECT_EQ(logged("at 95 % only what frees space is executed"), 1U);
}

TEST(ReusableBytes, AreWhatBothFilesHaveFreeOfThemselves) {
  // A deletion gives pages of the tables back, and retention pages of the trail. Whoever writes needs both.
  const testing::TempDir directory;
  const auto trail = testing::open_trail(directory / "trail");
  const auto tables = testing::open_tables(directory / "tables");
  testing::RecordMaker maker;
  constexpr std::size_t count = 40, value_bytes = 100'000;
  std::vector<RecordPtr> records;
  const auto key = [](std::size_t i) { return "key-" + std::to_string(i); };
  for (std::size_t i = 0; i < count; ++i) records.push_back(maker.put(key(i), std::string(value_bytes, 'v')));
  ASSERT_TRUE(trail->append(records));
  ASSERT_TRUE(tables->apply(records));
  const auto reusable = [&] { return reusable_bytes(directory.path(), *trail, *tables); };
  EXPECT_LT(reusable(), count * value_bytes / 2);
  std::vector<RecordPtr> deletions;
  for (std::size_t i = 0; i < count; ++i) deletions.push_back(maker.erase(key(i)));
  ASSERT_TRUE(trail->append(deletions));
  ASSERT_TRUE(tables->apply(deletions));
  EXPECT_LT(reusable(), count * value_bytes / 2) << "the trail has no room yet";
  ASSERT_TRUE(trail->drop_below({count}, 1000));
  EXPECT_GT(reusable(), count * value_bytes / 2);
}

}  // namespace
}  // namespace pollux
