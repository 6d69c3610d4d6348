// The data directory: made once, told apart from others, never shared.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "pollux/services/config.h"

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
