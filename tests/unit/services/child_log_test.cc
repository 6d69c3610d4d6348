// A child's log: kept small while the child writes, and nothing lost on the way.
#include "child_log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <thread>

#include "support.h"

namespace pollux {
namespace {

using testing::eventually;
using testing::TestDirectory;

constexpr std::uint64_t bytes_max = 20'000;

class ChildLogTest : public ::testing::Test {
 protected:
  static std::string line(std::size_t number) {
    return "line " + std::to_string(number) + " of a child that writes and writes";
  }
  static std::string content(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write_line(const FileDescriptor& fd, const std::string& text) {
    const std::string whole = text + "\n";
    ASSERT_EQ(::write(fd.get(), whole.data(), whole.size()), static_cast<ssize_t>(whole.size()));
  }

  TestDirectory directory_;
  std::filesystem::path file_ = directory_.path() / "child.log";
  std::filesystem::path former_ = directory_.path() / "child.log.1";
};

TEST_F(ChildLogTest, NoLineIsLostHoweverTheChildWritesWhileItsLogIsKeptSmall) {
  constexpr std::size_t lines = 5000;
  ChildLog log(file_, bytes_max);
  const auto fd = log.open_for_child();
  ASSERT_TRUE(fd) << fd.error().text;
  log.follow_from_end();
  std::thread child([&] {
    for (std::size_t number = 0; number < lines; ++number) write_line(*fd, line(number));
  });
  std::size_t next = 0;
  EXPECT_TRUE(eventually([&] {
    log.read_lines([&](std::string_view text) { EXPECT_EQ(text, line(next++)); }, 50);
    log.rotate();
    return next == lines;
  })) << "got " << next << " lines";
  child.join();
  EXPECT_LE(std::filesystem::file_size(file_), bytes_max);
}

TEST_F(ChildLogTest, WhatLeavesIsInTheFormerFileWhichTogetherWithTheLogIsTheWhole) {
  ChildLog log(file_, bytes_max);
  const auto fd = log.open_for_child();
  std::string whole;
  for (std::size_t number = 0; whole.size() <= bytes_max; ++number) {
    write_line(*fd, line(number));
    whole += line(number) + "\n";
  }
  log.rotate();
  EXPECT_LT(std::filesystem::file_size(file_), bytes_max / 2);
  EXPECT_EQ(content(former_) + content(file_), whole);
  write_line(*fd, "goes on at the end");
  EXPECT_TRUE(content(file_).ends_with("goes on at the end\n"));
}

TEST_F(ChildLogTest, WhatNobodyHasReadYetDoesNotLeave) {
  ChildLog log(file_, bytes_max);
  const auto fd = log.open_for_child();
  log.follow_from_end();
  for (std::size_t number = 0; number < 1000; ++number) write_line(*fd, line(number));
  log.rotate();
  std::size_t next = 0;
  while (log.read_lines([&](std::string_view text) { EXPECT_EQ(text, line(next++)); })) {
  }
  EXPECT_EQ(next, 1000u);
  log.rotate();
  EXPECT_LE(std::filesystem::file_size(file_), bytes_max);
}

TEST_F(ChildLogTest, IsKeptSmallWhereABeginningCantBeCutOutOfAFile) {
  const std::filesystem::path shm = "/dev/shm";
  std::string name = (shm / "pollux-child-log-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) GTEST_SKIP() << "no file system in memory here";
  const std::filesystem::path in_memory = std::filesystem::path(name) / "child.log";
  ChildLog log(in_memory, bytes_max);
  {
    const auto fd = log.open_for_child();
    for (std::size_t number = 0; number < 1000; ++number) write_line(*fd, line(number));
    log.rotate();
    EXPECT_EQ(std::filesystem::file_size(in_memory), 0u);
    EXPECT_TRUE(content(in_memory.string() + ".1").ends_with(line(999) + "\n"));
  }
  std::filesystem::remove_all(name);
}

TEST_F(ChildLogTest, ShrinksThoughTheFormerFileCantBeWritten) {
  ChildLog log(file_, bytes_max);
  const auto fd = log.open_for_child();
  for (std::size_t number = 0; number < 1000; ++number) write_line(*fd, line(number));
  std::filesystem::create_directory(former_);
  log.rotate();
  EXPECT_LT(std::filesystem::file_size(file_), bytes_max);
}

}  // namespace
}  // namespace pollux
