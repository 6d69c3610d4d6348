// What is done with results: compared, reported, measured again; and results of calls that were interrupted.
#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include "integration/pair_under_test.h"

namespace pollux::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

constexpr std::chrono::seconds patience(120);

class BenchResultsTest : public ::testing::Test {
 protected:
  std::unique_ptr<TemporaryDirectory> home_ =
      std::move(*TemporaryDirectory::make(fs::temp_directory_path(), "pollux-results-test-"));
  [[nodiscard]] std::string place(const std::string& name) const { return (home_->path() / name).string(); }
  static std::string text_in(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] CommandResult noise(const std::string& output, const std::string& busy_ms = "10") const {
    return run_pollux({"bench", "noise", "--runs", "4", "--busy-ms", busy_ms, "--wakeups", "10",
                       "--directory", home_->path().string(), "--output", place(output)},
                      "", patience);
  }
  static int shell(const std::string& command) { return WEXITSTATUS(std::system(command.c_str())); }
};

TEST_F(BenchResultsTest, AreComparedReportedAndMeasuredAgain) {
  ASSERT_EQ(noise("a.json").exit_code, 0);
  ASSERT_EQ(noise("b.json").exit_code, 0);
  EXPECT_EQ(shell("python3 -m json.tool '" + place("a.json") + "' > /dev/null"), 0);
  const auto compared = run_pollux({"bench", "compare", place("a.json"), place("b.json")}, "", patience);
  EXPECT_EQ(compared.exit_code, 0) << compared.output;
  EXPECT_THAT(compared.output, HasSubstr("B / A [95 %]"));
  const auto twice =
      run_pollux({"bench", "compare", "--a", place("a.json"), "--a", place("a.json"), "--b", place("b.json")},
                 "", patience);
  EXPECT_EQ(twice.exit_code, 1);
  EXPECT_THAT(twice.output, HasSubstr("give each once"));
  const auto reported = run_pollux(
      {"bench", "report", place("a.json"), place("b.json"), "--output", place("r.html")}, "", patience);
  EXPECT_EQ(reported.exit_code, 0) << reported.output;
  EXPECT_THAT(text_in(place("r.html")), HasSubstr("</html>"));
  const auto before = text_in(place("a.json"));
  const auto again =
      run_pollux({"bench", "rerun", place("a.json"), "--output", place("c.json")}, "", patience);
  EXPECT_EQ(again.exit_code, 0) << again.output;
  EXPECT_EQ(text_in(place("a.json")), before);
  EXPECT_TRUE(fs::exists(place("c.json")));
  const auto rerun = run_pollux({"bench", "rerun", place("a.json"), "--compare"}, "", patience);
  EXPECT_EQ(rerun.exit_code, 0) << rerun.output;
  EXPECT_THAT(rerun.output, HasSubstr("B / A [95 %]"));
}

TEST_F(BenchResultsTest, OfOtherMeasurementsOrBrokenFilesAreRefusedWithTheirExitCodes) {
  ASSERT_EQ(noise("a.json").exit_code, 0);
  ASSERT_EQ(run_pollux({"bench", "host", "--output", place("host.json")}, "", patience).exit_code, 0);
  const auto different = run_pollux({"bench", "compare", place("a.json"), place("host.json")}, "", patience);
  EXPECT_EQ(different.exit_code, 5) << different.output;
  std::ofstream(place("cut.json")) << text_in(place("a.json")).substr(0, 500);
  for (const auto& file : {place("cut.json"), place("none"), home_->path().string()}) {
    EXPECT_EQ(run_pollux({"bench", "compare", place("a.json"), file}, "", patience).exit_code, 1) << file;
    EXPECT_EQ(run_pollux({"bench", "report", file, "--output", place("r.html")}, "", patience).exit_code, 1)
        << file;
    EXPECT_EQ(run_pollux({"bench", "rerun", file}, "", patience).exit_code, 1) << file;
  }
  EXPECT_EQ(run_pollux({"bench", "compare", place("a.json")}, "", patience).exit_code, 2);
}

TEST_F(BenchResultsTest, OfTwoCommandsAreTakenInTurns) {
  ASSERT_EQ(noise("a.json").exit_code, 0);
  const auto side = [&](const std::string& letter) {
    return "printf " + letter + " >> '" + place("order") + "'; cat '" + place("a.json") + "'";
  };
  const auto compared =
      run_pollux({"bench", "compare", "--abba", side("A"), side("B"), "--rounds", "2"}, "", patience);
  EXPECT_EQ(compared.exit_code, 0) << compared.output;
  EXPECT_EQ(text_in(place("order")), "ABBAABBA");
  const auto silent = run_pollux({"bench", "compare", "--abba", "exit 7", "true"}, "", patience);
  EXPECT_EQ(silent.exit_code, 1);
  EXPECT_THAT(silent.output, HasSubstr("exit code 7"));
  const auto slow =
      run_pollux({"bench", "compare", "--abba", "sleep 100", "true", "--deadline", "1"}, "", patience);
  EXPECT_EQ(slow.exit_code, 1);
  EXPECT_THAT(slow.output, HasSubstr("ended after 1 s"));
}

TEST_F(BenchResultsTest, AreKeptAndMarkedWhenTheCallIsInterruptedAndItsLogIsPlain) {
  // Long enough that it can't be through before the signal, which is sent when the first cells have been
  // measured.
  const auto log = place("log");
  const std::string call = "exec " + pollux_command() +
                           " bench noise --runs 1000 --busy-ms 50 --wakeups 10 --directory '" +
                           home_->path().string() + "' --output '" + place("part.json") + "' > /dev/null";
  auto child = std::move(
      *ChildProcess::start({.argv = {"/bin/sh", "-c", call}, .environment = {}, .input = {}, .output = log}));
  const auto until = std::chrono::steady_clock::now() + patience;
  while (text_in(log).find("run 2 of") == std::string::npos && std::chrono::steady_clock::now() < until) {
    child->wait(std::chrono::milliseconds(50));
  }
  child->signal(SIGINT);
  const auto status = child->wait(patience);
  ASSERT_TRUE(status);
  EXPECT_EQ(WEXITSTATUS(*status), 130) << text_in(log);
  const auto result = boost::json::parse(text_in(place("part.json")));
  EXPECT_FALSE(result.at("complete").as_bool());
  EXPECT_FALSE(result.at("cells").as_array().empty());
  EXPECT_THAT(text_in(log), Not(HasSubstr("\r")));
  EXPECT_THAT(text_in(log), Not(HasSubstr("\033")));
}

}  // namespace
}  // namespace pollux::testing
