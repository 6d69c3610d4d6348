// As a new user would: `pollux up`, a calendar file stored with HTTP in a loop, and kill -9 of the primary
// meanwhile. No request fails, and every file comes back byte for byte.
#include <gmock/gmock.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "integration/groupware_fixture.h"

namespace pollux::testing {
namespace {

std::string event(unsigned writer, int number) {
  const std::string name = std::to_string(writer) + "-" + std::to_string(number);
  // CRLF, folding, an unknown property and spaces that no parser would give back.
  return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\nBEGIN:VEVENT\r\nUID:event-" + name +
         "@test\r\nDTSTAMP:20240101T000000Z\r\nDTSTART:20240101T090000Z\r\nDTEND:20240101T100000Z\r\n"
         "SUMMARY:Round " +
         name + "\r\n with a folded line\r\nX-ODD;X-PARAM=\"a;b\":value  \r\n" +
         "END:VEVENT\r\nEND:VCALENDAR\r\n";
}

class GroupwareTest : public GroupwareFixture {
 protected:
  static std::string path(unsigned writer, int number) {
    return std::string("/dav/calendars/") + user + "/default/event-" + std::to_string(writer) + "-" +
           std::to_string(number) + ".ics";
  }

  // Clients that store one file after the other.
  class Writers {
   public:
    /// `gateway_dies`: a lost connection is tried again, as a client would; any other failure is one.
    Writers(GroupwareTest& test, unsigned count, bool gateway_dies) : stored_(count) {
      for (unsigned writer = 0; writer < count; ++writer) {
        threads_.emplace_back([this, &test, writer, gateway_dies](const std::stop_token& stop) {
          while (!stop.stop_requested()) store(test, writer, gateway_dies, stop);
        });
      }
    }
    [[nodiscard]] int stored() const {
      int sum = 0;
      for (const auto& count : stored_) sum += count;
      return sum;
    }
    [[nodiscard]] int stored(unsigned writer) const { return stored_[writer]; }
    [[nodiscard]] unsigned count() const { return static_cast<unsigned>(stored_.size()); }
    std::vector<std::string> stop() {
      for (auto& thread : threads_) thread.request_stop();
      for (auto& thread : threads_) {
        if (thread.joinable()) thread.join();
      }
      return failures_;
    }

   private:
    void store(GroupwareTest& test, unsigned writer, bool gateway_dies, const std::stop_token& stop) {
      const int number = stored_[writer];
      const std::string body = event(writer, number);
      HttpAnswer answer;
      do {
        answer = test.client().send("PUT", path(writer, number), body, {{"Content-Type", "text/calendar"}});
        if (answer.status == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      } while (answer.status == 0 && gateway_dies && !stop.stop_requested());
      if (answer.status == 201 || answer.status == 204) {
        stored_[writer] = number + 1;
      } else if (answer.status != 0 || !gateway_dies) {
        const std::scoped_lock lock(mutex_);
        failures_.push_back("PUT " + path(writer, number) + ": " + std::to_string(answer.status) + " " +
                            answer.body);
      }
    }

    std::vector<std::atomic<int>> stored_;
    std::mutex mutex_;
    std::vector<std::string> failures_;
    std::vector<std::jthread> threads_;
  };

  void wait_for_files(const Writers& writers) {
    const int wanted = writers.stored() + 5;
    wait_until("more files to be stored", [&] { return writers.stored() >= wanted; });
  }
  // No client was failed, every file comes back byte for byte, and both members hold the same.
  void check_files(Writers& writers) {
    const auto failures = writers.stop();
    EXPECT_TRUE(failures.empty()) << failures.size() << " requests failed, the first: " << failures.front();
    wait_until("both members to have everything", [this] { return pair().settled(); });
    wait_until("the gateway to listen", [this] { return !gateway().empty(); });
    if (HasFatalFailure()) return;
    for (unsigned writer = 0; writer < writers.count(); ++writer) {
      for (int number = 0; number < writers.stored(writer); ++number) {
        const auto answer = client().send("GET", path(writer, number));
        ASSERT_EQ(answer.status, 200) << path(writer, number) << ": " << answer.body;
        ASSERT_EQ(answer.body, event(writer, number)) << "not byte for byte: " << path(writer, number);
      }
    }
    wait_until("both members to have everything", [this] { return pair().settled(); });
    trail_->follow({});
    trail_->compare_members();
  }
};

TEST_F(GroupwareTest, NoRequestFailsWhileThePrimaryIsKilledAgainAndAgain) {
  Writers writers(*this, 1, false);
  for (int kills = 0; kills < 8; ++kills) {
    wait_for_files(writers);
    kill_member(primary());
    wait_in_sync();
  }
  wait_for_files(writers);
  check_files(writers);
}

TEST_F(GroupwareTest, ConnectionsMadeWhileTheGatewayIsDeadWaitForTheNextOne) {
  const HttpClient client = this->client();
  ASSERT_EQ(client.send("PUT", path(0, 0), event(0, 0)).status, 201);
  for (int round = 0; round < 3; ++round) {
    const pid_t old = gateway_pid();
    ASSERT_GT(old, 0);
    ASSERT_EQ(kill(old, SIGKILL), 0);
    wait_until("the gateway to be gone", [old] { return kill(old, 0) != 0; });
    const HttpAnswer answer = client.send("GET", path(0, 0));
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_NE(gateway_pid(), old);
  }
}

TEST_F(GroupwareTest, AGatewayThatIsKilledComesBackAndHasForgottenNothing) {
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(
        client().send("PUT", path(0, round), event(0, round), {{"Content-Type", "text/calendar"}}).status,
        201);
    pid_t gateway = 0;
    wait_until("the gateway's process", [&] { return (gateway = gateway_pid()) != 0; });
    ASSERT_TRUE(kill_and_wait(gateway, std::chrono::seconds(30)));
    wait_until("the gateway to answer again", [&] {
      const auto answer = client().send("GET", path(0, round));
      return answer.status == 200 && answer.body == event(0, round);
    });
  }
}

class GroupwareKillTest : public GroupwareTest, public ::testing::WithParamInterface<std::uint64_t> {};

TEST_P(GroupwareKillTest, EveryFileThatWasStoredComesBackWhateverIsKilled) {
  constexpr unsigned kills_a_case = 30;
  seed(GetParam());
  Writers writers(*this, 3, true);
  wait_for_files(writers);
  while (kills() < kills_a_case && !HasFailure()) {
    kill_something(true);
    if (!recover_before_next_kill()) continue;
    wait_in_sync();
    wait_for_files(writers);
  }
  wait_in_sync();
  wait_for_files(writers);
  check_files(writers);
  tell_story();
}
INSTANTIATE_TEST_SUITE_P(Seeds, GroupwareKillTest, ::testing::ValuesIn(kill_seeds({1, 2})));

}  // namespace
}  // namespace pollux::testing
