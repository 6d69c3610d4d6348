// What callers are told, and when: nobody is forgotten, and nobody hears what a takeover could take back.
#include <gtest/gtest.h>

#include "two_members.h"

namespace pollux::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Callers, ARequestThatComesWhileTheBackupsReturnIsWrittenDownIsAnsweredRightAfter) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  world.kill(1);
  world.report_death(1);
  ASSERT_TRUE(world.status(0).solo);
  world.members[0].state_is_slow = true;
  world.start(1);
  for (int i = 0; i < 100 && world.status(0).serving; ++i) world.pass(milliseconds(10));
  ASSERT_FALSE(world.members[0].unfinished.empty()) << "the join was won, and is being persisted";
  const std::uint64_t number = world.request(0, session, 1, "pay");
  const std::uint64_t read = world.say(0, Query{0, {}, "balance"});
  EXPECT_FALSE(world.replies.contains(number));
  world.finish_persisting(0);
  EXPECT_FALSE(world.status(0).solo);
  ASSERT_TRUE(world.replies.contains(number)) << "without waiting for the requester to send it again";
  EXPECT_EQ(world.replies[number].payload, "done pay");
  EXPECT_TRUE(world.replies.contains(read));
}

TEST(Callers, WhatIsSentWhileTheBackupWritesDownThatItIsOneIsSentAgainRightAfter) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  world.kill(1);
  world.report_death(1);
  world.members[1].state_is_slow = true;
  world.start(1);
  for (int i = 0; i < 100 && world.witness.solo(); ++i) {
    world.pass(milliseconds(10));
    if (world.witness.solo()) world.finish_persisting(1);
  }
  ASSERT_EQ(world.status(1).role, Role::catching_up) << "it persists that it is the backup";
  const std::uint64_t number = world.request(0, session, 1, "pay");
  const std::uint64_t read = world.say(0, Query{0, {}, "balance"});
  EXPECT_FALSE(world.replies.contains(number));
  EXPECT_FALSE(world.replies.contains(read));
  world.finish_persisting(1);
  EXPECT_EQ(world.status(1).role, Role::backup);
  EXPECT_TRUE(world.replies.contains(number)) << "without waiting for resend_after";
  EXPECT_TRUE(world.replies.contains(read));
}

TEST(Callers, ARequestThatComesWhileThePrimaryLearnsThatItIsDeposedIsTurnedAway) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  world.members[0].state_is_slow = true;
  world.members[1].inbox.push_back(TakeoverOrdered{1});
  world.run();
  ASSERT_FALSE(world.members[0].unfinished.empty()) << "it knows of the takeover, and persists that";
  const std::uint64_t number = world.request(0, session, 1, "pay");
  EXPECT_FALSE(world.replies.contains(number));
  world.finish_persisting(0);
  ASSERT_TRUE(world.replies.contains(number));
  EXPECT_EQ(world.replies[number].code, Code::not_primary);
  EXPECT_TRUE(world.executed_payloads.empty());
}

TEST(Callers, ACallThatWasBeingExecutedWhenItsPrimaryWasDeposedIsAnsweredWhenItLeadsAgain) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  world.members[0].executor_answers = false;
  const std::uint64_t first = world.request(0, session, 1, "pay");
  world.members[1].inbox.push_back(TakeoverOrdered{1});
  world.pass(milliseconds(500));
  ASSERT_EQ(world.status(1).role, Role::primary);
  world.members[0].executor_answers = true;
  world.pass(seconds(3));
  ASSERT_EQ(world.status(0).role, Role::backup);
  world.kill(1);
  world.report_death(1);
  ASSERT_EQ(world.status(0).role, Role::primary);
  EXPECT_FALSE(world.replies.contains(first));
  const std::uint64_t again = world.request(0, session, 1, "pay");
  ASSERT_TRUE(world.replies.contains(again));
  EXPECT_EQ(world.replies[again].payload, "done pay");
  EXPECT_EQ(world.executed_payloads.size(), 1u);
}

TEST(Callers, AreToldThatTheirSessionIsOverOnlyOnceThatIsOnBothDisks) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  const std::uint64_t paid = world.request(0, session, 1, "pay");
  ASSERT_TRUE(world.replies.contains(paid));
  world.network = false;
  world.say(0, CloseSession{session});
  const std::uint64_t next = world.request(0, session, 2, "buy");
  const std::uint64_t asked = world.say(0, OutcomeAsk{{session, 1}});
  const std::uint64_t closed = world.say(0, CloseSession{session});
  for (const std::uint64_t number : {next, asked, closed}) {
    EXPECT_FALSE(world.replies.contains(number)) << "the backup does not know yet that the session is over";
  }
  world.network = true;
  world.pass(milliseconds(300));
  for (const std::uint64_t number : {next, asked, closed}) {
    ASSERT_TRUE(world.replies.contains(number));
    EXPECT_EQ(world.replies[number].code, Code::session_expired);
  }
}

TEST(Callers, ASessionWhoseEndWasNeverCommittedGoesOnAfterATakeover) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  world.network = false;
  world.say(0, CloseSession{session});
  const std::uint64_t first = world.request(0, session, 1, "pay");
  EXPECT_FALSE(world.replies.contains(first));
  world.network = true;
  world.kill(0);
  world.report_death(0);
  const std::uint64_t again = world.request(1, session, 1, "pay");
  ASSERT_TRUE(world.replies.contains(again));
  EXPECT_EQ(world.replies[again].payload, "done pay");
}

TEST(Callers, AreToldThatAReplyIsNoLongerKeptOnlyOnceWhatTheyAcknowledgedIsOnBothDisks) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  world.request(0, session, 1, "pay");
  world.network = false;
  world.say(0, Request{{session, 2}, 2, 0, {}, "buy"});
  const std::uint64_t again = world.request(0, session, 1, "pay");
  const std::uint64_t asked = world.say(0, OutcomeAsk{{session, 1}});
  EXPECT_FALSE(world.replies.contains(again));
  EXPECT_FALSE(world.replies.contains(asked));
  world.network = true;
  world.pass(milliseconds(300));
  EXPECT_EQ(world.replies[again].code, Code::sync_id_too_old);
  EXPECT_EQ(world.replies[asked].code, Code::sync_id_too_old);
}

TEST(Callers, SessionsExpireEvenIfTheWallClockWasFarAheadForAWhile) {
  TwoMembers world;
  for (auto& member : world.members) member.options.session_idle = seconds(30);
  world.form();
  world.wall_ahead = std::chrono::hours(24 * 365);
  const SessionId idle = world.open_session(0, 0x55), used = world.open_session(0, 0x56);
  world.request(0, idle, 1);
  world.wall_ahead = {};
  for (std::uint64_t seq = 1; seq <= 7; ++seq) {
    world.request(0, used, seq);
    world.pass(seconds(5));
  }
  EXPECT_EQ(world.status(0).sessions, 1u);
  const std::uint64_t late = world.request(0, idle, 2);
  EXPECT_EQ(world.replies[late].code, Code::session_expired);
  const std::uint64_t soon = world.request(0, used, 8);
  EXPECT_EQ(world.replies[soon].code, Code::ok);
}

TEST(Callers, ASessionInUseIsNotClosed) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  world.members[0].executor_answers = false;
  world.request(0, session, 1, "pay");
  const std::uint64_t closed = world.say(0, CloseSession{session});
  EXPECT_EQ(world.replies[closed].code, Code::busy);
}

}  // namespace
}  // namespace pollux::testing
