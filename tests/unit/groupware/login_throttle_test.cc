// Guessing passwords gets slow, and nobody is locked out by it.
#include "users/login_throttle.h"

#include <algorithm>
#include <chrono>

#include "gateway_fixture.h"

namespace pollux::testing {
namespace {

using namespace std::chrono_literals;
using End = LoginThrottle::End;

class ThrottleRules : public ::testing::Test {
 protected:
  /// One wrong password, if it is let through: how long to wait otherwise.
  std::optional<std::chrono::milliseconds> guess(const std::string& user, const std::string& client) {
    const auto wait = throttle().begin(user, client, now);
    if (!wait) throttle().end(user, client, another_key(), End::wrong, now);
    return wait;
  }
  LoginThrottle::Key another_key() {
    LoginThrottle::Key key{};
    ++keys;
    for (int byte = 0; byte < 4; ++byte)
      key[static_cast<std::size_t>(byte)] = static_cast<unsigned char>(keys >> 8 * byte);
    return key;
  }
  LoginThrottle& throttle() {
    if (!throttle_) throttle_.emplace(limits, secret);
    return *throttle_;
  }

  GatewayLimits limits;
  LoginThrottle::Instant now{1h};
  unsigned keys = 0;

 private:
  std::array<unsigned char, 32> secret{};
  std::optional<LoginThrottle> throttle_;
};

TEST_F(ThrottleRules, EachGuessTooManyDoublesTheDelayUpToAMaximum) {
  limits.login_guesses_free = 3;
  for (unsigned count = 0; count < 3; ++count) EXPECT_FALSE(guess("alice", "home"));
  for (const auto delay : {1000ms, 2000ms, 4000ms, 8000ms, 16000ms, 32000ms, 60000ms, 60000ms}) {
    EXPECT_EQ(guess("alice", "home"), delay);
    now += delay - 1ms;
    EXPECT_EQ(guess("alice", "home"), 1ms) << "waiting is not prolonged by asking";
    now += 1ms;
    EXPECT_FALSE(guess("alice", "home"));
  }
}

TEST_F(ThrottleRules, OtherUsersAndOtherNetworksAreNotTouched) {
  for (int count = 0; count < 100; ++count) guess("alice", "home");
  EXPECT_TRUE(guess("alice", "home"));
  EXPECT_FALSE(guess("bob", "home"));
  EXPECT_FALSE(guess("alice", "work"));
  EXPECT_FALSE(guess("e", "homealic"));  // the two parts do not run together
}

TEST_F(ThrottleRules, TheRightPasswordStartsAnew) {
  for (unsigned count = 0; count < limits.login_guesses_free - 1; ++count) guess("alice", "home");
  ASSERT_FALSE(throttle().begin("alice", "home", now));
  throttle().end("alice", "home", another_key(), End::right, now);
  EXPECT_EQ(throttle().remembered(), 0U);
  for (unsigned count = 0; count < limits.login_guesses_free; ++count) EXPECT_FALSE(guess("alice", "home"));
  EXPECT_TRUE(guess("alice", "home"));
}

TEST_F(ThrottleRules, FailuresAreForgottenInTime) {
  for (unsigned count = 0; count < limits.login_guesses_free; ++count) guess("alice", "home");
  EXPECT_TRUE(guess("alice", "home"));
  now += limits.login_forget;
  for (unsigned count = 0; count < limits.login_guesses_free; ++count) EXPECT_FALSE(guess("alice", "home"));
}

TEST_F(ThrottleRules, WhatCouldNotBeVerifiedIsNoFailure) {
  for (int count = 0; count < 100; ++count) {
    ASSERT_FALSE(throttle().begin("alice", "home", now));
    throttle().end("alice", "home", another_key(), End::unknown, now);
  }
  EXPECT_EQ(throttle().remembered(), 0U);
}

TEST_F(ThrottleRules, GuessesSideBySideCountBeforeTheyAreAnswered) {
  unsigned taken = 0;
  for (int count = 0; count < 100; ++count) {
    if (!throttle().begin("alice", "home", now)) ++taken;
  }
  EXPECT_EQ(taken, limits.login_guesses_free);
  for (unsigned count = 0; count < taken; ++count)
    throttle().end("alice", "home", another_key(), End::wrong, now);
  EXPECT_TRUE(throttle().begin("alice", "home", now));
  now += limits.login_delay_min;
  EXPECT_FALSE(throttle().begin("alice", "home", now));
  EXPECT_TRUE(throttle().begin("alice", "home", now)) << "one at a time";
}

TEST_F(ThrottleRules, TheSameWrongPasswordSentAgainIsNoGuess) {
  const auto old = another_key();
  for (int count = 0; count < 100; ++count) {
    ASSERT_FALSE(throttle().begin("alice", "home", now)) << count;
    throttle().end("alice", "home", old, End::wrong, now);
  }
}

TEST_F(ThrottleRules, MemoryIsBounded) {
  limits.login_throttle_max = 100;
  for (int count = 0; count < 5000; ++count) guess("user" + std::to_string(count), "home");
  EXPECT_EQ(throttle().remembered(), 100U);
  now += limits.login_forget;
  guess("alice", "home");
  EXPECT_EQ(throttle().remembered(), 1U);
}

TEST(ClientNetwork, IsAnIpv4AddressOrA64) {
  const std::string_view v4("\xc0\x00\x02\x01", 4);
  EXPECT_EQ(client_network(v4), v4);
  std::string mapped(10, '\0');
  mapped.append("\xff\xff").append(v4);
  EXPECT_EQ(client_network(mapped), v4);
  const std::string one = "\x20\x01\x0d\xb8........abcd", other = "\x20\x01\x0d\xb8....xxxxabcd";
  EXPECT_EQ(client_network(one), one.substr(0, 8));
  EXPECT_EQ(client_network(one), client_network(other));
}

class ThrottleTest : public GatewayTest {
 protected:
  void SetUp() override {
    GatewayLimits limits;
    limits.login_guesses_free = 3;
    limits.login_delay_min = limits.login_delay_max = 30s;
    start(limits);
  }
  /// Answers to `count` different wrong passwords.
  std::vector<HttpAnswer> guess(const std::string& user, int count, const char* from = "127.0.0.1") {
    HttpClient client(server->port(), from);
    std::vector<HttpAnswer> answers;
    for (int number = 0; number < count; ++number) {
      client.login = user + ":guess " + std::to_string(number);
      answers.push_back(client.request("GET", "/dav/"));
    }
    return answers;
  }
};

TEST_F(ThrottleTest, AGuessTooManyIsToldToWaitWhetherTheUserExistsOrNot) {
  const auto real = guess("alice", 5), unknown = guess("nobody", 5);
  for (std::size_t number = 0; number < 5; ++number) {
    EXPECT_EQ(real[number].status, number < 3 ? 401 : 429) << number;
    EXPECT_EQ(unknown[number].status, real[number].status) << number;
    EXPECT_EQ(unknown[number].body, real[number].body) << number;
  }
  for (const auto* answers : {&real, &unknown}) {
    const int seconds = std::stoi("0" + answers->back().header("retry-after"));
    EXPECT_GE(seconds, 1);
    EXPECT_LE(seconds, 30);
  }
  // Not even the right password tells itself by another answer.
  EXPECT_EQ(connect().request("GET", "/dav/").status, 429);
}

TEST_F(ThrottleTest, ALoginKnownFromBeforeIsNotDelayed) {
  EXPECT_EQ(connect().request("GET", "/dav/").status, 200);
  EXPECT_EQ(guess("alice", 6).back().status, 429);
  EXPECT_EQ(connect().request("GET", "/dav/").status, 200);
  EXPECT_EQ(connect().request("PUT", calendar + "a.ics", {}, event("a")).status, 201);
}

TEST_F(ThrottleTest, GuessesFromElsewhereLockNobodyOut) {
  EXPECT_EQ(guess("alice", 6, "127.0.0.2").back().status, 429);
  EXPECT_EQ(connect().request("GET", "/dav/").status, 200);
  HttpClient there(server->port(), "127.0.0.2");
  EXPECT_EQ(there.request("GET", "/dav/").status, 200);  // remembered now
}

TEST_F(ThrottleTest, AClientThatGoesOnWithAnOldPasswordLocksNobodyOut) {
  HttpClient old(server->port());
  old.login = "alice:last year's";
  for (int count = 0; count < 8; ++count) EXPECT_EQ(old.request("GET", "/dav/").status, 401);
  EXPECT_EQ(connect().request("GET", "/dav/").status, 200);
}

TEST_F(ThrottleTest, AfterTheDelayTheRightPasswordIsTaken) {
  GatewayLimits limits;
  limits.login_guesses_free = 2;
  limits.login_delay_min = limits.login_delay_max = 300ms;
  start(limits);
  guess("alice", 2);
  auto client = connect();
  int status = 429, refused = 0;
  const auto until = std::chrono::steady_clock::now() + 60s;
  while ((status = client.request("GET", "/dav/").status) == 429 &&
         std::chrono::steady_clock::now() < until) {
    ++refused;
  }
  EXPECT_EQ(status, 200);
  EXPECT_GT(refused, 0);
}

TEST_F(ThrottleTest, GuessesOfOneNetworkLeaveRoomForTheLoginsOfOthers) {
  GatewayLimits limits;
  limits.login_queue_client_max = 4;
  limits.login_queue_max = 5;
  start(limits);
  pair->go_away();
  std::vector<std::unique_ptr<HttpClient>> attackers;
  for (int number = 0; number < 20; ++number) {
    attackers.push_back(std::make_unique<HttpClient>(server->port(), "127.0.0.2"));
    attackers.back()->send("GET / HTTP/1.1\r\nHost: x\r\n" +
                           authorization("user" + std::to_string(number) + ":x") + "\r\n");
  }
  // Those beyond the limit are answered though the pair is away.
  const auto busy = std::ranges::count_if(attackers, [](auto& client) {
    static int answered = 0;
    return ++answered > 4 && client->receive()->status == 503;
  });
  EXPECT_EQ(busy, 16);
  auto client = connect();
  client.send("GET / HTTP/1.1\r\nHost: x\r\n" + authorization("alice:wonder land") + "\r\n");
  pair->wait_for_waiting(5);
  pair->come_back();
  EXPECT_EQ(client.receive()->status, 200);
}

TEST_F(ThrottleTest, AnUnknownUserCostsAsMuchAsAWrongPassword) {
  const auto cost = [this](const std::string& user) {
    auto best = std::chrono::steady_clock::duration::max();
    for (int number = 0; number < 6; ++number) {
      auto client = connect();
      client.login = user + ":same";  // the same one: it is not slowed down
      const auto begin = std::chrono::steady_clock::now();
      EXPECT_EQ(client.request("GET", "/dav/").status, 401);
      best = std::min(best, std::chrono::steady_clock::now() - begin);
    }
    return best;
  };
  const auto real = cost("alice"), unknown = cost("nobody");
  // Without the same computation it would be a hundredth.
  EXPECT_GT(unknown * 3, real);
  EXPECT_GT(real * 3, unknown);
}

}  // namespace
}  // namespace pollux::testing
