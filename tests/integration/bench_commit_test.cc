// `pollux bench commit` from end to end, small: it measures, finds nothing lost, and leaves nothing behind.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <fstream>
#include <sstream>

#include "integration/bench_result.h"
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
  const auto json = result_in(result.output);
  EXPECT_EQ(json.at("verdict").as_string(), "invalid") << "a test's build is no build to measure with";
  EXPECT_FALSE(json.at("failed").as_bool()) << result.output;
  const auto& step = cell_with(json, "part=1 outstanding");
  EXPECT_THAT(std::string(step.at("reasons").at(0).as_string()), HasSubstr("build with the release preset"));
  EXPECT_GT(value_of(step, "commits"), 0) << result.output;
  EXPECT_GT(value_of(step, "commit"), 0);
  // What one commit is made of adds up to what its caller sees.
  const auto part = [&step](const char* name) { return value_of(step, name); };
  EXPECT_EQ(part("mean"),
            part("message") + part("execution") + part("longer of both") + part("reply") + part("residual"));
  EXPECT_GT(part("force"), 0);
  EXPECT_GE(part("longer of both"), part("force"));
  EXPECT_GE(part("longer of both"), part("checkpoint"));
  EXPECT_GT(value_of(cell_with(json, "part=floor"), "append and flush"), 0);
  cell_with(json, "part=16 outstanding");
  const auto& stall = cell_with(json, "part=stall");
  EXPECT_EQ(figure_of(stall, "longest wait after a kill").at("times").at("count").to_number<int>(), 3);
  EXPECT_EQ(boost::json::serialize(stall.at("found")),
            R"([["trails","equal"],["sum","right"],["failed requests","0"]])");
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
