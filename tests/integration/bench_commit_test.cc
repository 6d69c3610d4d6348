// `pollux bench commit` from end to end, small: it measures, finds nothing lost, and leaves nothing behind.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <boost/json.hpp>
#include <fstream>
#include <sstream>

#include "integration/pair_under_test.h"

namespace pollux::testing {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class BenchCommitTest : public ::testing::Test {
 protected:
  std::unique_ptr<TemporaryDirectory> home_ =
      std::move(*TemporaryDirectory::make(fs::temp_directory_path(), "pollux-bench-test-"));
  [[nodiscard]] std::vector<std::string> small(const std::string& sustained_s,
                                               const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"bench",      "commit", "--directory",   home_->path().string(),
                                          "--step-s",   "1",      "--sustained-s", sustained_s,
                                          "--accounts", "1000",   "--outstanding", "1,16"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

TEST_F(BenchCommitTest, MeasuresFloorAndPairAndLeavesNothingBehind) {
  const auto result = run_pollux(small("2"), "", std::chrono::seconds(240));
  // A test's build is no build to measure with, and the report must say so; nothing may have failed.
  EXPECT_THAT(result.exit_code, ::testing::AnyOf(0, 3)) << result.output;
  EXPECT_THAT(result.output, HasSubstr("floor (disk alone)"));
  EXPECT_THAT(result.output, HasSubstr("sum of the accounts right"));
  EXPECT_TRUE(fs::is_empty(home_->path()));
}

TEST_F(BenchCommitTest, KillsThePrimaryUnderLoadAndTellsTheStallAsJson) {
  const auto result = run_pollux(small("2", {"--stalls", "3", "--json"}), "", std::chrono::seconds(280));
  EXPECT_THAT(result.exit_code, ::testing::AnyOf(0, 3)) << result.output;
  const auto begin = result.output.find("{\"benchmark\"");
  ASSERT_NE(begin, std::string::npos) << result.output;
  const auto json = boost::json::parse(result.output.substr(begin, result.output.find('\n', begin) - begin));
  EXPECT_EQ(json.at("verdict").as_string(), "invalid") << "a test's build is no build to measure with";
  EXPECT_TRUE(json.at("failed").as_array().empty()) << result.output;
  ASSERT_FALSE(json.at("invalid").as_array().empty());
  EXPECT_THAT(std::string(json.at("invalid").at(0).as_string()), HasSubstr("build with the release preset"));
  const auto& steps = json.at("placements").at(0).at("steps").as_array();
  ASSERT_EQ(steps.size(), 2u) << "1 and 16 outstanding";
  for (const auto& step : steps) {
    EXPECT_GT(step.at("per_second").to_number<double>(), 0) << result.output;
    EXPECT_GT(step.at("latency").at("p50_ns").to_number<double>(), 0);
    EXPECT_LE(step.at("latency").at("p50_ns").to_number<double>(), step.at("latency").at("p99_ns").to_number<double>());
    EXPECT_GT(step.at("p50_to_floor").to_number<double>(), 0);
    EXPECT_EQ(step.at("calls").at("failed").to_number<int>(), 0);
  }
  EXPECT_GT(json.at("placements").at(0).at("floor").at("p50_ns").to_number<double>(), 0);
  const auto& stall = json.at("stalls").at(0);
  EXPECT_EQ(stall.at("kills").to_number<int>(), 3);
  EXPECT_EQ(stall.at("calls").at("failed").to_number<int>(), 0);
  EXPECT_TRUE(stall.at("check").at("sum_right").as_bool()) << result.output;
  EXPECT_TRUE(stall.at("check").at("trails_equal").as_bool()) << result.output;
  EXPECT_TRUE(fs::is_empty(home_->path()));
}

TEST_F(BenchCommitTest, CleansUpWhenItIsInterrupted) {
  std::vector<std::string> argv = {pollux_command()};
  for (const auto& argument : small("600")) argv.push_back(argument);
  auto bench = ChildProcess::start({.argv = argv, .environment = {}, .output = home_->path() / "out"});
  ASSERT_TRUE(bench) << bench.error().text;
  const auto pair_is_up = [this] {
    for (const auto& entry : fs::recursive_directory_iterator(home_->path())) {
      if (entry.path().filename() == "node.out") return true;
    }
    return false;
  };
  ASSERT_TRUE(SpawnedPair::wait_until(pair_is_up, in_sync_limit));
  (*bench)->signal(SIGINT);
  const auto status = (*bench)->wait(std::chrono::seconds(120));
  ASSERT_TRUE(status);
  EXPECT_EQ(WEXITSTATUS(*status), 130);
  fs::remove(home_->path() / "out");
  EXPECT_TRUE(fs::is_empty(home_->path()));
  EXPECT_THAT(processes_with_argument(pollux_command(), home_->path().string()), ::testing::IsEmpty());
}

TEST_F(BenchCommitTest, SaysThatAFileSystemInMemoryIsNoDisk) {
  const auto memory = std::move(*TemporaryDirectory::make("/dev/shm", "pollux-bench-test-"));
  const auto result = run_pollux({"bench", "commit", "--directory", memory->path().string(), "--step-s", "1",
                                  "--sustained-s", "0", "--accounts", "100", "--outstanding", "1"},
                                 "", std::chrono::seconds(240));
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_THAT(result.output, HasSubstr("invalid: " + memory->path().string() + " is on tmpfs"));
}

}  // namespace
}  // namespace pollux::testing
