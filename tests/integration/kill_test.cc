// kill -9 of every process of a pair, in random order, under load. The seeds are fixed, and printed; another
// one is tried with POLLUX_KILL_SEED=n.
#include <gmock/gmock.h>

#include <cstdlib>
#include <random>

#include "integration/pair_under_test.h"

namespace pollux::testing {
namespace {

constexpr unsigned kills_a_case = 55;  // four cases: more than 200 kills

class KillTest : public PairUnderTest, public ::testing::WithParamInterface<std::uint64_t> {
 protected:
  void kill_something() {
    const auto choice = random_() % 100;
    if (choice < 35) {
      kill_role("primary");
    } else if (choice < 60) {
      kill_role("backup");
    } else if (choice < 75) {
      kill_both();
    } else {
      kill_supervisor();
    }
  }

  // The member of that role, or any one if right now there is none: then it is in between, which is a good
  // moment, too.
  void kill_role(const std::string& role) {
    if (!kill_role_if_any(role)) kill_told(status(random_() % 2));
  }
  bool kill_role_if_any(const std::string& role) {
    for (const std::size_t member : {0, 1}) {
      const auto told = pair().status(member);
      if (!told || told->role != role) continue;
      kill_told(*told);
      return true;
    }
    return false;
  }
  void kill_both() {
    const auto a = status(0), b = status(1);
    if (HasFatalFailure()) return;
    const bool a_first = random_() % 2 == 0;
    kill_told(a_first ? a : b);
    kill_told(a_first ? b : a);
  }
  void kill_told(const MemberStatus& victim) {
    if (HasFatalFailure()) return;
    note("member " + victim.member + " (" + victim.role + ")");
    kill(victim.pid, SIGKILL);
  }
  // Members go on without their supervisor; the next one adopts them. Sometimes one dies while there is none.
  void kill_supervisor() {
    note("supervisor");
    pair().node()->signal(SIGKILL);
    ASSERT_TRUE(pair().node()->wait(std::chrono::seconds(30)));
    if (random_() % 3 == 0) kill_role_if_any(random_() % 2 == 0 ? "primary" : "backup");
    const auto started = pair().start_node();
    ASSERT_TRUE(started) << started.error().text;
  }
  void note(const std::string& victim) {
    ++kills_;
    story_ += "\n  " + std::to_string(kills_) + ": " + victim;
  }

  std::mt19937_64 random_{GetParam()};
  unsigned kills_ = 0;
  std::string story_;
};

TEST_P(KillTest, NothingIsLostOrDoubledWhateverIsKilled) {
  std::cout << "seed " << GetParam() << "\n";
  start();
  if (HasFatalFailure()) return;
  start_load({}, GetParam());
  while (kills_ < kills_a_case && !HasFailure()) {
    kill_something();
    // Half of the time the next kill waits until all is well, else it hits a pair that is still on its way
    // back.
    if (random_() % 2 == 0) {
      wait_in_sync();
      wait_for_answers();
      trail_->follow(load().take_acknowledged());
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(random_() % 400));
    }
  }
  check_everything();
  if (HasFailure()) std::cerr << "killed, with seed " << GetParam() << ":" << story_ << "\n";
  EXPECT_GE(kills_, kills_a_case);
}

std::vector<std::uint64_t> seeds() {
  if (const char* seed = std::getenv("POLLUX_KILL_SEED")) return {std::strtoull(seed, nullptr, 10)};
  return {1, 2, 3, 4};
}
INSTANTIATE_TEST_SUITE_P(Seeds, KillTest, ::testing::ValuesIn(seeds()));

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
