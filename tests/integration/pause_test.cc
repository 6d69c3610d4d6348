// A process that is stopped (SIGSTOP: a paused VM, a debugger) for longer than its peer waits, and then goes
// on as if nothing had happened.
#include "integration/pair_under_test.h"

namespace pollux::testing {
namespace {

class PauseTest : public PairUnderTest {
 protected:
  void TearDown() override {
    if (stopped_ != 0) kill(stopped_, SIGCONT);
    PairUnderTest::TearDown();
  }
  void pause(std::size_t member) {
    stopped_ = status(member).pid;
    kill(stopped_, SIGSTOP);
  }
  void go_on() { kill(std::exchange(stopped_, 0), SIGCONT); }
  pid_t stopped_ = 0;
};

TEST_F(PauseTest, APausedPrimaryIsReplacedAndDoesNotThinkItIsPrimaryWhenItGoesOn) {
  start();
  start_load();
  const auto old = primary();
  const auto epoch = status(old).epoch;
  pause(old);
  wait_until("the backup to take over", [&] {
    const auto other = pair().status(1 - old);
    return other && other->role == "primary" && other->serving && other->epoch > epoch;
  });
  wait_for_answers();
  go_on();
  wait_in_sync();
  EXPECT_EQ(status(1 - old).role, "primary");
  check_everything();
}

TEST_F(PauseTest, APausedBackupIsLeftBehindAndCatchesUpWhenItGoesOn) {
  start();
  start_load();
  const auto backup = 1 - primary();
  pause(backup);
  wait_until("the primary to go on solo", [&] { return status(1 - backup).solo; });
  wait_for_answers();
  go_on();
  wait_in_sync();
  check_everything();
}

TEST_F(PauseTest, BothPausedOneAfterTheOtherLoseNothing) {
  start();
  start_load();
  for (int round = 0; round < 4; ++round) {
    const auto member = static_cast<std::size_t>(round % 2);
    const auto epoch = status(member).epoch;
    pause(member);
    wait_until("the other one to be alone", [&] {
      const auto other = pair().status(1 - member);
      return other && other->role == "primary" && other->serving && other->solo && other->epoch > epoch;
    });
    go_on();
    wait_in_sync();
    if (HasFatalFailure()) return;
    trail_->follow(load().take_acknowledged());
  }
  check_everything();
}

TEST_F(PauseTest, APausedSupervisorChangesNothing) {
  start();
  start_load();
  stopped_ = pair().node()->pid();
  kill(stopped_, SIGSTOP);
  const auto old = primary();
  const auto victim = status(old);
  kill_member(old);
  wait_until("the backup to take over", [&] {
    const auto other = pair().status(1 - old);
    return other && other->role == "primary" && other->serving && other->epoch > victim.epoch;
  });
  wait_for_answers();
  go_on();
  wait_in_sync();
  check_everything();
}

}  // namespace
}  // namespace pollux::testing
