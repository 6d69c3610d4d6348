// The load generator against a small server of the test's own, that answers as it is told.
#include "http/http_load.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

#include "http/http_socket.h"

namespace pollux {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view good = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nETag: \"1\"\r\n\r\nabc";

// One thread, one connection at a time; `answer` is told the request's number.
class SmallServer {
 public:
  explicit SmallServer(std::function<std::string(unsigned number)> answer) : answer_(std::move(answer)) {
    listen_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    bind(listen_, reinterpret_cast<const sockaddr*>(&at), sizeof at);
    listen(listen_, 16);
    getsockname(listen_, reinterpret_cast<sockaddr*>(&at), &size);
    address = "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
    thread_ = std::thread([this] { run(); });
  }
  ~SmallServer() {
    stop_ = true;
    thread_.join();
    close(listen_);
  }
  std::string address;
  std::atomic<unsigned> requests = 0, connections = 0;

 private:
  bool readable(int fd) const {
    while (!stop_) {
      pollfd waited{fd, POLLIN, 0};
      if (poll(&waited, 1, 20) == 1) return true;
    }
    return false;
  }
  void run() {
    while (readable(listen_)) {
      const int fd = accept(listen_, nullptr, nullptr);
      ++connections;
      serve(fd);
      close(fd);
    }
  }
  void serve(int fd) {
    std::string in;
    char bytes[4096];
    while (readable(fd)) {
      const auto count = recv(fd, bytes, sizeof bytes, 0);
      if (count <= 0) return;
      in.append(bytes, static_cast<std::size_t>(count));
      for (auto end = in.find("\r\n\r\n"); end != std::string::npos; end = in.find("\r\n\r\n")) {
        in.erase(0, end + 4);
        const auto text = answer_(requests++);
        send(fd, text.data(), text.size(), MSG_NOSIGNAL);
        if (text.find("close") != std::string::npos || text.empty()) return;
      }
    }
  }
  std::function<std::string(unsigned)> answer_;
  int listen_ = -1;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

HttpLoadOptions load_of(const SmallServer& server, std::uint64_t requests) {
  HttpLoadOptions options{.address = server.address, .connections = 1};
  options.request = [](std::uint64_t, HttpRequest& into) {
    into.bytes = "GET /x HTTP/1.1\r\nHost: test\r\n\r\n";
    into.expected = {.statuses = {200}, .body_bytes = 3, .etag = true};
  };
  options.warm_up = {};
  options.duration = options.duration_max = std::chrono::seconds(60);
  options.requests_max = requests;
  return options;
}

TEST(HttpLoadTest, EveryAnswerIsCountedAndTimed) {
  SmallServer server([](unsigned) { return std::string(good); });
  const auto result = run_http_load(load_of(server, 500));
  EXPECT_EQ(result.answered, 500U);
  EXPECT_EQ(result.sent, 500U);
  EXPECT_EQ(result.failed, 0U) << result.first_error;
  EXPECT_EQ(result.latency.count(), 500U);
  EXPECT_EQ(result.connects, 1U) << "the connection is kept";
  EXPECT_TRUE(result.drained);
  EXPECT_GT(result.per_second_milli(), 0U);
}

TEST(HttpLoadTest, AWrongStatusLengthOrAMissingEtagIsAFailure) {
  for (const auto& [answer, why] :
       {std::pair("HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\nETag: \"1\"\r\n\r\nabc", "status 404"),
        std::pair("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nETag: \"1\"\r\n\r\nab", "2 bytes, not 3"),
        std::pair("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "without an ETag"),
        std::pair("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nETag: \"1\"\r\n\r\nabcd",
                  "more after the answer")}) {
    SmallServer server([&](unsigned number) { return std::string(number == 2 ? answer : good); });
    const auto result = run_http_load(load_of(server, 5));
    EXPECT_EQ(result.answered, 4U) << why;
    EXPECT_EQ(result.failed, 1U) << why;
    EXPECT_THAT(result.first_error, HasSubstr(why));
    EXPECT_THAT(result.first_error, HasSubstr("GET /x"));
  }
}

TEST(HttpLoadTest, AServerThatClosesAfterEachAnswerIsConnectedToAnew) {
  SmallServer server(
      [](unsigned) { return "HTTP/1.0 200 OK\r\nConnection: close\r\nETag: \"1\"\r\n\r\nabc"; });
  const auto result = run_http_load(load_of(server, 20));
  EXPECT_EQ(result.answered, 20U) << result.first_error;
  EXPECT_EQ(result.connects, 20U);
}

TEST(HttpLoadTest, AConnectionThatIsLostIsAFailureAndTheLoadGoesOn) {
  SmallServer server([](unsigned number) { return std::string(number == 1 ? "" : good); });
  const auto result = run_http_load(load_of(server, 4));
  EXPECT_EQ(result.answered, 3U);
  EXPECT_EQ(result.failed, 1U);
  EXPECT_THAT(result.first_error, HasSubstr("closed without an answer"));
}

TEST(HttpLoadTest, NobodyThereEndsItWithItsReason) {
  const auto port = free_loopback_port();
  ASSERT_TRUE(port);
  HttpLoadOptions options{.address = "127.0.0.1:" + std::to_string(*port)};
  options.request = [](std::uint64_t, HttpRequest& into) { into.bytes = "GET / HTTP/1.1\r\n\r\n"; };
  options.requests_max = 3;
  options.duration = options.duration_max = std::chrono::seconds(60);
  const auto result = run_http_load(options);
  EXPECT_EQ(result.answered, 0U);
  EXPECT_EQ(result.failed, 3U);
  EXPECT_FALSE(result.first_error.empty());
}

TEST(HttpLoadTest, SlowAnswersAreNotCutOffByTheTime) {
  SmallServer server([](unsigned) {
    std::this_thread::sleep_for(
        std::chrono::milliseconds(30));  // what a slow server does, not a wait of the test
    return std::string(good);
  });
  auto options = load_of(server, UINT64_MAX);
  options.duration = std::chrono::milliseconds(1);
  options.answers_min = 3;
  const auto result = run_http_load(options);
  EXPECT_GE(result.measured_answers, 3U);
  EXPECT_GE(result.measured, std::chrono::milliseconds(90)) << "up to the last answer that counts";
  EXPECT_LE(result.per_second_milli(), 34'000U);
}

TEST(HttpLoadTest, ARateIsOfWholeNumbers) {
  EXPECT_EQ(rate_milli(3, std::chrono::seconds(2)), 1'500U);
  EXPECT_EQ(rate_milli(1, std::chrono::seconds(9)), 111U);
  EXPECT_EQ(rate_milli(5, std::chrono::nanoseconds(0)), 0U);
}

TEST(HttpConnectionTest, ABasicLoginIsInBase64) {
  EXPECT_EQ(basic_authorization("Aladdin", "open sesame"),
            "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n");
}

TEST(HttpConnectionTest, AKeptConnectionThatTheServerClosedIsReplaced) {
  SmallServer server([](unsigned number) {
    return number % 2 == 0
               ? std::string(good)
               : "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\nETag: \"1\"\r\n\r\nabc";
  });
  HttpConnection connection(server.address);
  for (int i = 0; i < 4; ++i) {
    const auto answer = connection.call("GET / HTTP/1.1\r\n\r\n");
    ASSERT_TRUE(answer) << answer.error().text;
    EXPECT_EQ(answer->body, "abc");
    EXPECT_EQ(connection.open(), i % 2 == 0);
  }
}

}  // namespace
}  // namespace pollux
