// `pollux bench http` and `pollux bench pocket` from outside, small.
#include <gmock/gmock.h>

#include <algorithm>

#include "integration/bench_result.h"
#include "integration/pair_under_test.h"

namespace pollux::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr std::chrono::seconds patience(280);

class BenchHttpTest : public ::testing::Test {
 protected:
  std::unique_ptr<TemporaryDirectory> home_ =
      std::move(*TemporaryDirectory::make(fs::temp_directory_path(), "pollux-bench-test-"));
  [[nodiscard]] std::string directory() const { return home_->path().string(); }
};

std::string found(const boost::json::value& cell, const std::string& name) {
  for (const auto& pair : cell.at("found").as_array()) {
    if (pair.at(0).as_string() == name) return std::string(pair.at(1).as_string());
  }
  return "";
}

TEST_F(BenchHttpTest, AnswersEveryRequestAndKeepsConnectionsIfAsked) {
  const auto result = run_pollux({"bench", "http", "--directory", directory(), "--runs", "1", "--requests",
                                  "40", "--clients", "1,8", "--json"},
                                 "", patience);
  EXPECT_THAT(result.exit_code, AnyOf(0, 3)) << result.output;
  const auto json = result_in(result.output);
  for (const auto& cell : json.at("cells").as_array()) {
    EXPECT_FALSE(cell.at("failed").as_bool()) << boost::json::serialize(cell);
    EXPECT_EQ(found(cell, "answered"), "40") << cell.at("name");
    EXPECT_GT(value_of(cell, "answers"), 0);
  }
  EXPECT_EQ(json.at("cells").as_array().size(), 28U);
  EXPECT_EQ(found(cell_with(json, "operation=get-700 clients=8 keep_alive=yes"), "connections made"), "8");
  EXPECT_EQ(found(cell_with(json, "operation=get-700 clients=8 keep_alive=no"), "connections made"), "40");
  EXPECT_TRUE(fs::is_empty(home_->path()));
  EXPECT_THAT(processes_with_argument(pollux_command(), directory()), ::testing::IsEmpty());
}

TEST_F(BenchHttpTest, AtARateNothingThatWasDueIsLeftOut) {
  // Far more than one client gets answered: what is not sent is counted as waiting, not dropped.
  const auto result = run_pollux(
      {"bench", "http", "--directory", directory(), "--runs", "1", "--requests", "200000", "--rate", "200000",
       "--clients", "1", "--keep-alive", "yes", "--operation", "propfind", "--limit-ms", "1000", "--json"},
      "", patience);
  const auto json = result_in(result.output);
  const auto& cell = cell_with(json, "operation=propfind");
  const auto& times = figure_of(cell, "answer").at("times");
  EXPECT_GT(std::stoll(found(cell, "never sent")), 100'000) << result.output;
  EXPECT_GT(times.at("censored").to_number<int>(), 100'000);
  EXPECT_GT(times.at("p99_ns").to_number<std::int64_t>(), 300'000'000) << "they waited for most of a second";
}

TEST_F(BenchHttpTest, ThePocketHoldsTheWholeStackAndLosesNothing) {
  // Memory for a test's build, which takes several times as much.
  const auto result =
      run_pollux({"bench", "pocket", "--directory", directory(), "--runs", "1", "--requests", "20",
                  "--clients", "4", "--memory", "4096M", "--cpu-percent", "60", "--json"},
                 "", patience);
  EXPECT_THAT(result.exit_code, AnyOf(0, 3)) << result.output;
  const auto json = result_in(result.output);
  for (const auto& cell : json.at("cells").as_array()) {
    if (cell.at("verdict").as_string() == "not available") {
      EXPECT_THAT(std::string(cell.at("reasons").at(0).as_string()), HasSubstr("cgroup"));
      continue;
    }
    EXPECT_FALSE(cell.at("failed").as_bool()) << boost::json::serialize(cell);
    EXPECT_EQ(found(cell, "answered"), "20");
    EXPECT_GT(value_of(cell, "memory peak"), 1'000'000);
  }
  for (const auto* const root : {"/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/cpu"}) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(root, ignored)) {
      EXPECT_THAT(entry.path().filename().string(), ::testing::Not(::testing::StartsWith("pollux-pocket-")));
    }
  }
  EXPECT_TRUE(fs::is_empty(home_->path()));
}

TEST_F(BenchHttpTest, TooLittleMemoryIsSaidAndNothingIsLeftBehind) {
  const auto result = run_pollux({"bench", "pocket", "--directory", directory(), "--runs", "1", "--requests",
                                  "5", "--clients", "1", "--memory", "16M"},
                                 "", patience);
  EXPECT_NE(result.exit_code, 2) << result.output;
  EXPECT_TRUE(fs::is_empty(home_->path())) << result.output;
  EXPECT_THAT(processes_with_argument(pollux_command(), directory()), ::testing::IsEmpty());
}

}  // namespace
}  // namespace pollux::testing
