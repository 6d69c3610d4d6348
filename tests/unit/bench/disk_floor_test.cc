#include "pollux/bench/disk_floor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "pollux/bench/child_process.h"

namespace pollux {
namespace {

TEST(DiskFloor, TimesFlushesAndLeavesNoFile) {
  const auto home =
      std::move(*TemporaryDirectory::make(std::filesystem::temp_directory_path(), "pollux-floor-"));
  const auto times = measure_disk_floor(
      {.directory = home->path(), .duration = std::chrono::milliseconds(50), .warm_up = 0});
  ASSERT_TRUE(times) << times.error().text;
  EXPECT_GT(times->count(), 0u);
  EXPECT_GT(times->smallest_ns(), 0);
  EXPECT_TRUE(std::filesystem::is_empty(home->path()));
}

TEST(DiskFloor, SaysWhichDirectoryItCantWriteTo) {
  const auto times = measure_disk_floor({.directory = "/nowhere/at/all"});
  ASSERT_FALSE(times);
  EXPECT_THAT(times.error().text, ::testing::HasSubstr("/nowhere/at/all"));
}

TEST(DiskFloor, KnowsAFileSystemInMemoryWhenItSeesOne) {
  const auto memory = file_system_of("/dev/shm");
  ASSERT_TRUE(memory);
  EXPECT_TRUE(memory->volatile_memory);
  EXPECT_EQ(memory->name, "tmpfs");
  EXPECT_FALSE(file_system_of("/nowhere/at/all"));
}

}  // namespace
}  // namespace pollux
