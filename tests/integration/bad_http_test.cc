// Bad input over HTTP, all of it at once against a real pair: each is refused within its limit, others are
// served meanwhile, and nothing that was stored is lost.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <chrono>
#include <functional>
#include <thread>

#include "integration/groupware_fixture.h"
#include "integration/raw_http.h"

namespace pollux::testing {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

class BadHttpTest : public GroupwareFixture {
 protected:
  void SetUp() override {
    GroupwareFixture::SetUp();
    if (HasFatalFailure()) return;
    ASSERT_EQ(client().send("PUT", good(), stored, {{"Content-Type", "text/calendar"}}).status, 201);
  }
  static std::string calendar() { return std::string("/dav/calendars/") + user + "/default/"; }
  static std::string good() { return calendar() + "good.ics"; }
  [[nodiscard]] std::string head(const std::string& method, const std::string& path,
                                 const std::string& more) const {
    return method + " " + path + " HTTP/1.1\r\nHost: " + gateway() + "\r\nAuthorization: Basic " +
           // anna:correct-horse-battery
           "YW5uYTpjb3JyZWN0LWhvcnNlLWJhdHRlcnk=\r\n" + more + "\r\n";
  }
  /// Sends, and expects an answer of that status with a body that says what is wrong.
  void expect_refused(const std::string& what, const std::string& bytes, int status) const {
    const RawHttp raw(gateway());
    raw.send(bytes);
    const std::string answer = raw.receive();
    EXPECT_THAT(answer, ::testing::StartsWith("HTTP/1.1 " + std::to_string(status))) << what << "\n"
                                                                                     << answer;
    EXPECT_THAT(answer, ::testing::ContainsRegex("[A-Z][^\r\n]+[.]")) << what;
  }

  static constexpr auto stored =
      "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//"
      "EN\r\nBEGIN:VEVENT\r\nUID:good\r\nDTSTAMP:20260101T000000Z\r\n"
      "DTSTART:20260315T100000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
};

/// Somebody who works on: every request is answered, and soon.
class Other {
 public:
  explicit Other(std::function<void()> request)
      : thread_([this, request = std::move(request)](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            const auto begin = steady_clock::now();
            request();
            slowest_ = std::max(slowest_, steady_clock::now() - begin);
            ++count_;
          }
        }) {}
  /// Ends it, and says how it was served.
  void expect_served() {
    thread_.request_stop();
    thread_.join();
    EXPECT_GT(count_, 0U);
    EXPECT_LT(slowest_, 20s);
  }

 private:
  std::size_t count_ = 0;
  steady_clock::duration slowest_{};
  std::jthread thread_;
};

TEST_F(BadHttpTest, WhatIsMalformedOrTooLargeGetsItsStatusWhileOthersAreServed) {
  Other other([this] { EXPECT_EQ(client().send("GET", good()).body, stored); });
  std::string laughs = "<!DOCTYPE l [<!ENTITY a0 'lol'>";
  for (int level = 1; level < 10; ++level) {
    laughs += "<!ENTITY a" + std::to_string(level) + " '";
    for (int times = 0; times < 10; ++times) laughs += "&a" + std::to_string(level - 1) + ";";
    laughs += "'>";
  }
  laughs += "]><D:propfind xmlns:D='DAV:'>&a9;</D:propfind>";
  std::string deep = "<D:propfind xmlns:D='DAV:'>", wide = deep;
  for (int level = 0; level < 100; ++level) deep += "<a>";
  for (int number = 0; number < 30000; ++number) wide += "<a/>";
  const auto with_body = [&](const std::string& method, const std::string& path, const std::string& body) {
    return head(method, path,
                "Connection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n") +
           body;
  };
  struct Row {
    std::string what, bytes;
    int status;
  };
  const std::string close = "Connection: close\r\n";
  for (const auto& row : std::vector<Row>{
           {"a header of 1 MB", head("GET", good(), "X-Long: " + std::string(1u << 20, 'x') + "\r\n"), 431},
           {"a URL of 10 KB", head("GET", "/" + std::string(10240, 'x'), close), 414},
           {"an upload of 10 GB", head("PUT", good(), "Content-Length: 10737418240\r\n"), 413},
           {"that, with Expect",
            head("PUT", good(), "Expect: 100-continue\r\nContent-Length: 10737418240\r\n"), 413},
           {"a path that climbs", head("GET", "/dav/calendars/anna/../../../../etc/passwd", close), 400},
           {"that, encoded", head("GET", "/dav/calendars/anna/%2e%2e/%2e%2e/etc/passwd", close), 400},
           {"a NUL in the path", head("GET", calendar() + "%00", close), 400},
           {"billion laughs", with_body("PROPFIND", calendar(), laughs), 400},
           {"an external entity",
            with_body("PROPFIND", calendar(),
                      "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><D:propfind xmlns:D='DAV:'/>"),
            400},
           {"a deep body", with_body("PROPFIND", calendar(), deep), 400},
           {"a wide body", with_body("PROPFIND", calendar(), wide), 400},
           {"a large XML body", with_body("REPORT", calendar(), std::string((1u << 20) + 1, ' ')), 413},
           {"no request", "nonsense\r\n\r\n", 400},
           {"two lengths", head("PUT", good(), "Content-Length: 1\r\nContent-Length: 2\r\n"), 400},
           {"length and chunks", head("PUT", good(), "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"),
            400},
           {"a negative length", head("PUT", good(), "Content-Length: -1\r\n"), 400},
           {"no host", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", 400},
           {"another Depth", head("PROPFIND", calendar(), close + "Depth: 7\r\n"), 400},
           {"a broken If", head("DELETE", good(), close + "If: (<urn:x>\r\n"), 400},
           {"a broken If-Match", head("DELETE", good(), close + "If-Match: none\r\n"), 400},
           {"an unknown method", head("FROBNICATE", good(), close), 501},
           {"another expectation", head("PUT", good(), close + "Expect: wonders\r\nContent-Length: 0\r\n"),
            417},
       }) {
    expect_refused(row.what, row.bytes, row.status);
  }
  other.expect_served();
  EXPECT_EQ(client().send("GET", good()).body, stored);
}

TEST_F(BadHttpTest, AnEndlessUploadIsCutOffSoonWhileOthersAreServed) {
  Other other([this] { EXPECT_EQ(client().send("GET", good()).body, stored); });
  constexpr std::size_t sent_megabytes_max = 256;  // what is in the sockets' buffers counts, too
  const std::string megabyte(1u << 20, 'x');
  for (const bool chunked : {false, true}) {
    const RawHttp raw(gateway());
    raw.send(
        head("PUT", good(), chunked ? "Transfer-Encoding: chunked\r\n" : "Content-Length: 10737418240\r\n"));
    std::size_t megabytes = 0;
    while (megabytes < sent_megabytes_max && raw.send(chunked ? "100000\r\n" + megabyte + "\r\n" : megabyte))
      ++megabytes;
    EXPECT_LT(megabytes, sent_megabytes_max);
  }
  other.expect_served();
  EXPECT_EQ(client().send("GET", good()).body, stored);
}

TEST_F(BadHttpTest, ClientsThatDribbleAreDisconnectedWhileOthersAreServed) {
  Other other([this] { EXPECT_EQ(client().send("GET", good()).body, stored); });
  std::vector<RawHttp> slow;
  const std::string begin = head("GET", good(), "").substr(0, 40);
  for (int number = 0; number < 200; ++number) {
    slow.emplace_back(gateway());
    ASSERT_TRUE(slow.back().send(begin));
  }
  // A byte now and then does not keep one alive: ten seconds are for all of the header.
  const auto until = steady_clock::now() + 60s;
  std::size_t open = slow.size();
  while (open > 0 && steady_clock::now() < until) {
    open = 0;
    for (const auto& one : slow) open += one.send("x") ? 1U : 0U;
    std::this_thread::sleep_for(500ms);  // the pace of a dribbling client
  }
  EXPECT_EQ(open, 0U);
  other.expect_served();
}

TEST_F(BadHttpTest, TenThousandConnectionsDoNotKeepOthersOut) {
  constexpr rlim_t many = 10'000;
  rlimit files{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
  if (files.rlim_max < many + 1000) GTEST_SKIP() << "not enough open files are allowed (ulimit -Hn)";
  files.rlim_cur = files.rlim_max;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
  Other other([this] { EXPECT_EQ(client().send("GET", good()).body, stored); });
  std::vector<RawHttp> all;
  for (rlim_t number = 0; number < many; ++number) {
    all.emplace_back(gateway());
    ASSERT_TRUE(all.back().connected()) << number;
  }
  other.expect_served();
  EXPECT_EQ(client().send("GET", good()).body, stored);
}

}  // namespace
}  // namespace pollux::testing
