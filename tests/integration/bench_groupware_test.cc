// `pollux bench groupware` from end to end, small: it measures, loses nothing, and leaves nothing behind.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>
#include <iterator>
#include <set>

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
  const auto begin = result.output.find("{\"benchmark\"");
  ASSERT_NE(begin, std::string::npos) << result.output;
  const auto json = boost::json::parse(result.output.substr(begin, result.output.find('\n', begin) - begin));
  EXPECT_EQ(json.at("benchmark").as_string(), "groupware");
  EXPECT_EQ(json.at("events").to_number<int>(), 40);
  EXPECT_TRUE(json.at("failed").as_array().empty()) << result.output;
  EXPECT_TRUE(json.at("check").at("trails_equal").as_bool());
  EXPECT_GT(json.at("check").at("new_items_acknowledged").to_number<int>(), 0);
  EXPECT_EQ(json.at("check").at("new_items_acknowledged"), json.at("check").at("new_items_found"));
  for (const auto& server : json.at("servers").as_array()) {
    if (server.at("name").as_string() == "pollux") continue;
    EXPECT_THAT(std::string(server.at("not_available").as_string()), HasSubstr("not asked for"));
  }
  std::multiset<std::string> kinds;
  for (const auto& cell : json.at("cells").as_array()) {
    const std::string kind(cell.at("kind").as_string());
    kinds.insert(kind);
    ASSERT_EQ(cell.at("servers").as_array().size(), 1U) << kind;
    const auto& ours = cell.at("servers").at(0);
    const std::string verdict(ours.at("verdict").as_string());
    if (kind == "wrk" || kind == "ab") {
      // They may not be installed; then that is said.
      if (verdict != "not available") continue;
      EXPECT_THAT(std::string(ours.at("reason").as_string()), HasSubstr("apt-get install"));
      continue;
    }
    EXPECT_THAT(verdict, AnyOf("ok", "noisy")) << boost::json::serialize(cell);
    EXPECT_EQ(ours.at("failed").to_number<int>(), 0);
    EXPECT_GT(ours.at("answered").to_number<int>(), 0);
    if (kind == "idle") {
      EXPECT_GT(ours.at("rss_anon_bytes").to_number<std::uint64_t>(), 1'000'000U);
    } else {
      EXPECT_GT(ours.at("per_second_milli").to_number<std::uint64_t>(), 0U);
      EXPECT_GT(ours.at("latency").at("count").to_number<int>(), 0);
    }
  }
  const std::multiset<std::string> expected = {
      "get",      "get",      "get",   "get",   "get",  "get",      "get",      "get",      "wrk",
      "ab",       "put",      "put",   "put",   "put",  "propfind", "propfind", "multiget", "multiget",
      "multiget", "multiget", "query", "query", "sync", "idle",     "idle"};
  EXPECT_EQ(kinds, expected);
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
