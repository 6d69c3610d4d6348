// As a new user would: `pollux up`, a calendar file stored with HTTP in a loop, and kill -9 of the primary
// meanwhile. No request fails, and every file comes back byte for byte.
#include <gmock/gmock.h>

#include <fstream>

#include "integration/http_client.h"
#include "integration/pair_under_test.h"
#include "pollux/services/node.h"

namespace pollux::testing {
namespace {

namespace fs = std::filesystem;

constexpr auto user = "anna", password = "correct-horse-battery";

std::string event(int number) {
  // Folding, CRLF, an unknown property, and no trailing newline convention that a parser would keep.
  return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\nBEGIN:VEVENT\r\nUID:event-" +
         std::to_string(number) +
         "@test\r\nDTSTAMP:20240101T000000Z\r\nDTSTART:20240101T090000Z\r\nDTEND:20240101T100000Z\r\n"
         "SUMMARY:Round " +
         std::to_string(number) + "\r\n with a folded line\r\nX-ODD;X-PARAM=\"a;b\":value  \r\n" +
         "END:VEVENT\r\nEND:VCALENDAR\r\n";
}

class GroupwareTest : public PairUnderTest {
 protected:
  void SetUp() override {
    start_with({.service = "groupware", .more_settings = "[[gateway]]\nlisten = \"127.0.0.1:0\"\n"});
    if (HasFatalFailure()) return;
    const auto added = run_pollux({"--config", pair().config_file().string(), "user", "add", user},
                                  std::string(password) + "\n");
    ASSERT_EQ(added.exit_code, 0) << added.output;
    find_gateway();
  }
  void find_gateway() {
    wait_until("the gateway to listen", [this] {
      address_ = gateway_address(pair().config(), pair().config().gateways.front());
      return !address_.empty();
    });
  }
  HttpClient client() { return HttpClient(address_, user, password); }
  static std::string path(int number) {
    return std::string("/dav/calendars/") + user + "/default/event-" + std::to_string(number) + ".ics";
  }
  std::string address_;
};

TEST_F(GroupwareTest, NoRequestFailsWhileThePrimaryIsKilledAgainAndAgain) {
  std::atomic<int> stored = 0;
  std::vector<std::string> failures;
  std::jthread writer([&](const std::stop_token& stop) {
    auto http = client();
    for (int number = 0; !stop.stop_requested(); ++number) {
      const auto answer = http.send("PUT", path(number), event(number), {{"Content-Type", "text/calendar"}});
      if (answer.status != 201 && answer.status != 204) {
        failures.push_back("PUT " + std::to_string(number) + ": " + std::to_string(answer.status) + " " +
                           answer.body);
      }
      stored = number + 1;
    }
  });
  for (int kills = 0; kills < 8; ++kills) {
    const auto before = stored.load();
    wait_until("more files to be stored", [&] { return stored > before + 5; });
    kill_member(primary());
    wait_in_sync();
  }
  const auto before = stored.load();
  wait_until("more files to be stored", [&] { return stored > before + 5; });
  writer.request_stop();
  writer.join();
  EXPECT_THAT(failures, ::testing::IsEmpty());
  auto http = client();
  for (int number = 0; number < stored; ++number) {
    const auto answer = http.send("GET", path(number));
    ASSERT_EQ(answer.status, 200) << number << ": " << answer.body;
    ASSERT_EQ(answer.body, event(number)) << "not byte for byte";
  }
  wait_until("both members to have everything", [this] { return pair().settled(); });
  trail_->follow({});
  trail_->compare_members();
}

TEST_F(GroupwareTest, AGatewayThatIsKilledComesBackAndHasForgottenNothing) {
  for (int round = 0; round < 3; ++round) {
    auto http = client();
    ASSERT_EQ(http.send("PUT", path(round), event(round), {{"Content-Type", "text/calendar"}}).status, 201);
    pid_t gateway = 0;
    wait_until("the gateway's pid", [&] {
      const auto pids = processes_with_argument(pollux_command(), pair().home().string());
      for (const pid_t pid : pids) {
        std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline", std::ios::binary);
        const std::string arguments((std::istreambuf_iterator<char>(file)), {});
        if (arguments.find(std::string("\0gateway\0", 9)) != std::string::npos) gateway = pid;
      }
      return gateway != 0;
    });
    ASSERT_TRUE(kill_and_wait(gateway, std::chrono::seconds(30)));
    wait_until("the gateway to answer again", [&] {
      find_gateway();
      const auto answer = client().send("GET", path(round));
      return answer.status == 200 && answer.body == event(round);
    });
  }
}

}  // namespace
}  // namespace pollux::testing
