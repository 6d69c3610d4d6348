// `pollux bench office` and `pollux bench file` from end to end, small: nothing is lost, nothing is left
// behind.
#include <gmock/gmock.h>

#include "integration/bench_result.h"
#include "integration/pair_under_test.h"

namespace pollux::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

constexpr std::chrono::seconds patience(240);

class BenchOfficeTest : public ::testing::Test {
 protected:
  std::unique_ptr<TemporaryDirectory> home_ =
      std::move(*TemporaryDirectory::make(fs::temp_directory_path(), "pollux-bench-test-"));

  auto run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "bench");
    arguments.insert(arguments.end(),
                     {"--directory", home_->path().string(), "--runs", "1", "--quick", "--json"});
    return run_pollux(arguments, "", patience);
  }
  void expect_nothing_left() const {
    EXPECT_TRUE(fs::is_empty(home_->path()));
    EXPECT_THAT(processes_with_argument(pollux_command(), home_->path().string()), IsEmpty());
  }
};

TEST_F(BenchOfficeTest, ADayIsReplayedAndAllThatWasAcknowledgedIsReadBack) {
  const auto result = run({"office", "--people", "2", "--compress", "5000"});
  EXPECT_THAT(result.exit_code, AnyOf(0, 3)) << result.output;
  const auto json = result_in(result.output);
  const auto& cell = cell_with(json, "office people=2");
  EXPECT_FALSE(cell.at("failed").as_bool()) << result.output;
  const auto found = [&cell](const std::string& name) { return fact_of(cell, "found", name); };
  EXPECT_EQ(found("requests"), found("answered"));
  EXPECT_EQ(found("failed"), "0");
  EXPECT_EQ(found("acknowledged"), found("found again"));
  for (const char* kind : {"answer", "put", "get", "propfind", "sync", "multiget", "bytes stored"}) {
    EXPECT_GT(value_of(cell, kind), 0) << kind;
  }
  expect_nothing_left();
}

TEST_F(BenchOfficeTest, FilesAreStoredReadAndCopiedOverEachBufferSize) {
  const auto result = run({"file", "--bytes", "300K", "--buffers", "8K,auto"});
  EXPECT_THAT(result.exit_code, AnyOf(0, 3)) << result.output;
  const auto json = result_in(result.output);
  EXPECT_EQ(json.at("cells").as_array().size(), 8U);
  for (const auto& cell : json.at("cells").as_array()) {
    EXPECT_FALSE(cell.at("failed").as_bool()) << boost::json::serialize(cell);
    EXPECT_GT(value_of(cell, "throughput"), 0);
    EXPECT_THAT(boost::json::serialize(cell.at("found")), HasSubstr("send buffer granted"));
  }
  expect_nothing_left();
}

TEST_F(BenchOfficeTest, AFileThatTheGatewayMustNotTakeIsOneClearReason) {
  const auto result = run({"file", "--bytes", "300K", "--buffers", "auto", "--operation", "put",
                           "--gateway-setting", "body_bytes_max = 2048"});
  EXPECT_EQ(result.exit_code, 3) << result.output;
  const auto json = result_in(result.output);
  EXPECT_THAT(boost::json::serialize(cell_with(json, "file operation=put").at("reasons")), HasSubstr("413"));
  expect_nothing_left();
}

}  // namespace
}  // namespace pollux::testing
