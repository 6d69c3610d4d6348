// The watchdog with short rounds; its `end` notes what would have ended the process.
#include "watchdog.h"

#include <gmock/gmock.h>

#include "pollux/services/member.h"
#include "support.h"

namespace pollux {
namespace {

using std::chrono::milliseconds;
using testing::eventually;
using ::testing::HasSubstr;

class WatchdogTest : public ::testing::Test {
 protected:
  void start(Watchdog::Options options) {
    watchdog_.emplace(progress_, options, [this](int code, const char* why) {
      const std::lock_guard lock(mutex_);
      ends_.emplace_back(code, why);
    });
    watchdog_->start();
  }
  std::vector<std::pair<int, std::string>> ends() {
    const std::lock_guard lock(mutex_);
    return ends_;
  }
  /// Core goes round until `condition` is met.
  bool go_round_until(const std::function<bool()>& condition) {
    return eventually([&] {
      progress_.core.fetch_add(1);
      return condition();
    });
  }

  Progress progress_;
  std::mutex mutex_;
  std::vector<std::pair<int, std::string>> ends_;
  std::optional<Watchdog> watchdog_;
};

TEST_F(WatchdogTest, EndsTheProcessWhenCoreMakesNoProgress) {
  start({.limit = milliseconds(30), .round = milliseconds(5)});
  ASSERT_TRUE(eventually([&] { return !ends().empty(); }));
  EXPECT_EQ(ends().front().first, MemberExit::hung);
  EXPECT_THAT(ends().front().second, HasSubstr("makes no progress"));
}

TEST_F(WatchdogTest, LeavesAMemberAloneWhoseCoreGoesRound) {
  // A limit that a busy machine does not use up between two rounds of this loop.
  start({.limit = milliseconds(5000), .round = milliseconds(1)});
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(go_round_until([&] { return std::chrono::steady_clock::now() - begin > milliseconds(200); }));
  watchdog_->stop();
  EXPECT_TRUE(ends().empty());
}

TEST_F(WatchdogTest, CountsItsOwnRoundsSoThatOneLongPauseIsNoHang) {
  // What a process that was stopped as a whole sees: one late round, whatever time it took.
  start({.limit = milliseconds(200), .round = milliseconds(100)});
  watchdog_->stop();
  EXPECT_TRUE(ends().empty());
}

TEST_F(WatchdogTest, AnOrderedEndComesOnceWithItsCodeAndLetsCoreRest) {
  start({.limit = milliseconds(10), .round = milliseconds(5)});
  watchdog_->end_within(milliseconds(60), MemberExit::stopped);
  // Core has stopped by now and goes round no more: that is no hang.
  ASSERT_TRUE(eventually([&] { return !ends().empty(); }));
  EXPECT_EQ(ends().front().first, MemberExit::stopped);
  EXPECT_THAT(ends().front().second, HasSubstr("does not end"));
  watchdog_->stop();
  EXPECT_EQ(ends().size(), 1U);
}

TEST_F(WatchdogTest, StopsAtOnceAndThenEndsNothing) {
  start({.limit = std::chrono::hours(1), .round = std::chrono::minutes(1)});
  watchdog_->end_within(std::chrono::minutes(1), MemberExit::stopped);
  const auto begin = std::chrono::steady_clock::now();
  watchdog_->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_TRUE(ends().empty());
}

}  // namespace
}  // namespace pollux
