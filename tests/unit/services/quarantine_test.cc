#include "quarantine.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>

#include "file_io.h"
#include "pollux/proto/record_codec.h"
#include "support.h"

namespace pollux {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const BootId boot{{5}};
const SyncId request_7{SessionId{{1}}, 7};

/// A child process that begins to execute `request_7` and then ends as `end` does.
void execute_in_child(const std::filesystem::path& directory, void (*end)(ExecutingMark&)) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto mark = ExecutingMark::open(directory, boot);
    if (!mark) ::_exit(1);
    mark->guard_this_thread();
    mark->begin(request_7);
    end(*mark);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
}

std::optional<InterruptedRequest> found_after(void (*end)(ExecutingMark&)) {
  const testing::TestDirectory home;
  execute_in_child(home.path(), end);
  const auto mark = ExecutingMark::open(home.path(), boot);
  EXPECT_TRUE(mark.has_value());
  return mark->found();
}

TEST(ExecutingMark, TellsWhichRequestCrashedItsProcess) {
  const auto found = found_after([](ExecutingMark&) { std::abort(); });
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->sync, request_7);
  EXPECT_TRUE(found->guilty);
}

TEST(ExecutingMark, ARequestInExecutionWhenTheProcessIsKilledIsOnlyASuspect) {
  const auto found = found_after([](ExecutingMark&) { ::raise(SIGKILL); });
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->sync, request_7);
  EXPECT_FALSE(found->guilty);
}

TEST(ExecutingMark, ARequestThatNeverCameBackIsGuilty) {
  const auto found = found_after([](ExecutingMark& mark) {
    if (!mark.give_up(Duration::zero())) ::_exit(1);
  });
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->guilty);
}

TEST(ExecutingMark, AFinishedRequestLeavesNothing) {
  EXPECT_FALSE(found_after([](ExecutingMark& mark) {
                 mark.end();
                 std::abort();
               }).has_value());
}

TEST(ExecutingMark, AnotherBootOfTheHostSaysNothingAboutARequest) {
  const testing::TestDirectory home;
  execute_in_child(home.path(), [](ExecutingMark&) { ::raise(SIGKILL); });
  const auto mark = ExecutingMark::open(home.path(), BootId{{6}});
  ASSERT_TRUE(mark.has_value());
  EXPECT_FALSE(mark->found().has_value());
}

TEST(Quarantine, ASuspectThatIsFoundAgainIsQuarantinedAcrossStarts) {
  const testing::TestDirectory home;
  {
    auto quarantine = Quarantine::open(home.path());
    ASSERT_TRUE(quarantine);
    ASSERT_TRUE((*quarantine)->add({request_7, false}));
    EXPECT_THAT((*quarantine)->quarantined(), IsEmpty());
  }
  auto quarantine = Quarantine::open(home.path());
  ASSERT_TRUE(quarantine);
  ASSERT_TRUE((*quarantine)->add({request_7, false}));
  EXPECT_THAT((*quarantine)->quarantined(), ElementsAre(request_7));
  EXPECT_THAT((*Quarantine::open(home.path()))->quarantined(), ElementsAre(request_7));
}

TEST(Quarantine, IsLeftWhenTheOutcomeIsInTheTrail) {
  const testing::TestDirectory home;
  auto quarantine = Quarantine::open(home.path());
  ASSERT_TRUE((*quarantine)->add({request_7, true}));
  Record other;
  other.lsn = {1};
  other.sync = {request_7.session, 8};
  ASSERT_TRUE((*quarantine)->settle(std::vector{seal(other, {})}));
  EXPECT_THAT((*quarantine)->quarantined(), ElementsAre(request_7));
  Record outcome;
  outcome.lsn = {2};
  outcome.sync = request_7;
  outcome.code = Code::quarantined;
  ASSERT_TRUE((*quarantine)->settle(std::vector{seal(outcome, {})}));
  EXPECT_THAT((*Quarantine::open(home.path()))->quarantined(), IsEmpty());
}

TEST(Quarantine, IsLeftWhenTheSessionIsNoMore) {
  const testing::TestDirectory home;
  auto quarantine = Quarantine::open(home.path());
  ASSERT_TRUE((*quarantine)->add({request_7, true}));
  SessionTable sessions;
  sessions.restore(request_7.session, Session{});
  ASSERT_TRUE((*quarantine)->settle(sessions));
  EXPECT_THAT((*quarantine)->quarantined(), ElementsAre(request_7));
  ASSERT_TRUE((*quarantine)->settle(SessionTable{}));
  EXPECT_THAT((*quarantine)->quarantined(), IsEmpty());
}

TEST(Quarantine, KeepsTheNewestWhenThereAreTooMany) {
  const testing::TestDirectory home;
  auto quarantine = Quarantine::open(home.path());
  for (std::uint64_t seq = 1; seq <= Quarantine::entries_max + 1; ++seq) {
    ASSERT_TRUE((*quarantine)->add({{SessionId{{1}}, seq}, true}));
  }
  EXPECT_EQ((*quarantine)->quarantined().size(), Quarantine::entries_max);
  EXPECT_EQ((*quarantine)->quarantined().front().seq, 2U);
}

TEST(Quarantine, GarbageInItsFileIsOneClearLine) {
  const testing::TestDirectory home;
  ASSERT_TRUE(write_durably(home.path() / "quarantine", "pollux quarantine 1\nxyz 3 suspect\n"));
  const auto quarantine = Quarantine::open(home.path());
  ASSERT_FALSE(quarantine);
  EXPECT_EQ(quarantine.error().code, Code::damaged);
  EXPECT_THAT(quarantine.error().text, HasSubstr("line 2"));
}

}  // namespace
}  // namespace pollux
