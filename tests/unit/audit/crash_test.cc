// A process killed in the midst of it, again and again: what it acknowledged is there, and the chain is
// whole.
#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <random>

#include "audit_tools.h"
#include "pollux/audit/archive.h"

namespace pollux::testing {
namespace {

/// Runs `child` in a process of its own until it has told `count` numbers, then kills it. Returns the last
/// one told.
std::uint64_t kill_after(std::size_t count,
                         const std::function<void(const std::function<void(std::uint64_t)>&)>& child) {
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(ends[0]);
    child([&](std::uint64_t number) {
      if (::write(ends[1], &number, sizeof number) != sizeof number) ::_exit(1);
    });
    ::_exit(0);
  }
  ::close(ends[1]);
  std::uint64_t last = 0;
  std::uint64_t told = 0;
  std::size_t left = count;
  for (;;) {
    pollfd waiting{ends[0], POLLIN, 0};
    if (::poll(&waiting, 1, 30'000) <= 0) {
      ADD_FAILURE() << "the child tells nothing";
      break;
    }
    if (::read(ends[0], &told, sizeof told) != sizeof told) break;
    last = told;
    if (left > 0 && --left == 0) ::kill(pid, SIGKILL);  // and read what is still in the pipe
  }
  ::kill(pid, SIGKILL);
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the child ended by itself: " << status;
  ::close(ends[0]);
  return last;
}

TEST(Crash, OfATrailsWriterLosesNothingAcknowledged) {
  const TempDir directory;
  std::mt19937 random(7);
  Position at;
  for (int round = 0; round < 15; ++round) {
    const auto acknowledged = kill_after(random() % 20 + 1, [&](const auto& tell) {
      auto trail = open_trail(directory / "trail");
      if (trail == nullptr) ::_exit(2);
      RecordMaker maker(trail->last());
      for (std::uint64_t i = 0;; ++i) {
        if (!trail->append(maker.some(i % 50 + 1, i * 37 % 3000))) ::_exit(3);
        tell(maker.last().lsn.value);
        if (i % 3 == 2 && !trail->drop_below(Lsn{maker.last().lsn.value / 2}, 40)) ::_exit(4);
        if (i % 7 == 6 && !trail->store_state({})) ::_exit(5);
      }
    });
    auto trail = open_trail(directory / "trail");
    ASSERT_NE(trail, nullptr);
    EXPECT_GE(trail->last().lsn.value, acknowledged);
    EXPECT_GT(trail->last(), at);
    at = trail->last();
    auto report = verify(*trail, {});
    ASSERT_OK(report);
    EXPECT_TRUE(report->faults.empty());
    EXPECT_EQ(report->last, trail->last());
  }
}

TEST(Crash, OfTheTablesWriterLeavesTheStateOfSomeLsn) {
  const TempDir directory;
  std::mt19937 random(8);
  const auto record_at = [](RecordMaker& maker) {
    const auto lsn = maker.last().lsn.value + 1;
    if (lsn == 1) return maker.of_kind(RecordKind::session_opened, {session_id(1), 0});
    Record record;
    record.sync = {session_id(1), lsn};
    record.ack_below = lsn > 20 ? lsn - 20 : 0;
    record.changes = {
        {"key" + std::to_string(lsn * 7919 % 501), std::to_string(lsn) + std::string(lsn % 200, 'v')}};
    if (lsn % 5 == 0) record.changes.push_back({"key" + std::to_string(lsn % 501), std::nullopt});
    return maker.make(std::move(record));
  };
  for (int round = 0; round < 12; ++round) {
    const auto acknowledged = kill_after(random() % 10 + 1, [&](const auto& tell) {
      auto tables = open_tables(directory / "tables");
      if (tables == nullptr) ::_exit(2);
      RecordMaker maker(tables->applied());
      for (;;) {
        std::vector<RecordPtr> batch;
        for (int i = 0; i < 100; ++i) batch.push_back(record_at(maker));
        if (!tables->apply(batch)) ::_exit(3);
        tell(maker.last().lsn.value);
      }
    });
    auto tables = open_tables(directory / "tables");
    ASSERT_NE(tables, nullptr);
    EXPECT_GE(tables->applied().lsn.value, acknowledged);
    auto expected = make_memory_tables();
    RecordMaker maker;
    std::vector<RecordPtr> records;
    while (maker.last().lsn < tables->applied().lsn) records.push_back(record_at(maker));
    ASSERT_OK(expected->apply(records));
    EXPECT_EQ(*tables->digest(), *expected->digest());
  }
}

TEST(Crash, OfAReaderDoesNotPinOldPages) {
  const TempDir directory;
  RecordMaker maker;
  {
    auto tables = open_tables(directory / "tables");
    ASSERT_OK(tables->apply(maker.some(10)));
  }
  kill_after(1, [&](const auto& tell) {
    auto tables = open_tables(directory / "tables");
    auto view = tables->view();
    tell(1);
    for (;;) ::pause();
  });
  auto tables = open_tables(directory / "tables");
  ASSERT_NE(tables, nullptr);
  for (int i = 0; i < 200; ++i) ASSERT_OK(tables->apply({{maker.put("a", std::string(20'000, 'x'))}}));
  EXPECT_LT(std::filesystem::file_size(directory / "tables/data.mdb"), 40U * 20'000);
}

}  // namespace
}  // namespace pollux::testing
