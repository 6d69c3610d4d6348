// A request whose handler kills or hangs its process: it may cost each member one crash, and no more.
#include <gmock/gmock.h>

#include <set>

#include "integration/pair_under_test.h"
#include "pollux/ledger/ledger.h"

namespace pollux::testing {
namespace {

using ledger::Misbehave;

class PoisonTest : public PairUnderTest, public ::testing::WithParamInterface<Misbehave::How> {
 protected:
  // Watches which runs of each member there are, until told to stop.
  class Runs {
   public:
    explicit Runs(SpawnedPair& pair)
        : thread_([this, &pair](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
              for (const std::size_t member : {0, 1}) {
                if (const auto told = pair.status(member)) runs_[member].insert(told->run);
              }
              std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
          }) {}
    const std::set<std::string>& stop_and_tell(std::size_t member) {
      thread_.request_stop();
      if (thread_.joinable()) thread_.join();
      return runs_[member];
    }

   private:
    std::set<std::string> runs_[2];
    std::jthread thread_;
  };
};

TEST_P(PoisonTest, IsQuarantinedAfterAtMostOneCrashOfEachMember) {
  start({"POLLUX_LEDGER_TEST_REQUESTS=1"});
  start_load();
  Runs runs(pair());
  auto requester = Requester::open(pair().address());
  ASSERT_TRUE(requester) << requester.error().text;
  const auto poison = ledger::encode(ledger::Request(Misbehave{.how = GetParam()}));
  const auto result = (*requester)->call(poison, std::chrono::seconds(120));
  const Code code = result ? result->code : result.error().code;
  EXPECT_EQ(code, Code::quarantined) << (result ? result->payload : result.error().text);
  wait_in_sync();
  wait_for_answers();
  for (const std::size_t member : {0, 1}) {
    // _exit() looks like a kill from outside: an innocent request would get a second try, so this one does,
    // too.
    const auto runs_max = GetParam() == Misbehave::How::leave ? 3u : 2u;
    EXPECT_LE(runs.stop_and_tell(member).size(), runs_max) << "member " << member << " crashed too often";
  }
  EXPECT_TRUE(said({"quarantined"})) << "it must be in a log";
  check_everything();
}

std::string how_name(const ::testing::TestParamInfo<Misbehave::How>& how) {
  static constexpr const char* names[] = {"", "Crash", "Hang", "Throw", "Sleep", "Leave", "Overflow"};
  return names[static_cast<int>(how.param)];
}
INSTANTIATE_TEST_SUITE_P(How, PoisonTest,
                         ::testing::Values(Misbehave::How::crash, Misbehave::How::hang, Misbehave::How::leave,
                                           Misbehave::How::overflow),
                         how_name);

class HarmlessPoisonTest : public PairUnderTest {};

TEST_F(HarmlessPoisonTest, AnExceptionAbortsTheRequestAndNothingElse) {
  start({"POLLUX_LEDGER_TEST_REQUESTS=1"});
  start_load();
  const auto a = status(0).run, b = status(1).run;
  auto requester = Requester::open(pair().address());
  ASSERT_TRUE(requester);
  const auto result =
      (*requester)->call(ledger::encode(ledger::Request(Misbehave{.how = Misbehave::How::throw_up})));
  EXPECT_EQ(result ? result->code : result.error().code, Code::aborted);
  EXPECT_THAT(result ? result->payload : result.error().text, ::testing::HasSubstr("thrown up by order"));
  EXPECT_EQ(status(0).run, a);
  EXPECT_EQ(status(1).run, b);
  check_everything();
}

TEST_F(HarmlessPoisonTest, TestRequestsAreForbiddenUnlessTheyAreTurnedOn) {
  start();
  start_load();
  auto requester = Requester::open(pair().address());
  ASSERT_TRUE(requester);
  const auto result = (*requester)->call(ledger::encode(ledger::Request(Misbehave{})));
  ASSERT_TRUE(result) << result.error().text;
  EXPECT_EQ(result->code, Code::forbidden);
  check_everything();
}

}  // namespace
}  // namespace pollux::testing
