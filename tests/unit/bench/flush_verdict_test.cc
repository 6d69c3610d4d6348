#include <gtest/gtest.h>

#include "disk/disk_plan.h"

namespace pollux {

namespace {

FlushEvidence honest() {
  return {.file_system = "ext4",
          .volatile_memory = false,
          .device = "sda",
          .write_cache = "write back",
          .flushes_asked = 1000,
          .flushes_counted = 1000,
          .p50_ns = 200'000};
}

TEST(FlushVerdictTest, ADiskThatCountsItsFlushesIsBelieved) {
  const auto verdict = judge_flush(honest());
  EXPECT_FALSE(verdict.invalid || verdict.doubtful) << verdict.text;
}

TEST(FlushVerdictTest, MemoryIsNoDisk) {
  auto evidence = honest();
  evidence.volatile_memory = true;
  evidence.file_system = "tmpfs";
  EXPECT_TRUE(judge_flush(evidence).invalid);
}

TEST(FlushVerdictTest, AFlushFasterThanAnyDiskIsNone) {
  auto evidence = honest();
  evidence.p50_ns = 900;
  EXPECT_TRUE(judge_flush(evidence).invalid);
}

TEST(FlushVerdictTest, AVolatileCacheThatIsNeverFlushedLosesData) {
  auto evidence = honest();
  evidence.flushes_counted = 0;
  EXPECT_TRUE(judge_flush(evidence).invalid);
}

TEST(FlushVerdictTest, FewerFlushesThanWereAskedForAreDoubtful) {
  auto evidence = honest();
  evidence.flushes_counted = 100;
  EXPECT_TRUE(judge_flush(evidence).doubtful);
}

TEST(FlushVerdictTest, ADiskThatCantBeSeenIsDoubtful) {
  auto evidence = honest();
  evidence.device.clear();
  EXPECT_TRUE(judge_flush(evidence).doubtful);
  evidence = honest();
  evidence.flushes_counted = std::nullopt;
  EXPECT_TRUE(judge_flush(evidence).doubtful);
}

TEST(FlushVerdictTest, ADiskWithoutVolatileCacheNeedsNoFlush) {
  auto evidence = honest();
  evidence.write_cache = "write through";
  evidence.flushes_counted = 0;
  const auto verdict = judge_flush(evidence);
  EXPECT_FALSE(verdict.invalid || verdict.doubtful) << verdict.text;
}

TEST(DiskRecordTest, IsAHundredBytesAndTellsItsNumber) {
  for (const std::uint64_t n : {0ULL, 7ULL, 999'999ULL}) {
    EXPECT_EQ(disk_record(n).size(), disk_record_bytes);
    EXPECT_NE(disk_record(n), disk_record(n + 1));
    EXPECT_TRUE(disk_record(n).substr(0, 20).ends_with(std::to_string(n)));
  }
}

}  // namespace

}  // namespace pollux
