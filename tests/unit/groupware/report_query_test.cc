#include "report_fixture.h"

namespace pollux::testing {
namespace {

class CalendarQueryTest : public ReportTest {
 protected:
  static std::string query(const std::string& filter, const std::string& prop = "<D:getetag/>",
                           const std::string& more = {}) {
    return element("C:calendar-query", "<D:prop>" + prop +
                                           "</D:prop><C:filter><C:comp-filter name='VCALENDAR'>" + filter +
                                           "</C:comp-filter></C:filter>" + more);
  }
  static std::string comp(const std::string& name, const std::string& inside = {}) {
    return "<C:comp-filter name='" + name + "'>" + inside + "</C:comp-filter>";
  }
  static std::string range(const std::string& from, const std::string& to) {
    return "<C:time-range start='" + from + "' end='" + to + "'/>";
  }
  static std::string at(const std::string& uid, const std::string& lines,
                        const std::string& kind = "VEVENT") {
    return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:" + kind + "\r\nUID:" + uid +
           "\r\nDTSTAMP:20240101T000000Z\r\n" + lines + "END:" + kind + "\r\nEND:VCALENDAR\r\n";
  }
};

TEST_F(CalendarQueryTest, EventsOfAWeekAreFoundWithTheirTagsAndOctets) {
  auto client = connect();
  put(client, calendar + "in.ics", event("in"));
  put(client, calendar + "out.ics", at("out", "DTSTART:20250101T100000Z\r\n"));
  const auto answer = report(client, calendar,
                             query(comp("VEVENT", range("20240101T000000Z", "20240108T000000Z")),
                                   "<D:getetag/><C:calendar-data/><D:nonsense/>"),
                             "Depth: 1\r\n");
  EXPECT_EQ(names(answer), "in.ics");
  const auto root = multistatus(answer);
  EXPECT_EQ(text_of(root, "calendar-data"), event("in"));
  EXPECT_EQ(text_of(root, "getetag"), client.request("GET", calendar + "in.ics").header("etag"));
  EXPECT_TRUE(has(answer, "404 Not Found"));
  EXPECT_FALSE(
      has(report(client, calendar, query(comp("VEVENT")), "Prefer: return=minimal\r\n"), "404 Not Found"));
}

TEST_F(CalendarQueryTest, WithoutDepthWhatIsInTheCalendarIsMeant) {
  auto client = connect();
  put(client, calendar + "a.ics", event("a"));
  EXPECT_EQ(names(report(client, calendar, query(comp("VEVENT")))), "a.ics");
  EXPECT_EQ(names(report(client, calendar, query(comp("VEVENT")), "Depth: infinity\r\n")), "a.ics");
  EXPECT_EQ(names(report(client, calendar, query(comp("VEVENT")), "Depth: 0\r\n")), "");
}

TEST_F(CalendarQueryTest, EverySecondForEverTwentyYearsAndImpossibleRulesAreAnswered) {
  auto client = connect();
  put(client, calendar + "secondly.ics", read_data("secondly_without_end.ics"));
  put(client, calendar + "impossible.ics", read_data("impossible_rule.ics"));
  put(client, calendar + "minutely.ics",
      at("m", "DTSTART:20200101T000000Z\r\nRRULE:FREQ=MINUTELY;BYSECOND=0;COUNT=90000000\r\n"));
  put(client, calendar + "hidden.ics",
      at("h", "DTSTART:20200101T000000Z\r\nRRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30\r\n"));
  const auto answer =
      report(client, calendar, query(comp("VEVENT", range("20300101T000000Z", "20500101T000000Z"))));
  EXPECT_TRUE(has(answer, "secondly.ics"));
  EXPECT_TRUE(has(answer, "minutely.ics"));
  EXPECT_FALSE(has(answer, "hidden.ics"));
}

TEST_F(CalendarQueryTest, AHundredThousandInstancesAreNotExpanded) {
  auto client = connect();
  put(client, calendar + "m.ics", at("m", "DTSTART:20240101T000000Z\r\nRRULE:FREQ=MINUTELY\r\n"));
  const std::string expand =
      "<C:calendar-data><C:expand start='20240101T000000Z' end='20240310T104000Z'/></C:calendar-data>";
  expect_error(report(client, calendar, query(comp("VEVENT"), expand)), 403,
               "D:number-of-matches-within-limits");
  const std::string hour =
      "<C:calendar-data><C:expand start='20240101T000000Z' end='20240101T010000Z'/></C:calendar-data>";
  const auto answer = report(client, calendar, query(comp("VEVENT"), hour));
  EXPECT_TRUE(text_of(multistatus(answer), "calendar-data").contains("RECURRENCE-ID:20240101T005900Z\r\n"));
}

TEST_F(CalendarQueryTest, TodosAndJournalsAreFoundByTheirRules) {
  auto client = connect();
  const std::string tasks = "/dav/calendars/alice/tasks/";
  put(client, tasks + "undated.ics", at("undated", "SUMMARY:x\r\n", "VTODO"));
  put(client, tasks + "due.ics", at("due", "DUE:20240105T100000Z\r\n", "VTODO"));
  put(client, tasks + "done.ics", at("done", "COMPLETED:20230105T100000Z\r\n", "VTODO"));
  EXPECT_EQ(names(report(client, tasks, query(comp("VTODO", range("20240101T000000Z", "20240108T000000Z"))))),
            "due.ics undated.ics");
  EXPECT_EQ(names(report(
                client, tasks,
                query(comp("VTODO", "<C:prop-filter name='COMPLETED'><C:is-not-defined/></C:prop-filter>")))),
            "due.ics undated.ics");
  EXPECT_EQ(names(report(client, tasks, query(comp("VEVENT")))), "");
}

TEST_F(CalendarQueryTest, FloatingTimesAreReadInTheZoneOfTheQueryOrOfTheCalendar) {
  auto client = connect();
  put(client, calendar + "f.ics", at("f", "DTSTART:20240101T100000\r\nDTEND:20240101T110000\r\n"));
  const std::string zone =
      "BEGIN:VCALENDAR&#13;\nBEGIN:VTIMEZONE&#13;\nTZID:x&#13;\nBEGIN:STANDARD&#13;\nDTSTART:19700101T000000&"
      "#13;\n"
      "TZOFFSETFROM:-0500&#13;\nTZOFFSETTO:-0500&#13;\nEND:STANDARD&#13;\nEND:VTIMEZONE&#13;\nEND:VCALENDAR&#"
      "13;\n";
  const auto morning = comp("VEVENT", range("20240101T150000Z", "20240101T160000Z"));
  EXPECT_EQ(names(report(client, calendar, query(morning))), "");
  EXPECT_EQ(names(report(client, calendar,
                         query(morning, "<D:getetag/>", "<C:timezone>" + zone + "</C:timezone>"))),
            "f.ics");
  expect_error(report(client, calendar, query(morning, "<D:getetag/>", "<C:timezone>nonsense</C:timezone>")),
               403, "C:valid-calendar-data");
  ASSERT_EQ(client
                .request("PROPPATCH", calendar, {},
                         element("D:propertyupdate", "<D:set><D:prop><C:calendar-timezone>" + zone +
                                                         "</C:calendar-timezone></D:prop></D:set>"))
                .status,
            207);
  EXPECT_EQ(names(report(client, calendar, query(morning))), "f.ics");
}

TEST_F(CalendarQueryTest, ChosenPartsAreGiven) {
  auto client = connect();
  put(client, calendar + "a.ics", event("a"));
  const auto answer =
      report(client, calendar,
             query(comp("VEVENT"),
                   "<C:calendar-data content-type='text/calendar' version='2.0'><C:comp name='VCALENDAR'>"
                   "<C:comp name='VEVENT'><C:prop name='UID'/></C:comp></C:comp></C:calendar-data>"));
  EXPECT_EQ(text_of(multistatus(answer), "calendar-data"),
            "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n");
}

TEST_F(CalendarQueryTest, ManyEventsComeInPagesToTheEnd) {
  auto client = connect();
  const std::string padding = "DESCRIPTION:" + std::string(60'000, 'x') + "\r\n";
  for (int i = 0; i < 60; ++i)
    put(client, calendar + std::to_string(100 + i), event(std::to_string(i), padding));
  const auto answer = report(client, calendar, query(comp("VEVENT"), "<C:calendar-data/>"));
  EXPECT_EQ(multistatus(answer).children.size(), 60U);
}

TEST_F(CalendarQueryTest, BusyTimesAreToldAsACalendarObject) {
  auto client = connect();
  put(client, calendar + "a.ics", event("a"));
  const auto answer =
      report(client, calendar, element("C:free-busy-query", range("20240101T000000Z", "20240108T000000Z")),
             "Depth: 1\r\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.header("content-type").starts_with("text/calendar"));
  EXPECT_TRUE(has(answer, "FREEBUSY:20240101T100000Z/20240101T110000Z\r\n")) << answer.body;
  EXPECT_FALSE(has(answer, "SUMMARY"));
  EXPECT_EQ(report(client, calendar, element("C:free-busy-query", "")).status, 400);
  EXPECT_EQ(report(client, calendar, element("C:free-busy-query", "<C:time-range start='20240101T000000Z'/>"))
                .status,
            400);
}

}  // namespace
}  // namespace pollux::testing
