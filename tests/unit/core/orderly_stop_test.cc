// Stopped by order: of both members, and either can lead when they start again; or of one, and the other goes on.
#include <gtest/gtest.h>

#include "two_members.h"

namespace pollux::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

void order_stop(TwoMembers& world, std::size_t member, bool alone = false) {
  world.members[member].inbox.push_back(StopOrdered{.alone = alone});
  world.run();
}

TEST(OrderlyStop, LeavesBothNamedHoweverLateThePrimaryHearsOfIt) {
  for (const auto late : {milliseconds(0), milliseconds(250), milliseconds(9000)}) {
    TwoMembers world;
    world.form();
    order_stop(world, 1);
    world.pass(late);
    ASSERT_TRUE(world.members[1].pair) << "the primary has not heard of the order yet";
    EXPECT_EQ(world.status(0).role, Role::primary);
    order_stop(world, 0);
    world.pass(milliseconds(500));
    for (int i = 0; i < 2; ++i) {
      for (const std::size_t gone : {0, 1}) {
        if (!world.members[gone].pair) world.report_death(gone);
      }
      world.pass(milliseconds(500));
    }
    EXPECT_FALSE(world.members[0].pair);
    EXPECT_FALSE(world.members[1].pair);
    EXPECT_TRUE(world.witness.backup.has_value()) << "either can lead when they start again";
  }
}

TEST(OrderlyStop, TheBackupServesAsOneUntilItsPrimaryHasStopped) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  order_stop(world, 1);
  world.pass(seconds(3));
  const std::uint64_t number = world.request(0, session, 1, "pay");
  EXPECT_TRUE(world.replies.contains(number));
  EXPECT_FALSE(world.status(0).solo);
}

TEST(OrderlyStop, ABackupDoesNotWaitForAPrimaryThatDied) {
  TwoMembers world;
  world.form();
  order_stop(world, 1);
  world.kill(0);
  world.report_death(0);
  world.pass(milliseconds(20));
  EXPECT_FALSE(world.members[1].pair);
  EXPECT_TRUE(world.witness.backup.has_value()) << "and does not lead: it is to stop";
}

TEST(OrderlyStop, ABackupDoesNotWaitForeverForAPrimaryThatDoesNotStop) {
  TwoMembers world;
  world.form();
  order_stop(world, 1);
  world.pass(seconds(11));
  EXPECT_FALSE(world.members[1].pair);
}

TEST(OrderlyStop, OfOneMemberAloneIsNotWaitedFor) {
  TwoMembers world;
  world.form();
  order_stop(world, 1, true);
  EXPECT_FALSE(world.members[1].pair);
  world.report_death(1);
  EXPECT_TRUE(world.status(0).solo);
}

TEST(OrderlyStop, OfThePrimaryAloneHandsOver) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  order_stop(world, 0, true);
  world.pass(milliseconds(100));
  EXPECT_FALSE(world.members[0].pair);
  world.report_death(0);
  const std::uint64_t number = world.request(1, session, 1, "pay");
  EXPECT_TRUE(world.replies.contains(number));
}

TEST(OrderlyStop, APrimaryThatWasPausedGivesItsOrderTimeToBeHeardBeforeItLeavesItsBackupBehind) {
  TwoMembers world;
  world.form();
  order_stop(world, 1);
  world.pause(0, seconds(3));
  ASSERT_TRUE(world.members[1].pair) << "silence is not death";
  world.pass(milliseconds(100));
  EXPECT_TRUE(world.witness.backup.has_value()) << "it was the primary that was silent";
  order_stop(world, 0);
  world.pass(seconds(1));
  EXPECT_TRUE(world.witness.backup.has_value());
}

TEST(OrderlyStop, APausedBackupDoesNotTakeOverFromAPrimaryThatSpeaks) {
  TwoMembers world;
  world.form();
  world.pause(1, milliseconds(700));
  world.pass(seconds(1));
  EXPECT_EQ(world.status(0).role, Role::primary);
  EXPECT_EQ(world.witness.epoch, Epoch{2}) << "no change of roles";
}

TEST(OrderlyStop, AStoppingPrimaryWhoseBackupDiesDoesNotGoSolo) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  world.members[1].disk_answers = false;  // so that it can't hand over
  world.request(0, session, 1);
  world.members[0].inbox.push_back(StopOrdered{});
  world.run();
  world.kill(1);
  world.report_death(1);
  EXPECT_FALSE(world.members[0].pair) << "it has stopped";
  EXPECT_TRUE(world.witness.backup.has_value()) << "either can lead when they start again";
}

}  // namespace
}  // namespace pollux::testing
