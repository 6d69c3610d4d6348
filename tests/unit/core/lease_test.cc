// Reads under a lease (I7): how long it lasts, and what it costs while it lasts and after.
#include <gtest/gtest.h>

#include "two_members.h"

namespace pollux::testing {
namespace {

using std::chrono::milliseconds;

class Lease : public ::testing::Test {
 protected:
  Lease() {
    for (auto& member : world.members) member.options.reads = ReadMode::lease;
    world.form();
  }

  /// Whether a query is answered, and without a word to the backup.
  bool answered_at_once() {
    const std::size_t confirms = world.count_said<Confirm>(0);
    const std::uint64_t number = world.say(0, Query{0, {}, "balance"});
    EXPECT_TRUE(world.replies.contains(number));
    return world.count_said<Confirm>(0) == confirms;
  }

  /// From now on acknowledgements of heartbeats are kept here, with the time at which they were given.
  void keep_acknowledgements() {
    world.lets_through = [this](const PeerMessage& message) {
      if (!std::holds_alternative<HeartbeatAck>(message.body)) return true;
      kept.emplace_back(world.now, message);
      return false;
    };
  }
  void pass_until(Instant then) { world.pass(then - world.now); }

  TwoMembers world;
  std::vector<std::pair<Instant, PeerMessage>> kept;
};

TEST_F(Lease, ReadsNeedNoMessageWhileHeartbeatsAreAcknowledged) {
  for (int i = 0; i < 50; ++i) {
    world.pass(milliseconds(20));
    ASSERT_TRUE(answered_at_once());
  }
}

TEST_F(Lease, RunsFromTheSendingOfTheHeartbeatThatWasAcknowledged) {
  keep_acknowledgements();
  world.pass(milliseconds(110));
  ASSERT_GE(kept.size(), 2u);
  const auto [sent, first] = kept.front();  // nothing takes time here: it was sent when it was acknowledged
  world.hear(0, first);
  pass_until(sent + milliseconds(190));
  world.now = sent + milliseconds(198) - std::chrono::nanoseconds(1);
  EXPECT_TRUE(answered_at_once());
  world.now = sent + milliseconds(198);
  EXPECT_FALSE(answered_at_once()) << "a lease of 200 ms, less 1 % for clocks that drift";
}

TEST_F(Lease, IsNotLengthenedByAnAcknowledgementThatComesLate) {
  keep_acknowledgements();
  world.pass(milliseconds(160));
  ASSERT_GE(kept.size(), 3u);
  world.hear(0, kept[2].second);
  world.hear(0, kept[0].second);  // overtaken on its way: it says nothing new
  pass_until(kept[2].first + milliseconds(190));
  EXPECT_TRUE(answered_at_once());
  pass_until(kept[2].first + milliseconds(200));
  EXPECT_FALSE(answered_at_once());
}

TEST_F(Lease, IsNotGivenByTheAcknowledgementOfAHeartbeatThatWasNeverSent) {
  keep_acknowledgements();
  world.pass(milliseconds(60));
  ASSERT_FALSE(kept.empty());
  PeerMessage made_up = kept.front().second;
  std::get<HeartbeatAck>(made_up.body).number += 1000;
  pass_until(kept.front().first + milliseconds(200));
  world.hear(0, made_up);
  EXPECT_FALSE(answered_at_once());
}

TEST_F(Lease, EndsBeforeTheBackupMayServe) {
  keep_acknowledgements();
  world.pass(milliseconds(60));
  ASSERT_FALSE(kept.empty());
  // The primary hears nothing any more, and says nothing. It would go on reading until its lease is over.
  world.network = false;
  bool leased = true;
  for (int i = 0; i < 200 && world.status(1).role != Role::primary; ++i) {
    world.pass(milliseconds(10));
    if (world.status(1).role == Role::primary) break;
    const std::size_t confirms = world.count_said<Confirm>(0);
    world.say(0, Query{0, {}, "balance"});
    leased = world.count_said<Confirm>(0) == confirms && world.status(0).reads_waiting == 0;
  }
  ASSERT_EQ(world.status(1).role, Role::primary);
  EXPECT_FALSE(leased) << "the lease was over some time before";
}

TEST_F(Lease, IsOverWhileRolesAreExchanged) {
  world.lets_through = [](const PeerMessage& message) { return !std::holds_alternative<CheckpointAck>(message.body); };
  const SessionId session = world.open_session(0);
  world.request(0, session, 1);  // not committed: the pair can't drain
  ASSERT_TRUE(answered_at_once());
  world.members[0].inbox.push_back(SwitchOrdered{1});
  world.run();
  const std::uint64_t number = world.say(0, Query{0, {}, "balance"});
  EXPECT_FALSE(world.replies.contains(number)) << "its successor may serve at any time";
}

}  // namespace
}  // namespace pollux::testing
