// litmus, the WebDAV test suite: all of it, and once more while the primary is killed again and again.
#include <gmock/gmock.h>

#include <atomic>
#include <regex>
#include <thread>

#include "interop/groupware_pair.h"

namespace pollux::testing {
namespace {

/// What litmus 0.13 has: basic 16, copymove 13, props 30, locks 41, http 4.
constexpr int tests_of_litmus = 104;

struct Summary {
  int passed = 0, failed = 0, skipped = 0, warnings = 0;
};

Summary read_summary(const std::string& text) {
  Summary summary;
  const std::regex line(R"(of (\d+) tests run: (\d+) passed, (\d+) failed)"),
      skips(R"((\d+) tests? were skipped)"), warnings(R"((\d+) warnings? w(?:as|ere) issued)");
  const auto each = [&](const std::regex& pattern, auto&& take) {
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) take(*at);
  };
  each(line, [&](const std::smatch& match) {
    summary.passed += std::stoi(match[2]);
    summary.failed += std::stoi(match[3]);
  });
  each(skips, [&](const std::smatch& match) { summary.skipped += std::stoi(match[1]); });
  each(warnings, [&](const std::smatch& match) { summary.warnings += std::stoi(match[1]); });
  return summary;
}

class LitmusTest : public GroupwarePair {
 protected:
  Said run_litmus() {
    return run("litmus -k '" + url(std::string("/dav/files/") + user + "/") + "' " + user + " " + password);
  }
  static void expect_all_passed(const Said& said) {
    const Summary summary = read_summary(said.text);
    EXPECT_EQ(summary.passed, tests_of_litmus) << said.text;
    EXPECT_EQ(summary.failed, 0);
    EXPECT_EQ(summary.skipped, 0);
    EXPECT_EQ(summary.warnings, 0) << said.text;
  }
};

TEST_F(LitmusTest, EveryTestOfTheSuitePasses) { expect_all_passed(run_litmus()); }

// A run makes some 150 changes: each round's kill comes after another number of them.
TEST_F(LitmusTest, EveryTestPassesWhileThePrimaryIsKilled) {
  remember();
  for (const std::uint64_t changes : {10, 60, 110}) {
    if (HasFailure()) return;
    const std::size_t victim = primary();
    const std::uint64_t before = status(victim).committed;
    Said said;
    std::atomic<bool> ended = false;
    std::thread client([&] {
      said = run_litmus();
      ended = true;
    });
    wait_until("the suite to get so far",
               [&] { return ended || status(victim).committed >= before + changes; });
    EXPECT_FALSE(ended) << "the suite made fewer changes than that: choose the moment anew";
    kill_member(victim);
    client.join();
    expect_all_passed(said);
    wait_in_sync();
  }
  expect_remembered();
}

}  // namespace
}  // namespace pollux::testing
