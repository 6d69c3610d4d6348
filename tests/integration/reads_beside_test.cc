// A gateway reads from the tables of the member that serves, without asking it: reads go on while nobody serves, and
// show nothing older than what anybody was told.
#include <gmock/gmock.h>
#include <signal.h>

#include <atomic>
#include <thread>

#include "integration/groupware_fixture.h"

namespace pollux::testing {
namespace {

using ::testing::HasSubstr;

std::string event(const std::string& uid, int round) {
  return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\nBEGIN:VEVENT\r\nUID:" + uid +
         "\r\nDTSTAMP:20240101T000000Z\r\nDTSTART:20240101T090000Z\r\nSUMMARY:Round " + std::to_string(round) +
         "\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
}

class ReadsBesideTest : public GroupwareFixture {
 protected:
  static std::string path(const std::string& name) {
    return std::string("/dav/calendars/") + user + "/default/" + name + ".ics";
  }
  /// Both members have applied all that is committed.
  void wait_until_applied() {
    wait_until("the tables to be up to date", [this] {
      const auto a = status(0), b = status(1);
      return a.applied == a.committed && b.applied == b.committed && a.committed == b.committed;
    });
  }
};

TEST_F(ReadsBesideTest, ReadsGoOnWhileBothMembersStandStill) {
  const std::string body = event("still", 1);
  ASSERT_EQ(client().send("PUT", path("still"), body).status, 201);
  wait_until_applied();
  ASSERT_EQ(client().send("GET", path("still")).body, body);
  const pid_t a = status(0).pid, b = status(1).pid;
  for (const pid_t pid : {a, b}) ASSERT_EQ(::kill(pid, SIGSTOP), 0);
  const auto answer = client().send("GET", path("still"));
  const auto listing = client().send("PROPFIND", std::string("/dav/calendars/") + user + "/default/", "", {{"Depth", "1"}});
  for (const pid_t pid : {a, b}) ASSERT_EQ(::kill(pid, SIGCONT), 0);
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.body, body);
  EXPECT_EQ(listing.status, 207);
  EXPECT_THAT(listing.body, HasSubstr("still.ics"));
}

TEST_F(ReadsBesideTest, EveryReadShowsWhatWasAnsweredBefore) {
  // One client writes and reads; others read all the time, so that the tables are often just up to date.
  seed(11);
  std::atomic<bool> stop{false};
  std::atomic<int> newest{0};
  std::atomic<int> stale{0}, reads{0};
  ASSERT_EQ(client().send("PUT", path("round"), event("round", 0)).status, 201);
  const auto round_of = [](const std::string& body) {
    const auto at = body.find("Round ");
    return at == std::string::npos ? -1 : std::atoi(body.c_str() + at + 6);
  };
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!stop) {
        const int before = newest.load();
        const auto answer = client().send("GET", path("round"));
        if (answer.status != 200) continue;
        ++reads;
        if (round_of(answer.body) < before) ++stale;
      }
    });
  }
  for (int round = 1; round <= 240; ++round) {
    if (round % 40 == 0) kill_member(primary());
    const auto put = client().send("PUT", path("round"), event("round", round));
    EXPECT_EQ(put.status, 204) << "round " << round << ": " << put.body;
    newest = round;
    const auto answer = client().send("GET", path("round"));
    EXPECT_EQ(round_of(answer.body), round) << answer.head;
  }
  stop = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(stale.load(), 0) << "of " << reads.load() << " reads";
  EXPECT_GT(reads.load(), 100);
}

// A restarted member must not bring back what its predecessor told: the gateway waits for who serves.
TEST_F(ReadsBesideTest, AfterBothWereKilledReadsAreAsNewAsBefore) {
  for (int round = 1; round <= 8; ++round) {
    const auto put = client().send("PUT", path("both"), event("both", round));
    ASSERT_TRUE(put.status == 201 || put.status == 204) << put.body;
    const std::size_t first = primary();
    kill_member(first);
    kill_member(1 - first);
    const auto answer = client().send("GET", path("both"));
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_THAT(answer.body, HasSubstr("Round " + std::to_string(round) + "\r\n"));
    wait_in_sync();
  }
}

}  // namespace
}  // namespace pollux::testing
