// What clients met elsewhere, as tables, each row against a real pair and its gateway: what these tests share.
#pragma once

#include <gmock/gmock.h>

#include <regex>
#include <string>
#include <vector>

#include "integration/groupware_fixture.h"

namespace pollux::testing {

using Headers = std::vector<std::pair<std::string, std::string>>;

inline const Headers is_calendar{{"Content-Type", "text/calendar"}};

inline std::string object(const std::string& component, const std::string& uid, const std::string& lines,
                   const std::string& zones = {}) {
  return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\n" + zones + "BEGIN:" + component +
         "\r\nUID:" + uid + "\r\nDTSTAMP:20260101T000000Z\r\n" + lines + "END:" + component +
         "\r\nEND:VCALENDAR\r\n";
}
inline std::string event(const std::string& uid,
                  const std::string& lines = "DTSTART:20260315T100000Z\r\nDURATION:PT30M\r\n") {
  return object("VEVENT", uid, lines);
}
inline std::string xml(const std::string& name, const std::string& inside) {
  return "<" + name + " xmlns:D='DAV:' xmlns:C='urn:ietf:params:xml:ns:caldav'>" + inside + "</" + name + ">";
}
inline std::string query(const std::string& component, const std::string& from, const std::string& to,
                  const std::string& prop = "<D:getetag/>", const std::string& more = {}) {
  return xml("C:calendar-query",
             "<D:prop>" + prop + "</D:prop><C:filter><C:comp-filter name='VCALENDAR'><C:comp-filter name='" +
                 component + "'><C:time-range start='" + from + "' end='" + to +
                 "'/></C:comp-filter></C:comp-filter></C:filter>" + more);
}
inline std::string sync(const std::string& token, const std::string& limit = {}) {
  return xml("D:sync-collection",
             "<D:sync-token>" + token + "</D:sync-token><D:sync-level>1</D:sync-level>" +
                 (limit.empty() ? "" : "<D:limit><D:nresults>" + limit + "</D:nresults></D:limit>") +
                 "<D:prop><D:getetag/></D:prop>");
}
inline std::string header(const HttpAnswer& answer, const std::string& name) {
  std::smatch match;
  const std::regex line("\r\n" + name + ": ([^\r]*)", std::regex::icase);
  return std::regex_search(answer.head, match, line) ? match[1].str() : std::string();
}
inline std::vector<std::string> all_of(const std::string& text, const std::string& pattern) {
  std::vector<std::string> found;
  const std::regex regex(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

class HardCasesTest : public GroupwareFixture {
 protected:
  static std::string calendar() { return std::string("/dav/calendars/") + user + "/default/"; }
  void put(const std::string& path, const std::string& body, int status = 201) {
    const auto answer = client().send("PUT", path, body, is_calendar);
    EXPECT_EQ(answer.status, status) << path << answer.body;
  }
  HttpAnswer report(const std::string& path, const std::string& body, const Headers& headers = {}) {
    return client().send("REPORT", path, body, headers);
  }
  /// The last names of the hrefs of an answer.
  static std::vector<std::string> names(const HttpAnswer& answer) {
    EXPECT_EQ(answer.status, 207) << answer.body;
    return all_of(answer.body, "<D:href>[^<]*/([^/<]+)</D:href>");
  }
  static std::string token(const HttpAnswer& answer) {
    const auto found = all_of(answer.body, "<D:sync-token>([^<]*)</D:sync-token>");
    EXPECT_EQ(found.size(), 1U) << answer.body;
    return found.empty() ? std::string() : found.front();
  }
};

}  // namespace pollux::testing
