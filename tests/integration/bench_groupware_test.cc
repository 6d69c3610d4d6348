// `pollux bench groupware` from end to end, small: it measures, loses nothing, and leaves nothing behind.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>
#include <iterator>
#include <set>

#include "integration/bench_result.h"
#include "integration/pair_under_test.h"

namespace pollux::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class BenchGroupwareTest : public ::testing::Test {
 protected:
  std::unique_ptr<TemporaryDirectory> home_ =
      std::move(*TemporaryDirectory::make(fs::temp_directory_path(), "pollux-bench-test-"));
  /// In this test's directory, with few events, and what is added.
  [[nodiscard]] std::vector<std::string> small(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"bench", "groupware", "--quick", "--events", "40"};
    if (std::ranges::find(more, "--directory") == more.end()) {
      arguments.insert(arguments.end(), {"--directory", home_->path().string()});
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

TEST_F(BenchGroupwareTest, MeasuresEveryKindOfCellAndLeavesNothingBehind) {
  const auto result =
      run_pollux(small({"--against", "none", "--connections", "1,4", "--seconds", "0.2", "--json"}), "",
                 std::chrono::seconds(280));
  // A test's build is no build to measure with, and the report must say so; nothing may have failed.
  EXPECT_THAT(result.exit_code, AnyOf(0, 3)) << result.output;
  const auto json = result_in(result.output);
  const auto& end = cell_with(json, "check at the end");
  EXPECT_FALSE(end.at("failed").as_bool()) << result.output;
  EXPECT_GT(value_of(end, "acknowledged"), 0);
  EXPECT_EQ(value_of(end, "acknowledged"), value_of(end, "found again"));
  std::multiset<std::string> operations;
  for (const auto& cell : json.at("cells").as_array()) {
    const auto operation = fact_of(cell, "workload", "operation");
    const std::string verdict(cell.at("verdict").as_string());
    operations.insert(operation);
    EXPECT_EQ(fact_of(cell, "workload", "server"), "pollux");
    EXPECT_FALSE(cell.at("failed").as_bool()) << boost::json::serialize(cell);
    if (operation == "check at the end") continue;
    if (verdict == "not available") {
      // Tools of others may not be installed; then that is said.
      EXPECT_THAT(operation, AnyOf(HasSubstr(" by wrk"), HasSubstr(" by ab")));
      EXPECT_THAT(boost::json::serialize(cell.at("reasons")), HasSubstr("apt-get install"));
      continue;
    }
    EXPECT_EQ(value_of(cell, "failures"), 0);
    EXPECT_GT(value_of(cell, "answered"), 0);
    if (operation.starts_with("gateway with idle")) {
      EXPECT_GT(value_of(cell, "memory"), 1'000'000);
    } else {
      EXPECT_GT(value_of(cell, "answers"), 0);
    }
  }
  const std::multiset<std::string> expected = {"GET 700 B",
                                               "GET 700 B",
                                               "GET 1.5 KB",
                                               "GET 1.5 KB",
                                               "GET 4 KB",
                                               "GET 4 KB",
                                               "GET 12 KB",
                                               "GET 12 KB",
                                               "GET 700 B by wrk -t2",
                                               "GET 700 B by ab -k",
                                               "PUT of a new item",
                                               "PUT of a new item",
                                               "PUT of a changed item",
                                               "PUT of a changed item",
                                               "PROPFIND of 100 items",
                                               "PROPFIND of 100 items",
                                               "multiget of 20",
                                               "multiget of 20",
                                               "multiget of 100",
                                               "multiget of 100",
                                               "calendar-query of a month",
                                               "calendar-query of a month",
                                               "sync-collection after one change",
                                               "gateway with idle connections, fresh",
                                               "gateway with idle connections, after the load",
                                               "check at the end"};
  EXPECT_EQ(operations, expected);
  EXPECT_TRUE(fs::is_empty(home_->path()));
}

TEST_F(BenchGroupwareTest, InterruptedItTellsWhatItHasAndCleansUp) {
  std::vector<std::string> argv = {pollux_command()};
  for (const auto& argument : small({"--cells", "idle,get", "--seconds", "600", "--against", "none"})) {
    argv.push_back(argument);
  }
  const auto output = home_->path() / "out";
  const auto said = [&output] {
    std::ifstream file(output);
    return std::string((std::istreambuf_iterator<char>(file)), {});
  };
  auto bench = ChildProcess::start({.argv = argv, .environment = {}, .output = output});
  ASSERT_TRUE(bench) << bench.error().text;
  const auto second_cell = [&] {
    return said().find("cell 2 of 6") != std::string::npos || !(*bench)->running();
  };
  ASSERT_TRUE(SpawnedPair::wait_until(second_cell, in_sync_limit)) << said();
  (*bench)->signal(SIGINT);
  const auto status = (*bench)->wait(std::chrono::seconds(120));
  ASSERT_TRUE(status);
  EXPECT_EQ(WEXITSTATUS(*status), 130) << said();
  EXPECT_THAT(said(), HasSubstr("gateway with idle connections, fresh"));
  EXPECT_THAT(said(), HasSubstr("interrupted after 1 of 6 cells"));
  fs::remove(output);
  EXPECT_TRUE(fs::is_empty(home_->path()));
  EXPECT_THAT(processes_with_argument(pollux_command(), home_->path().string()), ::testing::IsEmpty());
}

TEST_F(BenchGroupwareTest, BadArgumentsGetOneClearLine) {
  const auto said = [this](const std::vector<std::string>& more, int exit_code) {
    const auto result = run_pollux(small(more), "", std::chrono::seconds(60));
    EXPECT_EQ(result.exit_code, exit_code) << result.output;
    EXPECT_LE(std::count(result.output.begin(), result.output.end(), '\n'), 2) << result.output;
    return result.output;
  };
  EXPECT_THAT(said({"--against", "apache"}, 2), HasSubstr("apache"));
  EXPECT_THAT(said({"--cells", "put,delete"}, 2), HasSubstr("delete"));
  EXPECT_THAT(said({"--connections", "0"}, 2), HasSubstr("--connections"));
  EXPECT_THAT(said({"--seconds", "nan"}, 2), HasSubstr("--seconds"));
  for (const char* seconds : {"0", "0.09", "3601", "1e3", "-1", "0.0001", ".5", "two"}) {
    EXPECT_THAT(said({"--seconds", seconds}, 2), HasSubstr("--seconds")) << seconds;
  }
  EXPECT_THAT(said({"--directory", "/not/there"}, 1), HasSubstr("name a directory that is there"));
  EXPECT_THAT(said({"--setting", "durability = \"perhaps\""}, 1), HasSubstr("durability"));
}

}  // namespace
}  // namespace pollux::testing
