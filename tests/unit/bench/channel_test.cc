// One suite for all ways to carry messages.
#include "peer/channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <future>
#include <thread>

#include "peer/echo.h"
#include "pollux/bench/histogram.h"

namespace pollux {

namespace {

constexpr std::chrono::seconds patience(30);

struct Ends {
  std::unique_ptr<Channel> client, server;
};
struct Kind {
  std::string name;
  std::function<Ends(StallGuard& client, StallGuard& server)> open;
};

Ends over_rings(RingWait wait, StallGuard& client, StallGuard& server) {
  const auto memory = make_ring_memory();
  EXPECT_TRUE(memory) << memory.error().text;
  const int second = dup(*memory);
  std::string why_not;
  return {ring_channel(*memory, Side::client, wait, client, why_not),
          ring_channel(second, Side::server, wait, server, why_not)};
}

Ends over_sockets(StallGuard& client, StallGuard& server) {
  int fds[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  return {stream_channel(fds[0], fds[0], client), stream_channel(fds[1], fds[1], server)};
}

Ends over_pipes(StallGuard& client, StallGuard& server) {
  int there[2], back[2];
  EXPECT_EQ(pipe2(there, O_CLOEXEC), 0);
  EXPECT_EQ(pipe2(back, O_CLOEXEC), 0);
  return {stream_channel(back[0], there[1], client), stream_channel(there[0], back[1], server)};
}

Ends over_zmq(StallGuard& client, StallGuard& server) {
  const auto context = zmq_context();
  std::string why_not;
  auto bound = zmq_channel(context, Side::server, "inproc://test", server, why_not);
  EXPECT_NE(bound, nullptr) << why_not;
  return {zmq_channel(context, Side::client, "inproc://test", client, why_not), std::move(bound)};
}

const Kind kinds[] = {
    {"socket", over_sockets},
    {"pipe", over_pipes},
    {"shm_busy", [](StallGuard& c, StallGuard& s) { return over_rings(RingWait::busy, c, s); }},
    {"shm_adaptive", [](StallGuard& c, StallGuard& s) { return over_rings(RingWait::adaptive, c, s); }},
    {"shm_blocking", [](StallGuard& c, StallGuard& s) { return over_rings(RingWait::blocking, c, s); }},
    {"zmq", over_zmq},
};

class ChannelTest : public testing::TestWithParam<Kind> {};

TEST_P(ChannelTest, EchoesMessagesOfEverySizeUnchanged) {
  for (const std::size_t bytes : {1UL, 16UL, 4096UL, 65'537UL, 9UL << 20}) {
    StallGuard mine(patience);
    std::unique_ptr<Channel> client;
    std::jthread server;
    {
      std::promise<std::unique_ptr<Channel>> made;
      server = std::jthread([&, bytes] {
        StallGuard theirs(patience);
        auto ends = GetParam().open(mine, theirs);
        made.set_value(std::move(ends.client));
        serve_echo(*ends.server, bytes, {});
      });
      client = made.get_future().get();
      ASSERT_NE(client, nullptr);
      std::vector<std::byte> message(bytes), answer(bytes);
      for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < bytes; ++i)
          message[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(round));
        ASSERT_TRUE(client->send(message)) << client->problem();
        ASSERT_TRUE(client->receive(answer)) << client->problem();
        ASSERT_EQ(message, answer) << bytes << " bytes";
      }
      client.reset();
      server.join();  // the server has noticed that we are gone
    }
  }
}

TEST_P(ChannelTest, GivesUpWhenTheOtherEndFallsSilent) {
  StallGuard mine(std::chrono::milliseconds(300)), theirs(patience);
  auto ends = GetParam().open(mine, theirs);
  std::vector<std::byte> message(64), answer(64);
  ASSERT_TRUE(ends.client->send(message)) << ends.client->problem();
  EXPECT_FALSE(ends.client->receive(answer));  // nobody answers
  EXPECT_EQ(ends.client->problem(), "the other end did not answer in time");
}

TEST_P(ChannelTest, GivesUpAtOnceWhenToldTo) {
  std::atomic<bool> gone = false;
  StallGuard mine(patience, [&gone] { return gone.load(); }), theirs(patience);
  auto ends = GetParam().open(mine, theirs);
  gone = true;
  std::vector<std::byte> answer(64);
  EXPECT_FALSE(ends.client->receive(answer));
}

INSTANTIATE_TEST_SUITE_P(Kinds, ChannelTest, testing::ValuesIn(kinds),
                         [](const auto& tested) { return tested.param.name; });

TEST(EchoTest, HasTheFaultsItIsToldToHave) {
  int fds[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  const EchoFaults faults{
      .delay_one_in = 2, .delay_ns = 3'000'000, .freeze_at = 3, .freeze_ns = 5'000'000, .wrong_at = 4};
  std::jthread server([&] {
    StallGuard guard(patience);
    const auto channel = stream_channel(fds[1], fds[1], guard);
    EXPECT_EQ(serve_echo(*channel, 8, faults_of(faults.facts())), 4u);
  });
  StallGuard guard(patience);
  auto channel = stream_channel(fds[0], fds[0], guard);
  std::vector<std::byte> message(8, std::byte{9}), answer(8);
  std::vector<std::int64_t> took;
  std::vector<bool> same;
  for (int n = 1; n <= 4; ++n) {
    const auto before = monotonic_ns();
    ASSERT_TRUE(channel->send(message) && channel->receive(answer));
    took.push_back(monotonic_ns() - before);
    same.push_back(message == answer);
  }
  EXPECT_GE(took[1], 3'000'000);
  EXPECT_GE(took[2], 5'000'000);
  EXPECT_GE(took[3], 3'000'000);
  EXPECT_EQ(same, (std::vector<bool>{true, true, true, false}));
  channel.reset();
}

}  // namespace

}  // namespace pollux
