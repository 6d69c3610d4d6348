#include "death_sign.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <fstream>

#include "clocks.h"
#include "support.h"

namespace pollux {
namespace {

using testing::eventually;

const BootId boot{{4}};

class DeathSigns : public ::testing::Test {
 protected:
  /// A child that holds the sign of `run` until it is killed.
  std::filesystem::path hold_in_child(const RunId& run) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    child_ = ::fork();
    if (child_ == 0) {
      auto sign = DeathSign::create(home_.path(), run, boot);
      if (sign) sign->hold();
      static_cast<void>(!::write(ready[1], sign ? "y" : "n", 1));
      for (;;) ::pause();
    }
    char result = 0;
    EXPECT_EQ(::read(ready[0], &result, 1), 1);
    EXPECT_EQ(result, 'y');
    ::close(ready[0]);
    ::close(ready[1]);
    return home_.path() / ("alive-" + to_string(run));
  }
  void kill_child() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = 0;
  }
  void TearDown() override { kill_child(); }

  testing::TestDirectory home_;
  pid_t child_ = 0;
  std::atomic<int> died_{0}, said_{0};
  RunId died_run_;
  DeathWatch watch_{boot,
                    [this](const RunId& run, const BootId&) {
                      died_run_ = run;
                      ++died_;
                    },
                    [this](const std::string&) { ++said_; }};
};

TEST_F(DeathSigns, AKilledProcessIsReportedByItsRun) {
  const auto run = random_id<RunId>();
  const auto file = hold_in_child(run);
  watch_.start();
  watch_.watch({run, boot, file.string()});
  // Watched through a slice of waiting and beyond: the living are not reported.
  std::this_thread::sleep_for(2 * DeathWatch::slice);
  EXPECT_EQ(died_, 0);
  kill_child();
  ASSERT_TRUE(eventually([&] { return died_ == 1; }));
  watch_.stop();
  EXPECT_EQ(died_run_, run);
}

TEST_F(DeathSigns, OneThatIsDeadAlreadyIsReportedToEveryWatcher) {
  const auto run = random_id<RunId>();
  const auto file = hold_in_child(run);
  kill_child();
  watch_.start();
  watch_.watch({run, boot, file.string()});
  ASSERT_TRUE(eventually([&] { return died_ == 1; }));
  watch_.watch({run, boot, file.string()});
  EXPECT_TRUE(eventually([&] { return died_ == 2; }));
}

TEST_F(DeathSigns, ASignOfAnotherRunOrAnotherHostTellsNothing) {
  const auto run = random_id<RunId>();
  const auto file = hold_in_child(run);
  kill_child();
  watch_.start();
  watch_.watch({random_id<RunId>(), boot, file.string()});
  watch_.watch({run, BootId{{9}}, file.string()});
  // The third is dead indeed: once it is reported, the others were looked at.
  watch_.watch({run, boot, file.string()});
  ASSERT_TRUE(eventually([&] { return died_ >= 1; }));
  watch_.stop();
  EXPECT_EQ(died_, 1);
}

TEST_F(DeathSigns, AFileThatIsNoSignIsSaidSoAndIgnored) {
  const auto file = home_.path() / "alive-short";
  std::ofstream(file) << "short";
  watch_.start();
  watch_.watch({random_id<RunId>(), boot, file.string()});
  EXPECT_TRUE(eventually([&] { return said_ == 1; }));
  watch_.watch({random_id<RunId>(), boot, (home_.path() / "missing").string()});
  EXPECT_TRUE(eventually([&] { return said_ == 2; }));
  EXPECT_EQ(died_, 0);
}

TEST_F(DeathSigns, TheEndOfTheThreadThatHoldsItIsEnough) {
  const auto run = random_id<RunId>();
  auto sign = DeathSign::create(home_.path(), run, boot);
  ASSERT_TRUE(sign);
  std::thread([&] { sign->hold(); }).join();
  watch_.start();
  watch_.watch({run, boot, sign->file().string()});
  EXPECT_TRUE(eventually([&] { return died_ == 1; }));
}

TEST_F(DeathSigns, SignsOfEarlierRunsAreRemovedAtTheNextStart) {
  const auto file = hold_in_child(random_id<RunId>());
  kill_child();
  EXPECT_TRUE(std::filesystem::exists(file));
  ASSERT_TRUE(DeathSign::create(home_.path(), random_id<RunId>(), boot));
  EXPECT_FALSE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace pollux
