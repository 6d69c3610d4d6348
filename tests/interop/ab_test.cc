// ApacheBench: a hundred connections at once, with and without keep-alive, and while the primary is killed.
#include <gmock/gmock.h>

#include <fstream>
#include <regex>

#include "interop/groupware_pair.h"

namespace pollux::testing {
namespace {

struct Summary {
  int complete = -1, failed = -1, kept_alive = 0, other_status = 0;
};

Summary read_summary(const std::string& text) {
  const auto number = [&](const std::string& label, int otherwise) {
    std::smatch match;
    return std::regex_search(text, match, std::regex(label + ":\\s+(\\d+)")) ? std::stoi(match[1])
                                                                             : otherwise;
  };
  return {.complete = number("Complete requests", -1),
          .failed = number("Failed requests", -1),
          .kept_alive = number("Keep-Alive requests", 0),
          .other_status = number("Non-2xx responses", 0)};
}

class AbTest : public GroupwarePair {
 protected:
  static constexpr int items = 20;

  void SetUp() override {
    GroupwarePair::SetUp();
    if (HasFatalFailure()) return;
    for (int number = 0; number < items; ++number) {
      const std::string uid = "event-" + std::to_string(number);
      const std::string body =
          "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\nBEGIN:VEVENT\r\nUID:" + uid +
          "\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260315T100000Z\r\nSUMMARY:Tea\r\nEND:VEVENT\r\n"
          "END:VCALENDAR\r\n";
      ASSERT_EQ(
          client().send("PUT", calendar() + uid + ".ics", body, {{"Content-Type", "text/calendar"}}).status,
          201);
    }
  }
  static std::string calendar() { return std::string("/dav/calendars/") + user + "/default/"; }

  /// What ab is asked to send: "GET", "PROPFIND" or "REPORT".
  std::string command(const std::string& method, int requests, bool keep_alive) {
    std::string options;
    if (method != "GET") {
      std::ofstream(room() / (method + ".xml")) << (method == "PROPFIND" ? propfind() : multiget());
      // -p alone means POST; the method that comes after it is the one.
      options = " -p " + method + ".xml -T application/xml -m " + method + " -H 'Depth: 1'";
    }
    return "ab -q" + std::string(keep_alive ? " -k" : "") + " -n " + std::to_string(requests) +
           " -c 100 -s 120 -A " + user + ":" + password + options + " '" +
           url(calendar() + (method == "GET" ? "event-0.ics" : "")) + "'";
  }
  static void expect_all(const Said& said, int requests, bool keep_alive) {
    const Summary summary = read_summary(said.text);
    EXPECT_EQ(said.exit_code, 0) << said.text;
    EXPECT_EQ(summary.complete, requests) << said.text;
    EXPECT_EQ(summary.failed, 0) << said.text;  // one of another length than the first counts as failed, too
    EXPECT_EQ(summary.other_status, 0) << said.text;
    EXPECT_EQ(summary.kept_alive, keep_alive ? requests : 0) << said.text;
  }

 private:
  static std::string propfind() {
    return "<D:propfind xmlns:D='DAV:'><D:prop><D:getetag/></D:prop></D:propfind>";
  }
  static std::string multiget() {
    std::string hrefs;
    for (int number = 0; number < items; ++number) {
      hrefs += "<D:href>" + calendar() + "event-" + std::to_string(number) + ".ics</D:href>";
    }
    return "<C:calendar-multiget xmlns:D='DAV:' xmlns:C='urn:ietf:params:xml:ns:caldav'><D:prop><D:getetag/>"
           "<C:calendar-data/></D:prop>" +
           hrefs + "</C:calendar-multiget>";
  }
};

TEST_F(AbTest, NoRequestOfAHundredConnectionsFailsAndEveryOneIsKeptAlive) {
  for (const std::string method : {"GET", "PROPFIND", "REPORT"}) {
    for (const bool keep_alive : {false, true}) {
      SCOPED_TRACE(method + (keep_alive ? ", kept alive" : ""));
      expect_all(run(command(method, 500, keep_alive)), 500, keep_alive);
    }
  }
}

TEST_F(AbTest, TheSameWhileThePrimaryIsKilled) {
  constexpr int requests = 1000;
  for (const std::string method : {"GET", "PROPFIND", "REPORT"}) {
    for (const bool keep_alive : {false, true}) {
      if (HasFatalFailure()) return;
      SCOPED_TRACE(method + (keep_alive ? ", kept alive" : ""));
      expect_all(run_with_kills(command(method, requests, keep_alive)), requests, keep_alive);
    }
  }
}

}  // namespace
}  // namespace pollux::testing
