#include "directory_lock.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include "clocks.h"
#include "support.h"

namespace pollux {
namespace {

using ::testing::HasSubstr;

/// A child that takes the lock and holds it until it is killed.
pid_t hold_in_child(const std::filesystem::path& directory, const RunId& run) {
  int ready[2];
  EXPECT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = ProcessLock::take(directory, run, BootId{{3}});
    const char result = lock ? 'y' : 'n';
    static_cast<void>(!::write(ready[1], &result, 1));
    for (;;) ::pause();
  }
  char result = 0;
  EXPECT_EQ(::read(ready[0], &result, 1), 1);
  EXPECT_EQ(result, 'y');
  ::close(ready[0]);
  ::close(ready[1]);
  return child;
}

void kill_child(pid_t child) {
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(ProcessLock, NamesTheProcessThatHoldsTheDirectory) {
  const testing::TestDirectory home;
  const auto directory = home.path() / "member";
  EXPECT_FALSE(lock_holder(directory).has_value());
  const auto run = random_id<RunId>();
  const pid_t child = hold_in_child(directory, run);

  const auto holder = lock_holder(directory);
  ASSERT_TRUE(holder.has_value());
  EXPECT_EQ(holder->pid, child);
  EXPECT_EQ(holder->run, run);
  EXPECT_EQ(holder->boot, BootId{{3}});
  EXPECT_THAT(holder->started, HasSubstr("T"));

  const auto mine = ProcessLock::take(directory, random_id<RunId>(), BootId{{3}});
  ASSERT_FALSE(mine.has_value());
  EXPECT_EQ(mine.error().code, Code::in_use);
  EXPECT_THAT(mine.error().text, HasSubstr("in use by process " + std::to_string(child)));
  kill_child(child);
}

TEST(ProcessLock, IsFreeAsSoonAsItsHolderIsDead) {
  const testing::TestDirectory home;
  const auto directory = home.path() / "member";
  kill_child(hold_in_child(directory, random_id<RunId>()));
  EXPECT_FALSE(lock_holder(directory).has_value());
  EXPECT_TRUE(ProcessLock::take(directory, random_id<RunId>(), BootId{}).has_value());
}

TEST(ProcessLock, MakesADirectoryThatOnlyItsOwnerMayEnter) {
  const testing::TestDirectory home;
  ASSERT_TRUE(ProcessLock::take(home.path() / "new" / "member", RunId{}, BootId{}).has_value());
  const auto mode = std::filesystem::status(home.path() / "new" / "member").permissions();
  EXPECT_EQ(mode, std::filesystem::perms::owner_all);
}

TEST(DirectoryIdentity, ADirectoryBelongsToOneMemberOfOnePairOfOneCluster) {
  const testing::TestDirectory home;
  const DirectoryIdentity mine{ClusterId{{1}}, "ledger", "a"};
  ASSERT_TRUE(claim_directory(home.path(), mine));
  EXPECT_TRUE(claim_directory(home.path(), mine));

  const auto other_cluster = claim_directory(home.path(), {ClusterId{{2}}, "ledger", "a"});
  ASSERT_FALSE(other_cluster);
  EXPECT_EQ(other_cluster.error().code, Code::bad_config);
  EXPECT_THAT(other_cluster.error().text, HasSubstr("another cluster"));
  const auto other_pair = claim_directory(home.path(), {ClusterId{{1}}, "groupware", "a"});
  ASSERT_FALSE(other_pair);
  EXPECT_THAT(other_pair.error().text, HasSubstr("member a of pair ledger, not to member a of pair groupware"));
  EXPECT_FALSE(claim_directory(home.path(), {ClusterId{{1}}, "ledger", "b"}));
}

TEST(DirectoryIdentity, GarbageInTheIdentityFileIsOneClearLine) {
  const testing::TestDirectory home;
  ASSERT_TRUE(write_durably(home.path() / "identity", "what is this\n"));
  const auto claimed = claim_directory(home.path(), {ClusterId{{1}}, "ledger", "a"});
  ASSERT_FALSE(claimed);
  EXPECT_EQ(claimed.error().code, Code::damaged);
}

}  // namespace
}  // namespace pollux
