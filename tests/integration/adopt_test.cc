// A witness that was restored from an older copy, or lost (I13): the pair refuses it, and by an operator's order it
// is given what the pair knows. Callers only wait.
#include <gmock/gmock.h>

#include <fstream>

#include "integration/pair_under_test.h"

namespace pollux::testing {
namespace {

namespace fs = std::filesystem;

class AdoptTest : public PairUnderTest {
 protected:
  [[nodiscard]] const fs::path& witness() { return pair().pair().witness; }

  void stop_node() {
    pair().node()->signal(SIGTERM);
    ASSERT_TRUE(pair().node()->wait(std::chrono::seconds(60)));
    wait_until("both members to be gone", [this] { return !pair().status(0) && !pair().status(1); });
  }
  CommandResult adopt() { return run_pollux({"--config", pair().config_file().string(), "witness", "adopt"}); }

  void expect_refusal(const std::string& words) {
    wait_until("both members to refuse the witness", [this] {
      for (const std::size_t member : {0, 1}) {
        const auto told = pair().status(member);
        if (!told || told->json.find("\"witness_refused\":true") == std::string::npos) return false;
      }
      return true;
    });
    EXPECT_TRUE(said({words, "no role changes until 'pollux witness adopt'"}));
    EXPECT_FALSE(pair().primary()) << "nobody may lead by what such a witness says";
    const auto status = run_pollux({"--config", pair().config_file().string(), "status"});
    EXPECT_NE(status.exit_code, 0);
    EXPECT_THAT(status.output, ::testing::HasSubstr("pollux witness adopt"));
  }
  void adopt_and_check() {
    const auto adopted = adopt();
    EXPECT_EQ(adopted.exit_code, 0) << adopted.output;
    wait_in_sync();
    check_everything();
    // From here on as ever: roles change, and a restart finds the witness it knows.
    const auto epoch = status(0).epoch;
    kill_member(primary());
    wait_until("a later epoch", [&] {
      const auto told = pair().status(0);
      return told && told->epoch > epoch;
    });
    wait_in_sync();
  }
};

TEST_F(AdoptTest, AnOlderCopyOfTheWitnessIsRefusedAndAdoptedByOrderAndNothingIsLost) {
  start();
  start_load();
  if (HasFatalFailure()) return;
  const auto copy = pair().home() / "witness-copy";
  fs::copy(witness(), copy, fs::copy_options::recursive);
  // Roles change, so that the copy names a primary of the past.
  const auto epoch = status(primary()).epoch;
  kill_member(primary());
  wait_until("the other member to lead", [&] {
    const auto leader = pair().primary();
    return leader && pair().status(*leader)->epoch > epoch;
  });
  wait_in_sync();
  wait_for_answers(100);

  stop_node();
  fs::remove_all(witness());
  fs::copy(copy, witness(), fs::copy_options::recursive);
  ASSERT_TRUE(pair().start_node());
  expect_refusal("the witness went back in time");
  adopt_and_check();
}

TEST_F(AdoptTest, ALostWitnessIsMadeAnewAndAdoptedByOrderAndNothingIsLost) {
  start();
  start_load();
  if (HasFatalFailure()) return;
  stop_node();
  fs::remove_all(witness());
  ASSERT_TRUE(pair().start_node());
  expect_refusal("the witness is not the one this pair knows");
  adopt_and_check();
}

TEST_F(AdoptTest, ADamagedFileOfTheWitnessIsNamedWithWhatToDoAndNothingIsLost) {
  start();
  start_load();
  if (HasFatalFailure()) return;
  wait_for_answers(50);
  stop_node();
  fs::path newest;
  for (const auto& entry : fs::directory_iterator(witness())) {
    const bool epoch = entry.path().filename().string().starts_with("epoch.");
    if (epoch && (newest.empty() || newest < entry.path())) newest = entry.path();
  }
  ASSERT_FALSE(newest.empty());
  {
    std::fstream file(newest, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(60);
    file.put('#');
  }
  ASSERT_TRUE(pair().start_node());
  wait_until("the damaged file to be named", [&] {
    return said({newest.string() + " is damaged", "move this file elsewhere", "pollux witness adopt"});
  });
  EXPECT_FALSE(pair().primary()) << "nobody knows who may lead";
  stop_node();
  fs::rename(newest, pair().home() / "damaged");
  ASSERT_TRUE(pair().start_node());
  expect_refusal("the witness went back in time");
  adopt_and_check();
}

TEST_F(AdoptTest, WithNothingToAdoptTheOrderIsRefusedAndChangesNothing) {
  start();
  start_load();
  if (HasFatalFailure()) return;
  const auto refused = adopt();
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(refused.output, ::testing::HasSubstr("no witness was refused"));
  check_everything();
}

}  // namespace
}  // namespace pollux::testing
