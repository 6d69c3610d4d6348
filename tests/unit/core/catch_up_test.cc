// How a member that returns finds what it has in common with the primary.
#include <gtest/gtest.h>

#include "two_members.h"

namespace pollux::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Records that no pair ever wrote.
std::vector<RecordPtr> strange_trail(std::uint64_t records) {
  std::vector<RecordPtr> trail;
  for (std::uint64_t lsn = 1; lsn <= records; ++lsn) {
    const Hash before = trail.empty() ? Hash{} : trail.back()->hash;
    Record record;
    record.lsn = Lsn{lsn};
    record.epoch = Epoch{1};
    record.reply = "strange";
    trail.push_back(seal(std::move(record), before));
  }
  return trail;
}

TEST(CatchUp, AMemberWhoseWholeTrailIsNotThePairsHistoryCutsItToNothing) {
  for (const std::uint64_t records : {1u, 2u, 3u, 4u, 9u, 70u, 200u}) {
    TwoMembers world;
    world.start(0);
    world.pass(seconds(2));
    const SessionId session = world.open_session(0);
    for (std::uint64_t seq = 1; seq <= 90; ++seq) world.request(0, session, seq);
    world.members[1].disk.trail = strange_trail(records);
    world.start(1);
    world.pass(seconds(3));
    EXPECT_EQ(world.status(1).role, Role::backup) << records;
    EXPECT_EQ(world.members[1].disk.aside.size(), records) << "set aside for the operator";
    EXPECT_EQ(world.status(1).durable, world.status(0).durable);
  }
}

TEST(CatchUp, ThePrimaryTellsAsManyHashesAsMayBeAskedForAndNoMore) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  for (std::uint64_t seq = 1; seq <= 300; ++seq) world.request(0, session, seq);
  const Envelope from = world.members[1].said.back().envelope;
  constexpr std::size_t asked_max = 256;
  for (const std::size_t count : {asked_max, asked_max + 1}) {
    HashAsk ask;
    for (std::uint64_t lsn = 1; lsn <= count; ++lsn) ask.lsns.push_back(Lsn{lsn});
    world.members[0].said.clear();
    world.hear(0, PeerMessage{from, ask});
    EXPECT_EQ(world.count_said<HashTell>(0), count <= asked_max ? 1u : 0u) << count;
  }
}

TEST(CatchUp, ThePrimaryReadsForSoManyQuestionsAtATimeAndIgnoresTheRest) {
  TwoMembers world;
  world.form();
  world.members[0].reads_answer = false;
  world.members[0].hashes_read.clear();
  const Envelope from = world.members[1].said.back().envelope;
  for (int i = 0; i < 20; ++i) world.hear(0, PeerMessage{from, HashAsk{{Lsn{1}}}});
  EXPECT_EQ(world.members[0].hashes_read.size(), 16u);
}

TEST(CatchUp, GoesOnWhereItWasWhenASilentPrimarySpeaksAgain) {
  TwoMembers world;
  world.form();
  const SessionId session = world.open_session(0);
  world.kill(1);
  world.report_death(1);
  for (std::uint64_t seq = 1; seq <= 20; ++seq) world.request(0, session, seq);
  // The tail is asked for and does not come: its common end is found by then.
  world.lets_through = [](const PeerMessage& message) { return !std::holds_alternative<Tail>(message.body); };
  world.members[0].options.rejoin_backoff_min = seconds(20);
  world.start(1);
  world.pass(milliseconds(100));
  ASSERT_GT(world.count_said<TailAsk>(1), 0u);
  const std::size_t asked = world.members[1].hashes_read.size();
  world.network = false;
  world.pass(seconds(1));
  ASSERT_EQ(world.status(1).role, Role::waiting);
  world.network = true;
  world.lets_through = nullptr;
  world.pass(seconds(2));
  EXPECT_EQ(world.status(1).role, Role::backup);
  EXPECT_EQ(world.members[1].hashes_read.size(), asked);
}

}  // namespace
}  // namespace pollux::testing
