// kill -9 of every process of a pair, in random order, under load. The seeds are fixed, and printed; another
// one is tried with POLLUX_KILL_SEED=n.
#include <gmock/gmock.h>

#include "integration/kill_fixture.h"

namespace pollux::testing {
namespace {

constexpr unsigned kills_a_case = 55;  // four cases: more than 200 kills

class KillTest : public KillFixture, public ::testing::WithParamInterface<std::uint64_t> {};

TEST_P(KillTest, NothingIsLostOrDoubledWhateverIsKilled) {
  seed(GetParam());
  start();
  if (HasFatalFailure()) return;
  start_load({}, GetParam());
  while (kills() < kills_a_case && !HasFailure()) {
    kill_something();
    if (!recover_before_next_kill()) continue;
    wait_in_sync();
    wait_for_answers();
    trail_->follow(load().take_acknowledged());
  }
  check_everything();
  tell_story();
  EXPECT_GE(kills(), kills_a_case);
}
INSTANTIATE_TEST_SUITE_P(Seeds, KillTest, ::testing::ValuesIn(kill_seeds({1, 2, 3, 4})));

class KillOnceTest : public PairUnderTest {};

TEST_F(KillOnceTest, TheBackupTakesOverWhenThePrimaryIsKilledAndTheOldOneComesBackAsBackup) {
  start();
  start_load();
  const auto before = primary();
  const auto victim = status(before);
  kill_member(before);
  wait_until("the other to be primary and the killed one its backup", [&] {
    const auto old = pair().status(before), other = pair().status(1 - before);
    return old && other && other->role == "primary" && old->role == "backup" && old->run != victim.run;
  });
  wait_in_sync();
  EXPECT_GT(status(0).epoch, victim.epoch);
  check_everything();
}

TEST_F(KillOnceTest, APrimaryWithoutItsBackupGoesOnSoloAndSaysSo) {
  start();
  start_load();
  const auto backup = 1 - primary();
  // Without a supervisor nobody starts the backup again.
  pair().node()->signal(SIGKILL);
  ASSERT_TRUE(pair().node()->wait(std::chrono::seconds(30)));
  kill_member(backup);
  wait_until("the primary to say that it is solo", [&] { return status(1 - backup).solo; });
  wait_for_answers();
  ASSERT_TRUE(pair().start_node());
  wait_in_sync();
  EXPECT_FALSE(status(1 - backup).solo);
  check_everything();
}

TEST_F(KillOnceTest, ASupervisorThatIsKilledLeavesTheMembersRunningAndTheNextOneAdoptsThem) {
  start();
  start_load();
  const auto a = status(0), b = status(1);
  pair().node()->signal(SIGKILL);
  ASSERT_TRUE(pair().node()->wait(std::chrono::seconds(30)));
  wait_for_answers();
  ASSERT_TRUE(pair().start_node());
  // Adopted: killing one of them now has it started again.
  kill_member(0);
  wait_until("the adopted member to be started again", [&] {
    const auto told = pair().status(0);
    return told && told->run != a.run;
  });
  wait_in_sync();
  EXPECT_EQ(status(1).run, b.run) << "the member that nobody killed must have gone on";
  check_everything();
}

}  // namespace
}  // namespace pollux::testing
