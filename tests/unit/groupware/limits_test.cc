// What is too large, too slow or too many is refused within named limits, while others are served.
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

#include "gateway_fixture.h"

namespace pollux::testing {
namespace {

using namespace std::chrono_literals;

class LimitsTest : public GatewayTest {
 protected:
  void SetUp() override {}
  static std::string put_head(const std::string& more) {
    return "PUT " + calendar + "a.ics HTTP/1.1\r\nHost: x\r\n" + authorization("alice:wonder land") + more +
           "\r\n";
  }
};

TEST_F(LimitsTest, AHeaderOfTenMegabytesIsRefused) {
  start({});
  for (const std::string& header : {"X-Long: " + std::string(10u << 20, 'x') + "\r\n", [] {
                                      std::string many;
                                      while (many.size() < (10u << 20))
                                        many += "X-" + std::to_string(many.size()) + ": 1\r\n";
                                      return many;
                                    }()}) {
    auto client = connect();
    client.send("GET / HTTP/1.1\r\n" + header);
    const auto answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 431);
  }
  auto long_url = connect();
  long_url.send("GET /" + std::string(9000, 'x') + " HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(long_url.receive()->status, 414);
}

TEST_F(LimitsTest, TooManyHeadersAreRefused) {
  start({});
  std::string many;
  for (std::size_t number = 0; number < GatewayLimits().headers_max; ++number) many += "X-A: 1\r\n";
  auto client = connect();
  client.send("GET / HTTP/1.1\r\nHost: x\r\n" + many + "\r\n");
  EXPECT_EQ(client.receive()->status, 431);
}

TEST_F(LimitsTest, ABodyOverTheLimitIsRefusedBeforeItIsReceived) {
  GatewayLimits limits;
  limits.body_bytes_max = 1000;
  start(limits);
  auto announced = connect();
  announced.send(put_head("Content-Length: 10000000000\r\n"));
  const auto refused = announced.receive();
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->status, 413);
  EXPECT_NE(refused->body.find("<C:max-resource-size/>"), std::string::npos) << refused->body;
  auto chunked = connect();
  chunked.send(put_head("Transfer-Encoding: chunked\r\n") + "fff\r\n");
  EXPECT_EQ(chunked.receive()->status, 413);
  auto many_chunks = connect();
  many_chunks.send(put_head("Transfer-Encoding: chunked\r\n"));
  for (int chunk = 0; chunk < 1000; ++chunk) many_chunks.send("a\r\n0123456789\r\n");
  EXPECT_EQ(many_chunks.receive()->status, 413);
  auto exact = connect();
  const auto fits = event("a", "X-PAD:" + std::string(1000 - event("a").size() - 8, 'x') + "\r\n");
  ASSERT_EQ(fits.size(), 1000U);
  EXPECT_EQ(exact.request("PUT", calendar + "a.ics", {}, fits).status, 201);
}

TEST_F(LimitsTest, AnXmlBodyHasALimitOfItsOwn) {
  GatewayLimits limits;
  limits.xml_bytes_max = 1000;
  start(limits);
  EXPECT_EQ(connect().request("PROPFIND", calendar, "Depth: 0\r\n", std::string(1001, ' ')).status, 413);
}

TEST_F(LimitsTest, BodiesTogetherHaveALimit) {
  GatewayLimits limits;
  limits.bodies_bytes_max = 10000;
  start(limits);
  auto first = connect();
  first.send(put_head("Content-Length: 9000\r\nExpect: 100-continue\r\n"));
  ASSERT_EQ(first.receive()->status, 100);
  const auto second = connect().request("PUT", calendar + "b.ics", {},
                                        event("b", "X-PAD:" + std::string(2000, 'x') + "\r\n"));
  EXPECT_EQ(second.status, 503);
  EXPECT_NE(second.header("retry-after"), "");
  const auto body = event("a", "X-PAD:" + std::string(9000 - event("a").size() - 8, 'x') + "\r\n");
  first.send(body);
  EXPECT_EQ(first.receive()->status, 201);
  EXPECT_EQ(
      connect()
          .request("PUT", calendar + "b.ics", {}, event("b", "X-PAD:" + std::string(2000, 'x') + "\r\n"))
          .status,
      201);
}

TEST_F(LimitsTest, AChunkedBodyCountsAsItGrows) {
  GatewayLimits limits;
  limits.bodies_bytes_max = 200'000;
  start(limits);
  auto client = connect();
  client.send(put_head("Transfer-Encoding: chunked\r\n"));
  const std::string chunk = "2710\r\n" + std::string(10'000, 'x') + "\r\n";
  for (int count = 0; count < 100 && client.send(chunk); ++count) {
  }
  const auto answer = client.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 503);
  // What it held is free again.
  EXPECT_EQ(
      connect()
          .request("PUT", calendar + "a.ics", {}, event("a", "X-PAD:" + std::string(150'000, 'x') + "\r\n"))
          .status,
      201);
}

TEST_F(LimitsTest, AnswersOnTheirWayCountToo) {
  GatewayLimits limits;
  limits.bodies_bytes_max = 160'000;
  start(limits);
  auto client = connect();
  ASSERT_EQ(
      client.request("PUT", calendar + "a.ics", {}, event("a", "X-PAD:" + std::string(150'000, 'x') + "\r\n"))
          .status,
      201);
  for (int round = 0; round < 5; ++round) EXPECT_EQ(client.request("GET", calendar + "a.ics").status, 200);
  auto holder = connect();
  holder.send(put_head("Content-Length: 100000\r\nExpect: 100-continue\r\n"));
  ASSERT_EQ(holder.receive()->status, 100);
  EXPECT_EQ(client.request("GET", calendar + "a.ics").status, 503);
}

TEST_F(LimitsTest, ASlowHeaderEndsTheConnection) {
  GatewayLimits limits;
  limits.header = 200ms;
  limits.sweep = 20ms;
  start(limits);
  auto slow = connect();
  slow.send("GET / HTTP/1.1\r\nX-Slow: ");
  EXPECT_TRUE(slow.is_closed());
  // Sending on and on does not help.
  auto trickle = connect();
  const auto until = std::chrono::steady_clock::now() + 20s;
  trickle.send("GET / HTTP/1.1\r\n");
  while (trickle.send("X") && std::chrono::steady_clock::now() < until) {
  }
  EXPECT_LT(std::chrono::steady_clock::now(), until);
}

TEST_F(LimitsTest, ASlowBodyEndsTheConnection) {
  GatewayLimits limits;
  limits.transfer = 200ms;
  limits.sweep = 20ms;
  start(limits);
  auto slow = connect();
  slow.send(put_head("Content-Length: 1000\r\n") + "BEGIN:VCALENDAR");
  EXPECT_TRUE(slow.is_closed());
}

TEST_F(LimitsTest, AnIdleConnectionIsClosed) {
  GatewayLimits limits;
  limits.idle = 200ms;
  limits.sweep = 20ms;
  start(limits);
  auto client = connect();
  EXPECT_EQ(client.request("GET", "/dav/").status, 200);
  EXPECT_TRUE(client.is_closed());
}

TEST_F(LimitsTest, TheLongestIdleConnectionMakesRoomForANewOne) {
  GatewayLimits limits;
  limits.connections_max = 3;
  start(limits);
  auto first = connect(), second = connect(), third = connect();
  for (auto* client : {&second, &first, &third}) EXPECT_EQ(client->request("GET", "/dav/").status, 200);
  auto fourth = connect();
  EXPECT_EQ(fourth.request("GET", "/dav/").status, 200);
  EXPECT_TRUE(second.is_closed());
  EXPECT_EQ(first.request("GET", "/dav/").status, 200);
}

TEST_F(LimitsTest, WithAllConnectionsAtWorkANewOneIsToldToComeBack) {
  GatewayLimits limits;
  limits.connections_max = 2;
  start(limits);
  auto first = connect(), second = connect();
  EXPECT_EQ(first.request("GET", "/dav/").status, 200);  // logs in
  pair->go_away();
  const auto text =
      "GET " + calendar + "a.ics HTTP/1.1\r\nHost: x\r\n" + authorization("alice:wonder land") + "\r\n";
  first.send(text);
  second.send(text);
  pair->wait_for_waiting(2);
  auto third = connect();
  const auto answer = third.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 503);
  pair->come_back();
  EXPECT_EQ(first.receive()->status, 404);
  EXPECT_EQ(second.receive()->status, 404);
}

TEST_F(LimitsTest, AThousandOpenConnectionsDoNotStopOthers) {
  GatewayLimits limits;
  limits.connections_max = 300;
  start(limits);
  std::vector<std::unique_ptr<HttpClient>> silent;
  for (int number = 0; number < 900; ++number) {
    silent.push_back(std::make_unique<HttpClient>(server->port()));
    if (silent.size() > 400) silent.erase(silent.begin());
  }
  EXPECT_EQ(connect().request("GET", "/dav/").status, 200);
  EXPECT_LE(server->connections(), 300U);
}

bool allow_descriptors(rlim_t wanted) {
  ::rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= wanted) return true;
  limit.rlim_cur = wanted;
  return limit.rlim_max >= wanted && ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

/// Another process that holds connections: with both ends in one, there would not be descriptors enough. To
/// be made before any thread is started.
class ConnectionHolder {
 public:
  explicit ConnectionHolder(std::size_t count) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[1]);
      hold(ends[0], count);
      ::_exit(0);
    }
    ::close(ends[0]);
    to_ = ends[1];
  }
  ~ConnectionHolder() {
    ::close(to_);
    ::waitpid(pid_, nullptr, 0);
  }
  ConnectionHolder(const ConnectionHolder&) = delete;
  ConnectionHolder& operator=(const ConnectionHolder&) = delete;
  void connect(std::uint16_t port) const {
    EXPECT_EQ(::write(to_, &port, sizeof port), ssize_t{sizeof port});
  }

 private:
  static void hold(int from, std::size_t count) {
    sockaddr_in address{};
    if (::read(from, &address.sin_port, sizeof address.sin_port) != sizeof address.sin_port) return;
    address.sin_port = htons(address.sin_port);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (std::size_t number = 0; number < count; ++number) {
      const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
      if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
      if (number % 3 == 0 && ::send(fd, "GET / HTTP/1.1\r\nX-Half: ", 24, MSG_NOSIGNAL) < 0) return;
    }
    char end = 0;
    while (::read(from, &end, 1) > 0) {
    }
  }

  pid_t pid_ = -1;
  int to_ = -1;
};

TEST_F(LimitsTest, TenThousandOpenConnectionsDoNotStopOthers) {
  constexpr std::size_t many = 10'000;
  if (!allow_descriptors(many + many / 2 + 500))
    GTEST_SKIP() << "not enough open files are allowed (ulimit -Hn)";
  const ConnectionHolder elsewhere(many / 2);
  GatewayLimits limits;
  limits.connections_max = many;
  limits.header = limits.idle = 10min;  // none of them goes away by itself
  start(limits);
  EXPECT_EQ(connect().request("GET", "/dav/").status, 200);
  elsewhere.connect(server->port());
  std::vector<std::unique_ptr<HttpClient>> here;
  for (std::size_t number = 0; number < many / 2; ++number) {
    here.push_back(std::make_unique<HttpClient>(server->port(), "127.0.0.2"));
  }
  const auto until = std::chrono::steady_clock::now() + 120s;
  while (server->connections() < many && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  EXPECT_EQ(server->connections(), many);
  // Each one more makes room for itself.
  for (int number = 0; number < 20; ++number) EXPECT_EQ(connect().request("GET", "/dav/").status, 200);
  EXPECT_LE(server->connections(), many);
}

TEST_F(LimitsTest, AnUploadThatGoesOnAfterItsRefusalIsCutOff) {
  GatewayLimits limits;
  limits.linger_bytes_max = 1u << 20;
  start(limits);
  auto client = connect();
  client.send(put_head("Content-Length: 10737418240\r\n"));
  const std::string part(1u << 20, 'x');
  constexpr std::size_t in_socket_buffers = 64;  // megabytes; some are on their way
  std::size_t megabytes = 0;
  while (megabytes < in_socket_buffers * 2 && client.send(part)) ++megabytes;
  EXPECT_LT(megabytes, in_socket_buffers);
  EXPECT_EQ(connect().request("GET", "/dav/").status, 200);
}

TEST_F(LimitsTest, AClientThatDoesNotReadItsAnswerIsDropped) {
  GatewayLimits limits;
  limits.transfer = 200ms;
  limits.transfer_bytes_per_second_min = 1u << 30;
  limits.sweep = 20ms;
  start(limits);
  auto client = connect();
  const auto large = event("a", "X-PAD:" + std::string(6u << 20, 'x') + "\r\n");
  ASSERT_EQ(client.request("PUT", calendar + "a.ics", {}, large).status, 201);
  const auto get = "GET " + calendar + "a.ics HTTP/1.1\r\nHost: x\r\n" + authorization(client.login) + "\r\n";
  for (int number = 0; number < 20; ++number) client.send(get);
  const auto until = std::chrono::steady_clock::now() + 60s;
  while (server->connections() > 0 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  EXPECT_EQ(server->connections(), 0U);
}

TEST_F(LimitsTest, BillionLaughsAreRefused) {
  start({});
  std::string laughs = "<?xml version=\"1.0\"?><!DOCTYPE l [<!ENTITY l0 \"lol\">";
  for (int level = 1; level < 30; ++level) {
    const auto below = "&l" + std::to_string(level - 1) + ";";
    laughs += "<!ENTITY l" + std::to_string(level) + " \"" + below + below + below + below + below + "\">";
  }
  laughs += "]><D:propfind xmlns:D=\"DAV:\"><D:prop><D:x>&l29;</D:x></D:prop></D:propfind>";
  const auto answer = connect().request("PROPFIND", calendar, "Depth: 0\r\n", laughs);
  EXPECT_EQ(answer.status, 400);
  EXPECT_NE(answer.body.find("DOCTYPE"), std::string::npos);
}

TEST_F(LimitsTest, AnAnswerToPropfindHasALimit) {
  GatewayLimits limits;
  limits.multistatus_bytes_max = 2000;
  start(limits);
  auto client = connect();
  for (int number = 0; number < 20; ++number) {
    client.request("PUT", calendar + std::to_string(number) + ".ics", {}, event(std::to_string(number)));
  }
  EXPECT_EQ(client.request("PROPFIND", calendar, "Depth: 1\r\n").status, 507);
}

}  // namespace
}  // namespace pollux::testing
