#include <gtest/gtest.h>
#include <sys/socket.h>

#include "peer/line_socket.h"
#include "peer/socket_settings.h"

namespace pollux {

namespace {

TEST(PeerLineTest, ComesBackAsItWas) {
  const PeerLine line{"ready", {{"path", "/tmp/with space/100%"}, {"empty", ""}}};
  const auto text = text_of(line);
  EXPECT_EQ(text, "ready path=/tmp/with%20space/100%25 empty=\n");
  const auto back = parse_peer_line(std::string_view(text).substr(0, text.size() - 1));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->verb, line.verb);
  EXPECT_EQ(back->words, line.words);
}

TEST(PeerLineTest, RefusesWhatIsNoLine) {
  for (const auto* const text : {"", " x", "verb word", "verb =x"})
    EXPECT_FALSE(parse_peer_line(text)) << text;
}

TEST(LineSocketTest, EndsWhenTheOtherEndIsGoneOrSilentOrSaysTooMuch) {
  int fds[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  LineSocket mine(fds[0]);
  {
    const LineSocket theirs(fds[1]);
    EXPECT_EQ(mine.read(std::chrono::milliseconds(30)).error().code, Code::deadline_exceeded);
    EXPECT_FALSE(mine.hung_up());
  }
  EXPECT_TRUE(mine.hung_up());
  EXPECT_EQ(mine.read(std::chrono::seconds(30)).error().code, Code::unreachable);

  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  LineSocket again(fds[0]);
  const LineSocket talker(fds[1]);
  const std::string endless(2 * LineSocket::line_bytes_max, 'x');
  ASSERT_EQ(send(fds[1], endless.data(), endless.size(), 0), static_cast<ssize_t>(endless.size()));
  EXPECT_EQ(again.read(std::chrono::seconds(30)).error().code, Code::invalid_argument);
}

TEST(AddressTest, ReadsHostAndPort) {
  const auto plain = host_and_port("192.0.2.7:7400");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->first, "192.0.2.7");
  EXPECT_EQ(plain->second, "7400");
  const auto six = host_and_port("[2001:db8::1]:80");
  ASSERT_TRUE(six);
  EXPECT_EQ(six->first, "2001:db8::1");
  for (const auto* const bad : {"", "host", "host:", ":80", "host:http"}) {
    const auto parsed = host_and_port(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_EQ(parsed.error().code, Code::invalid_argument);
  }
}

TEST(SocketSettingsTest, WhatTheKernelGrantsIsToldWithoutItsDoubling) {
  const auto listening = listen_tcp("127.0.0.1", "0");
  ASSERT_TRUE(listening);
  const auto address = local_address(*listening);
  ASSERT_TRUE(address);
  const SocketSettings asked{.buffer_bytes = 32u << 10};
  const auto fd = connect_tcp("127.0.0.1", address->second, std::chrono::seconds(10),
                              [&asked](int socket) { apply_settings(socket, asked); });
  ASSERT_TRUE(fd) << fd.error().text;
  const auto granted = granted_buffers(*fd);
  EXPECT_EQ(granted.send_bytes, asked.buffer_bytes);
  EXPECT_EQ(granted.receive_bytes, asked.buffer_bytes);
  EXPECT_EQ(shortfall(asked, granted, "this end"), "");
  const LineSocket closes(*fd), closes_too(*listening);
}

TEST(SocketSettingsTest, ABufferThatWasCappedIsToldWithWhatToDo) {
  EXPECT_EQ(
      shortfall({.buffer_bytes = 1u << 20}, {208u << 10, 1u << 20}, "this end"),
      "this end was granted a send buffer of 208 KiB instead of 1 MiB: raise net.core.wmem_max with sysctl");
  EXPECT_EQ(shortfall({.buffer_bytes = 0}, {1, 1}, "this end"), "");
}

}  // namespace

}  // namespace pollux
