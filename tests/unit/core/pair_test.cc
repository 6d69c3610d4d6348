// The stories a newcomer should read first: what a pair does when something dies.
#include <gtest/gtest.h>

#include <algorithm>

#include "two_members.h"

namespace pollux::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Pair, IsFoundedByOneMemberAndJoinedByTheOther) {
  TwoMembers world;
  world.form();
  EXPECT_EQ(world.status(0).role, Role::primary);
  EXPECT_TRUE(world.status(0).serving);
  EXPECT_FALSE(world.status(0).solo);
  EXPECT_EQ(world.status(1).role, Role::backup);
  EXPECT_EQ(world.status(1).durable, world.status(0).durable);
}

TEST(Pair, AnswersARequestOnlyWhenItIsOnBothDisks) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  world.members[1].disk_answers = false;
  const std::uint64_t number = world.request(0, session, 1);
  EXPECT_FALSE(world.replies.contains(number));
  EXPECT_LT(world.status(0).committed.lsn, world.status(0).durable.lsn);
  world.members[1].disk_answers = true;
  const std::uint64_t other = world.request(0, session, 2);
  EXPECT_FALSE(world.replies.contains(other));  // behind the one that hangs
}

TEST(Pair, RequestsThatWereExecutedTogetherShareOneForceOnEachMember) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  const std::size_t forces[] = {world.members[0].forces, world.members[1].forces};
  world.members[0].executor_gathers = true;
  for (std::uint64_t seq = 1; seq <= 10; ++seq) world.request(0, session, seq);
  TwoMembers::tell_executed(world.members[0]);
  world.run();
  EXPECT_TRUE(world.replies.contains(world.number));
  EXPECT_EQ(world.members[0].forces, forces[0] + 1);
  EXPECT_EQ(world.members[1].forces, forces[1] + 1);
}

TEST(Pair, ARetryGetsTheStoredReplyAndIsNotExecutedAgain) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  const std::uint64_t first = world.request(0, session, 1, "pay");
  const std::uint64_t again = world.request(0, session, 1, "pay");
  ASSERT_TRUE(world.replies.contains(first));
  ASSERT_TRUE(world.replies.contains(again));
  EXPECT_EQ(world.replies[first].payload, "done pay");
  EXPECT_EQ(world.replies[again].payload, "done pay");
  EXPECT_EQ(world.replies[again].lsn, world.replies[first].lsn);
  EXPECT_EQ(world.executed_payloads.size(), 1u);
}

TEST(Pair, ARequestBehindTheEndOfItsSessionIsNotExecuted) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  const RequesterMessage close{make_id<ClusterId>(1), "test", ++world.number, CloseSession{session}};
  world.members[0].inbox.push_back(RequesterSaid{Route{7}, close});  // not executed yet when the request comes
  const std::uint64_t late = world.request(0, session, 1, "pay");
  ASSERT_TRUE(world.replies.contains(late));
  EXPECT_EQ(world.replies[late].code, Code::busy);
  const std::uint64_t again = world.request(0, session, 1, "pay");
  EXPECT_EQ(world.replies[again].code, Code::session_expired);
  EXPECT_TRUE(world.executed_payloads.empty());
}

TEST(Pair, BackupTakesOverOnADeathReportAndKeepsSessions) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  const std::uint64_t first = world.request(0, session, 1, "pay");
  ASSERT_EQ(world.replies[first].code, Code::ok);
  world.kill(0);
  world.report_death(0);
  ASSERT_EQ(world.status(1).role, Role::primary) << "a death report is proof: no waiting";
  EXPECT_TRUE(world.status(1).solo);
  EXPECT_EQ(world.status(1).reason, "the primary died");
  const std::uint64_t again = world.request(1, session, 1, "pay");
  EXPECT_EQ(world.replies[again].payload, "done pay");
  EXPECT_EQ(world.executed_payloads.size(), 1u);
}

TEST(Pair, BackupTakesOverWhenThePrimaryFallsSilent) {
  TwoMembers world;
  world.form();
  world.kill(0);
  world.pass(milliseconds(200));
  EXPECT_EQ(world.status(1).role, Role::backup) << "not before takeover_after";
  world.pass(seconds(1));
  EXPECT_EQ(world.status(1).role, Role::primary);
  EXPECT_EQ(world.status(1).reason, "the primary fell silent");
}

TEST(Pair, ADeathReportAboutAnotherRunIsIgnored) {
  TwoMembers world;
  world.form();
  world.members[1].inbox.push_back(DeathReported{make_id<RunId>(0x77), make_id<BootId>(9)});
  world.run();
  EXPECT_EQ(world.status(1).role, Role::backup);
}

TEST(Pair, ARestartedMemberIsBackInSyncByItself) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  world.request(0, session, 1);
  world.kill(0);
  world.report_death(0);
  world.request(1, session, 2);
  world.start(0);
  world.pass(seconds(3));
  EXPECT_EQ(world.status(1).role, Role::primary);
  EXPECT_FALSE(world.status(1).solo);
  EXPECT_EQ(world.status(0).role, Role::backup);
  EXPECT_EQ(world.status(0).durable, world.status(1).durable);
}

TEST(Pair, ADeadBackupIsLeftBehindAndTheRequestIsAnsweredSolo) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  world.kill(1);
  const std::uint64_t number = world.request(0, session, 1);
  EXPECT_FALSE(world.replies.contains(number)) << "the configuration still names the backup";
  world.report_death(1);
  EXPECT_EQ(world.replies[number].code, Code::ok);
  EXPECT_TRUE(world.status(0).solo);
}

// A paused process is not dead: nobody reports it, and it owes an acknowledgement that is asked for again and again.
TEST(Pair, ASilentBackupThatOwesAnAcknowledgementIsLeftBehindHoweverOftenItIsSentAgain) {
  TwoMembers world;
  for (auto& member : world.members) {
    member.options.resend_after = milliseconds(100);
    member.options.left_behind_after = seconds(4);
  }
  world.form();
  const SessionId session = world.open_session(0);
  world.kill(1);
  const std::uint64_t number = world.request(0, session, 1);
  world.pass(seconds(3));
  EXPECT_FALSE(world.replies.contains(number)) << "not before left_behind_after";
  world.pass(seconds(2));
  EXPECT_TRUE(world.status(0).solo);
  EXPECT_EQ(world.replies[number].code, Code::ok);
}

TEST(Pair, WithoutTheWitnessNobodyGoesOnAlone) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  world.witness_answers = false;
  const std::uint64_t with_backup = world.request(0, session, 1);
  EXPECT_TRUE(world.replies.contains(with_backup)) << "a pair with both members up works on";
  world.kill(1);
  world.report_death(1);
  const std::uint64_t alone = world.request(0, session, 2);
  world.pass(seconds(5));
  EXPECT_FALSE(world.replies.contains(alone));
  world.witness_answers = true;
  world.pass(seconds(1));
  EXPECT_TRUE(world.replies.contains(alone));
}

TEST(Pair, ADeposedPrimaryCutsWhatWasNeverAcknowledged) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  world.network = false;
  const std::uint64_t lost = world.request(0, session, 1, "never acknowledged");
  EXPECT_FALSE(world.replies.contains(lost));
  ASSERT_EQ(world.status(0).durable.lsn.value, 3u);
  world.kill(0);
  world.pass(seconds(1));
  ASSERT_EQ(world.status(1).role, Role::primary);
  world.network = true;
  world.start(0);
  world.pass(seconds(3));
  EXPECT_EQ(world.status(0).role, Role::backup);
  EXPECT_EQ(world.status(0).durable, world.status(1).durable);
  ASSERT_EQ(world.members[0].disk.aside.size(), 1u);
  EXPECT_EQ(world.members[0].disk.aside[0]->record.reply, "done never acknowledged");
}

TEST(Pair, SwitchoverExchangesTheRolesAndLosesNothing) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  world.request(0, session, 1);
  world.members[0].inbox.push_back(SwitchOrdered{42});
  world.run();
  EXPECT_EQ(world.answers[42].code, Code::ok) << world.answers[42].text;
  EXPECT_EQ(world.status(0).role, Role::backup);
  EXPECT_EQ(world.status(1).role, Role::primary);
  EXPECT_FALSE(world.status(1).solo);
  const std::uint64_t next = world.request(1, session, 2);
  EXPECT_EQ(world.replies[next].code, Code::ok);
}

TEST(Pair, AskingAboutAnUnseenRequestMakesSureItNeverExecutes) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  const std::uint64_t asked = world.say(0, OutcomeAsk{{session, 5}});
  EXPECT_EQ(world.replies[asked].code, Code::tombstone);
  const std::uint64_t late = world.request(0, session, 5, "late");
  EXPECT_EQ(world.replies[late].code, Code::tombstone);
  EXPECT_TRUE(world.executed_payloads.empty());
}

TEST(Pair, AMemberWhoseExecutorHangsAbortsAndItsPeerTakesOver) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  world.members[0].executor_answers = false;
  world.request(0, session, 1, "poison");
  world.pass(seconds(4));
  EXPECT_TRUE(world.members[0].pair) << "not before execute_limit";
  world.pass(seconds(3));
  ASSERT_TRUE(world.members[0].stopped);
  EXPECT_TRUE(world.members[0].stopped->abort);
  EXPECT_EQ(world.status(1).role, Role::primary);
}

TEST(Pair, AQuarantinedRequestIsAnsweredAndRecorded) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  world.kill(0);
  world.members[0].disk.executing = {{session, 1}};
  world.kill(1);
  world.start(0);
  world.pass(seconds(2));
  ASSERT_EQ(world.primary(), 0u);
  const std::uint64_t number = world.request(0, session, 1, "poison");
  EXPECT_EQ(world.replies[number].code, Code::quarantined);
  EXPECT_TRUE(world.executed_payloads.empty());
}

TEST(Pair, ReadsAreConfirmedByTheBackup) {
  TwoMembers world;
  world.form();
  const std::uint64_t read = world.say(0, Query{});
  EXPECT_TRUE(world.replies.contains(read));
  world.network = false;
  const std::uint64_t cut_off = world.say(0, Query{});
  EXPECT_FALSE(world.replies.contains(cut_off));
}

TEST(Pair, AFailedDiskStopsTheMemberAtOnce) {
  TwoMembers world;
  world.form();
  world.members[0].inbox.push_back(StorageFailed{{Code::io_error, "flush failed"}});
  world.run();
  EXPECT_FALSE(world.members[0].pair);
  ASSERT_TRUE(world.members[0].stopped);
  EXPECT_NE(world.members[0].stopped->reason.text.find("flush failed"), std::string::npos);
}

// An operator puts an older copy of the witness back while the pair is stopped.
void restart_with_an_older_witness(TwoMembers& world) {
  world.form();
  const Configuration copy = world.witness;
  world.request(0, world.open_session(0), 1);
  world.say(0, RequesterHello{});
  world.members[0].inbox.push_back(SwitchOrdered{1});
  world.pass(std::chrono::seconds(1));
  ASSERT_GT(world.witness.epoch, copy.epoch);
  for (const std::size_t i : {0, 1}) world.kill(i);
  world.witness = copy;
}

TEST(Pair, AWitnessThatWentBackIsRefusedUntilAnOrderGivesItWhatThePairKnows) {
  TwoMembers world;
  restart_with_an_older_witness(world);
  const Epoch known = world.members[0].disk.state.configuration.epoch;
  world.start(0);
  world.start(1);
  world.pass(std::chrono::seconds(5));
  EXPECT_EQ(world.primary(), std::nullopt);
  EXPECT_TRUE(world.status(0).witness_refused);
  EXPECT_TRUE(world.status(1).witness_refused);
  EXPECT_LT(world.witness.epoch, known);

  world.members[0].inbox.push_back(WitnessAdoptOrdered{7});
  world.pass(std::chrono::milliseconds(200));
  ASSERT_TRUE(world.answers.contains(7));
  EXPECT_EQ(world.answers[7].code, Code::ok) << world.answers[7].text;
  EXPECT_GE(world.witness.epoch, known);
  world.pass(std::chrono::seconds(5));
  ASSERT_TRUE(world.primary());
  EXPECT_FALSE(world.status(0).witness_refused);
  EXPECT_FALSE(world.status(1).witness_refused);
  EXPECT_FALSE(world.status(*world.primary()).solo);
  EXPECT_EQ(world.status(0).committed, world.status(1).committed);
}

TEST(Pair, ToAdoptAWitnessNeedsTheOtherMemberSinceItMayKnowMore) {
  TwoMembers world;
  restart_with_an_older_witness(world);
  const Epoch copy = world.witness.epoch;
  world.start(0);
  world.pass(std::chrono::seconds(3));
  ASSERT_TRUE(world.status(0).witness_refused);
  world.members[0].inbox.push_back(WitnessAdoptOrdered{7});
  world.pass(std::chrono::milliseconds(500));
  world.members[0].inbox.push_back(WitnessAdoptOrdered{8});
  world.pass(std::chrono::seconds(6));
  EXPECT_EQ(world.answers[7].code, Code::conflict);
  EXPECT_NE(world.answers[7].text.find("other member"), std::string::npos) << world.answers[7].text;
  EXPECT_EQ(world.answers[8].code, Code::conflict);
  EXPECT_EQ(world.witness.epoch, copy) << "nothing may be given to it";
}

TEST(Pair, AMemberWithAnOlderCopyOfItsFilesDoesNotLeadWhenTheWitnessAndItsFloorWereLostToo) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  const Disk copy = world.members[0].disk;
  for (std::uint64_t seq = 1; seq <= 5; ++seq) world.request(0, session, seq);
  const Position acknowledged = world.status(0).committed;
  for (const std::size_t i : {0, 1}) world.kill(i);
  world.members[0].disk = copy;
  world.witness = {};
  world.witness_id = 9;
  for (const std::size_t i : {0, 1}) world.start(i);
  world.pass(seconds(3));
  ASSERT_EQ(world.primary(), std::nullopt);

  world.members[0].inbox.push_back(WitnessAdoptOrdered{7});
  world.pass(milliseconds(200));
  ASSERT_EQ(world.answers[7].code, Code::ok) << world.answers[7].text;
  EXPECT_GE(world.witness.floor.lsn, acknowledged.lsn);
  world.pass(seconds(5));
  ASSERT_EQ(world.primary(), 1u);
  EXPECT_GE(world.status(1).committed.lsn, acknowledged.lsn);
  EXPECT_EQ(world.members[0].disk.trail.at(acknowledged.lsn.value - 1)->hash, acknowledged.hash);
}

TEST(Pair, AWipedWitnessIsAdoptedByARunningPairWithoutAChangeOfRoles) {
  TwoMembers world;
  world.form();
  const Configuration before = world.witness;
  world.witness = {};
  world.witness_id = 9;
  // The backup is gone for a moment: now the primary needs the witness.
  world.kill(1);
  world.report_death(1);
  world.pass(std::chrono::seconds(1));
  ASSERT_TRUE(world.status(0).witness_refused);
  world.start(1);
  world.members[0].inbox.push_back(WitnessAdoptOrdered{7});
  world.pass(std::chrono::milliseconds(100));
  EXPECT_EQ(world.answers[7].code, Code::ok) << world.answers[7].text;
  EXPECT_GE(world.witness.epoch, before.epoch);
  EXPECT_EQ(world.members[0].disk.state.witness, make_id<WitnessId>(9)) << "a restart must know it again";
  world.pass(std::chrono::seconds(3));
  EXPECT_TRUE(world.status(0).serving);
  EXPECT_FALSE(world.status(0).solo);
  EXPECT_EQ(world.members[1].disk.state.witness, make_id<WitnessId>(9));
}

TEST(Pair, AMemberThatPledgedIsDeafToWhatTheWitnessAnsweredBefore) {
  // The backup is about to take over: it has asked the witness, and won there, but the answer is still on its way when
  // an older copy is put back. If it believed the answer later, there would be two primaries.
  TwoMembers world;
  world.form();
  Pair& backup = *world.members[1].pair;
  Actions actions;
  const Now now{world.now, {}};
  backup.step(TakeoverOrdered{1}, now, actions);
  std::optional<ProposeWitness> asked;
  for (const Action& action : actions) {
    if (const auto* propose = std::get_if<ProposeWitness>(&action)) asked = *propose;
  }
  ASSERT_TRUE(asked);
  const Envelope from{make_id<ClusterId>(1), "test", world.witness.generation, world.members[0].options.me,
                      world.witness.epoch};
  actions.clear();
  backup.step(PeerSaid{{from, AdoptAsk{5, make_id<WitnessId>(3)}}}, now, actions);
  const auto pledges = std::ranges::count_if(actions, [](const Action& action) {
    const auto* send = std::get_if<SendPeer>(&action);
    return send != nullptr && std::holds_alternative<AdoptPledge>(send->message.body);
  });
  EXPECT_EQ(pledges, 1);
  actions.clear();
  const WitnessView late{make_id<WitnessId>(3), 99, asked->next};
  backup.step(WitnessSaid{asked->ticket, WitnessSaid::Outcome::won, late, ""}, now, actions);
  EXPECT_TRUE(std::ranges::none_of(actions, [](const Action& action) { return std::holds_alternative<Persist>(action); }));
  EXPECT_EQ(backup.status().role, Role::backup);
}

TEST(Pair, OnANearlyFullDiskOnlyWhatFreesSpaceIsExecuted) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  const auto pressure = [&](DiskPressure how) {
    world.members[0].inbox.push_back(how);
    world.run();
  };
  const auto deletion = [&](std::uint64_t seq) {
    world.members[0].inbox.push_back(
        RequesterSaid{Route{7}, {make_id<ClusterId>(1), "test", ++world.number, Request{{session, seq}, 0, 0, {}, "d"}}, true});
    world.run();
    return world.replies[world.number];
  };
  pressure({.full = true});
  EXPECT_EQ(world.replies[world.request(0, session, 1)].code, Code::full);
  EXPECT_EQ(deletion(2).code, Code::ok);
  EXPECT_EQ(world.replies[world.request(0, session, 2)].code, Code::ok) << "a stored reply is given again";
  const SessionId second = world.open_session(0, 0x66);
  EXPECT_EQ(world.replies[world.number].code, Code::ok) << "who is to delete needs a session";

  pressure({.full = true, .exhausted = true});
  EXPECT_TRUE(world.status(0).disk_exhausted);
  EXPECT_EQ(deletion(3).code, Code::full);
  world.open_session(0, 0x77);
  EXPECT_EQ(world.replies[world.number].code, Code::full);
  EXPECT_EQ(world.replies[world.say(0, OutcomeAsk{{session, 3}})].code, Code::tombstone);
  EXPECT_EQ(world.replies[world.say(0, CloseSession{second})].code, Code::ok);

  pressure({});
  EXPECT_EQ(world.replies[world.request(0, session, 4)].code, Code::ok);
}

TEST(PairOptionsCheck, RefusesGraceWithinALease) {
  PairOptions options;
  options.pair = "p";
  EXPECT_TRUE(check(options).has_value());
  options.grace = options.lease;
  ASSERT_FALSE(check(options).has_value());
  EXPECT_NE(check(options).error().text.find("grace_ms"), std::string::npos);
}

}  // namespace
}  // namespace pollux::testing
