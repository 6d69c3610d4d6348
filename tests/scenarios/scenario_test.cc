// Plays every scenario in this folder and compares what the members say with what is written there.
//
// POLLUX_REWRITE=1 writes what they say now; read the difference before you keep it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "scenario.h"

namespace pollux::testing {
namespace {

std::vector<std::string> scenario_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(POLLUX_SCENARIOS)) {
    if (entry.path().extension() == ".txt" && entry.path().filename() != "CMakeLists.txt") names.push_back(entry.path().stem());
  }
  std::ranges::sort(names);
  return names;
}

class Scenarios : public ::testing::TestWithParam<std::string> {};

TEST_P(Scenarios, MembersSayWhatIsWritten) {
  const std::filesystem::path file = std::filesystem::path(POLLUX_SCENARIOS) / (GetParam() + ".txt");
  std::ifstream in(file);
  const std::string written(std::istreambuf_iterator<char>(in), {});
  const std::string played = Scenario().play(written);
  if (std::getenv("POLLUX_REWRITE") != nullptr) {
    std::ofstream(file) << played;
    return;
  }
  EXPECT_EQ(written, played) << "If the change is meant: POLLUX_REWRITE=1 ctest -L scenarios, and read the difference.";
}

INSTANTIATE_TEST_SUITE_P(All, Scenarios, ::testing::ValuesIn(scenario_files()), [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace_if(name, [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
});

}  // namespace
}  // namespace pollux::testing
