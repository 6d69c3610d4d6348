// The data directory: made once, told apart from others, never shared.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "directory_lock.h"
#include "pollux/services/config.h"
#include "run_directory.h"

namespace pollux {
namespace {

class DataDirectoryTest : public ::testing::Test {
 protected:
  DataDirectoryTest() {
    char name[] = "/tmp/pollux-data-XXXXXX";
    root_ = ::mkdtemp(name);
  }
  ~DataDirectoryTest() override { std::filesystem::remove_all(root_); }
  static mode_t mode(const std::filesystem::path& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
  }
  std::filesystem::path root_;
};

TEST_F(DataDirectoryTest, IsMadePrivateAndKeepsItsClusterId) {
  Config config = default_config(root_ / "x/y/data");
  Result<void> prepared = prepare_data_directory(config);
  ASSERT_TRUE(prepared) << prepared.error().text;
  EXPECT_FALSE(config.cluster.none());
  EXPECT_EQ(mode(config.data), 0700u);
  EXPECT_EQ(mode(config.run), 0700u);
  Config again = default_config(config.data);
  ASSERT_TRUE(prepare_data_directory(again));
  EXPECT_EQ(again.cluster, config.cluster);
  Config read_only = default_config(config.data);
  ASSERT_TRUE(open_data_directory(read_only));
  EXPECT_EQ(read_only.cluster, config.cluster);
  for (const auto& entry : std::filesystem::directory_iterator(config.data)) {
    EXPECT_FALSE(entry.path().filename().string().starts_with(".cluster.id")) << "a draft was left behind";
  }
}

TEST_F(DataDirectoryTest, TwoCreatorsAgreeOnOneClusterId) {
  for (int round = 0; round < 20; ++round) {
    const std::filesystem::path data = root_ / std::to_string(round);
    Config one = default_config(data), two = default_config(data);
    std::thread other([&] { EXPECT_TRUE(prepare_data_directory(two)); });
    EXPECT_TRUE(prepare_data_directory(one));
    other.join();
    EXPECT_EQ(one.cluster, two.cluster);
  }
}

// --- Directories of sockets, under /tmp when the data directory's path is too long for a socket's.

class RunDirectoryTest : public DataDirectoryTest {
 protected:
  std::filesystem::path make_run(const std::string& digits) {
    const auto run = root_ / ("pollux-" + std::to_string(::geteuid()) + "-" + digits);
    std::filesystem::create_directory(run);
    std::ofstream(run / "pair.a.sock.lock") << "pid 1";
    return run;
  }
  std::filesystem::path run_of(const std::string& digits, const std::filesystem::path& data) {
    const auto run = make_run(digits);
    std::ofstream(run / "data") << data.string() << "\n";
    return run;
  }
};

TEST_F(RunDirectoryTest, OfADataDirectoryThatIsGoneIsRemoved) {
  std::filesystem::create_directory(root_ / "there");
  const auto mine = make_run("0000000000000001");
  const auto left = run_of("0000000000000002", root_ / "gone");
  const auto kept = run_of("0000000000000003", root_ / "there");
  const auto unnamed = make_run("0000000000000004");
  const auto old = make_run("0000000000000005");
  std::filesystem::last_write_time(old, std::filesystem::file_time_type::clock::now() - std::chrono::hours(30));
  const auto other_name = root_ / ("pollux-" + std::to_string(::geteuid()) + "-notes");
  std::filesystem::create_directory(other_name);
  tidy_run_directories(mine, root_ / "there", root_);
  EXPECT_TRUE(std::filesystem::exists(mine / "data")) << "so that it can be told one day whose it was";
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(kept / "pair.a.sock.lock"));
  EXPECT_TRUE(std::filesystem::exists(unnamed)) << "its node may not have named it yet";
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_TRUE(std::filesystem::exists(other_name));
}

TEST_F(RunDirectoryTest, InUseIsKeptAndSoIsWhatHoldsAStrangersThings) {
  const auto mine = make_run("0000000000000001");
  const auto used = run_of("0000000000000002", root_ / "gone");
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = ProcessLock::take_file(used / "pair.b.sock.lock", "it", RunId{}, BootId{});
    ::_exit(::write(ready[1], lock ? "y" : "n", 1) == 1 && ::pause() == 0 ? 0 : 1);
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  const auto strange = run_of("0000000000000003", root_ / "gone");
  std::filesystem::create_directory(strange / "mine");
  tidy_run_directories(mine, root_, root_);
  EXPECT_TRUE(std::filesystem::exists(used));
  EXPECT_TRUE(std::filesystem::exists(strange / "pair.a.sock.lock"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  tidy_run_directories(mine, root_, root_);
  EXPECT_FALSE(std::filesystem::exists(used));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(DataDirectoryTest, ADirectoryWithSomethingElseInItIsRefusedAndLeftAlone) {
  std::ofstream(root_ / "thesis.tex") << "x";
  Config config = default_config(root_);
  Result<void> prepared = prepare_data_directory(config);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().code, Code::bad_config);
  EXPECT_NE(prepared.error().text.find("neither empty nor a data directory"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(root_ / "cluster.id"));
}

TEST_F(DataDirectoryTest, AnEmptyDirectoryAndTheRestsOfACrashAreTaken) {
  std::ofstream(root_ / ".cluster.id.00") << "torn";
  std::filesystem::create_directory(root_ / "lost+found");
  ::chmod(root_.c_str(), 0755);
  Config config = default_config(root_);
  ASSERT_TRUE(prepare_data_directory(config));
  EXPECT_EQ(mode(root_), 0700u);
}

TEST_F(DataDirectoryTest, ADamagedClusterIdIsNeverReplaced) {
  std::ofstream(root_ / "cluster.id") << "zz\n";
  Config config = default_config(root_);
  Result<void> prepared = prepare_data_directory(config);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().code, Code::damaged);
  std::string kept;
  std::getline(std::ifstream(root_ / "cluster.id") >> std::ws, kept);
  EXPECT_EQ(kept, "zz");
}

TEST_F(DataDirectoryTest, AnotherUsersDirectoryIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to make a directory of another user";
  std::filesystem::create_directory(root_ / "theirs");
  ASSERT_EQ(::chown((root_ / "theirs").c_str(), 12345, 12345), 0);
  Config config = default_config(root_ / "theirs");
  Result<void> prepared = prepare_data_directory(config);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().code, Code::forbidden);
}

TEST_F(DataDirectoryTest, AFileIsNoDataDirectory) {
  std::ofstream(root_ / "file") << "x";
  Config config = default_config(root_ / "file");
  EXPECT_FALSE(prepare_data_directory(config));
  Config below = default_config(root_ / "file/data");
  EXPECT_FALSE(prepare_data_directory(below));
}

TEST_F(DataDirectoryTest, ACommandOnAMissingDirectorySaysHowToStart) {
  Config config = default_config(root_ / "none");
  Result<void> opened = open_data_directory(config);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::not_found);
  EXPECT_NE(opened.error().text.find("pollux up"), std::string::npos);
}

}  // namespace
}  // namespace pollux
