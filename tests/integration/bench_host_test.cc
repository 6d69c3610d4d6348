// What the command says of this host: `pollux bench host`, `noise`, `cpu`, `memory`, and `pollux doctor`,
// small.
#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <fstream>

#include "integration/pair_under_test.h"

namespace pollux::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::chrono::seconds patience(120);

json::object object_in(const std::string& output, const std::string& begins) {
  const auto at = output.find("{\"" + begins + "\"");
  if (at == std::string::npos) return {};
  return json::parse(output.substr(at, output.find('\n', at) - at)).as_object();
}

class BenchHostTest : public ::testing::Test {
 protected:
  std::unique_ptr<TemporaryDirectory> home_ =
      std::move(*TemporaryDirectory::make(fs::temp_directory_path(), "pollux-host-test-"));
  CommandResult run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--directory", home_->path().string()});
    return run_pollux(words, "", patience);
  }
  // Of a [[pair]], with these lines.
  fs::path configuration(const std::string& lines) const {
    const auto file = home_->path() / "pollux.toml";
    std::ofstream(file) << "[[pair]]\nname = \"ledger\"\nservice = \"ledger\"\n" << lines;
    return file;
  }
};

TEST_F(BenchHostTest, TellsTheHostInEveryForm) {
  const auto table = run({"bench", "host"});
  EXPECT_EQ(table.exit_code, 0) << table.output;
  EXPECT_THAT(table.output, HasSubstr("clock.source"));
  const auto csv = run({"bench", "host", "--csv"});
  EXPECT_THAT(csv.output, HasSubstr("fact,value,told_from,kind\r\nvm,"));
  const auto markdown = run({"bench", "host", "--markdown"});
  EXPECT_THAT(markdown.output, HasSubstr("\n| vm | "));
  const auto result =
      object_in(run({"bench", "host", "--json", "--declare", "metal"}).output, "pollux_bench");
  ASSERT_FALSE(result.empty());
  bool declared = false;
  for (const auto& fact : result.at("host").as_array()) {
    declared = declared || (fact.at("name") == "declared" && fact.at("value") == "metal");
  }
  EXPECT_TRUE(declared);
}

TEST_F(BenchHostTest, LeavesNamesAndSerialNumbersOutIfAsked) {
  const auto result = object_in(run({"bench", "host", "--json", "--redact"}).output, "pollux_bench");
  ASSERT_FALSE(result.empty());
  int identities = 0;
  for (const auto& fact : result.at("host").as_array()) {
    if (fact.at("kind") != "identity") continue;
    ++identities;
    EXPECT_EQ(fact.at("value").as_string(), "(redacted)") << fact.at("name");
  }
  EXPECT_GT(identities, 3);
  EXPECT_THAT(json::serialize(result), Not(HasSubstr(home_->path().string())));
}

TEST_F(BenchHostTest, MeasuresNoiseAndTheReferenceLoopsAndLeavesNothingBehind) {
  const std::vector<std::vector<std::string>> calls = {
      {"bench", "noise", "--runs", "2", "--busy-ms", "20", "--wakeups", "20", "--json"},
      {"bench", "cpu", "--runs", "2", "--least-ms", "10", "--json"},
      {"bench", "memory", "--runs", "2", "--least-ms", "10", "--array", "1M", "--json"}};
  for (const auto& call : calls) {
    const auto output = run(call);
    EXPECT_EQ(output.exit_code, 0) << output.output;
    const auto result = object_in(output.output, "pollux_bench");
    ASSERT_FALSE(result.empty()) << output.output;
    EXPECT_FALSE(result.at("failed").as_bool());
    ASSERT_FALSE(result.at("cells").as_array().empty());
    for (const auto& cell : result.at("cells").as_array()) {
      EXPECT_EQ(cell.at("bench").as_string(), call[1]);
      EXPECT_EQ(cell.at("runs").to_number<int>(), 2) << json::serialize(cell);
    }
    std::string facts = json::serialize(result.at("host"));
    EXPECT_THAT(facts, HasSubstr("canary.before_ns")) << call[1];
    EXPECT_THAT(facts, HasSubstr("canary.after_ns")) << call[1];
  }
  EXPECT_TRUE(fs::is_empty(home_->path()));
}

TEST_F(BenchHostTest, ALimitThatIsMissedHasAnExitCodeOfItsOwn) {
  const std::vector<std::string> small = {"bench",     "noise", "--runs",    "1",
                                          "--busy-ms", "10",    "--wakeups", "10"};
  auto kept = small, missed = small;
  kept.insert(kept.end(), {"--threshold", "noise.1000-readings<1s"});
  missed.insert(missed.end(), {"--threshold", "noise.1000-readings<1ns"});
  EXPECT_EQ(run(kept).exit_code, 0);
  EXPECT_EQ(run(missed).exit_code, 4);
}

TEST_F(BenchHostTest, RefusesWhatItCantMeasureWithOneLine) {
  EXPECT_EQ(run({"bench", "memory", "--array", "1"}).exit_code, 2);
  EXPECT_EQ(run({"bench", "memory", "--array", "much"}).exit_code, 2);
  EXPECT_EQ(run({"bench", "noise", "--busy-ms", "1"}).exit_code, 2);
  const auto nowhere = run_pollux({"bench", "cpu", "--directory", "/nowhere/at/all"}, "", patience);
  EXPECT_EQ(nowhere.exit_code, 1);
  EXPECT_THAT(nowhere.output, HasSubstr("/nowhere/at/all"));
}

TEST_F(BenchHostTest, TheDoctorAdvisesTimesThatTheConfigurationTakes) {
  const auto first = run({"doctor", "--config", configuration("").string(), "--look-ms", "100", "--json"});
  ASSERT_THAT(first.exit_code, AnyOf(0, 3)) << first.output;
  const auto report = object_in(first.output, "doctor");
  ASSERT_FALSE(report.empty()) << first.output;
  std::string lines;
  for (const auto& time : report.at("times").as_array()) {
    lines +=
        std::string(time.at("key").as_string()) + " = " + std::to_string(time.at("ms").as_int64()) + "\n";
  }
  const auto file = configuration(lines).string();
  const auto checked = run_pollux({"config", "check", file}, "", patience);
  EXPECT_EQ(checked.exit_code, 0) << lines << checked.output;
}

TEST_F(BenchHostTest, TheDoctorWarnsOfAHastyConfigurationAndOfADirectoryInMemory) {
  const auto hasty =
      configuration("heartbeat_ms = 20\nlease_ms = 40\ngrace_ms = 50\ntakeover_after_ms = 60\n").string();
  const auto output = run({"doctor", "--config", hasty, "--look-ms", "100"});
  EXPECT_EQ(output.exit_code, 3) << output.output;
  EXPECT_THAT(output.output, HasSubstr("pair ledger: lease_ms = 40 is shorter than this host can keep"));
  EXPECT_THAT(output.output, HasSubstr("\nheartbeat_ms = "));
  const auto memory = run_pollux({"doctor", "--directory", "/dev/shm", "--look-ms", "100"}, "", patience);
  EXPECT_EQ(memory.exit_code, 3) << memory.output;
  EXPECT_THAT(memory.output, HasSubstr("/dev/shm is on tmpfs"));
}

TEST_F(BenchHostTest, TheDoctorSaysWhyItCantLook) {
  const auto config = run({"doctor", "--config", "/nowhere/pollux.toml"});
  EXPECT_EQ(config.exit_code, 1);
  EXPECT_THAT(config.output, HasSubstr("/nowhere/pollux.toml"));
  const auto directory =
      run_pollux({"doctor", "--directory", "/nowhere/at/all", "--look-ms", "100"}, "", patience);
  EXPECT_EQ(directory.exit_code, 1);
  EXPECT_THAT(directory.output, HasSubstr("/nowhere/at/all"));
}

}  // namespace
}  // namespace pollux::testing
