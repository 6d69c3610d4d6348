#include "report_fixture.h"

namespace pollux::testing {
namespace {

class ReportErrorsTest : public ReportTest {
 protected:
  static std::string query(const std::string& filter) {
    return element("C:calendar-query", "<D:prop><D:getetag/></D:prop><C:filter>" + filter + "</C:filter>");
  }
  static std::string in_calendar(const std::string& inside) {
    return query("<C:comp-filter name='VCALENDAR'>" + inside + "</C:comp-filter>");
  }
};

TEST_F(ReportErrorsTest, AnEmptyBodyIsToldInOneSentence) {
  auto client = connect();
  const auto answer = report(client, calendar, "");
  EXPECT_EQ(answer.status, 400);
  EXPECT_TRUE(has(answer, "none")) << answer.body;
  EXPECT_EQ(report(client, calendar, "<not-closed").status, 400);
  EXPECT_EQ(report(client, calendar, "\x1f\x8b", "Content-Encoding: gzip\r\n").status, 415);
  EXPECT_EQ(report(client, calendar, "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>").status, 400);
}

TEST_F(ReportErrorsTest, UnknownReportsAndWrongPlaces) {
  auto client = connect();
  expect_error(report(client, calendar, element("D:version-tree", "")), 403, "D:supported-report");
  expect_error(report(client, "/dav/principals/alice/", in_calendar("")), 403, "D:supported-report");
  expect_error(report(client, book, in_calendar("")), 403, "D:supported-report");
  expect_error(report(client, "/dav/calendars/alice/", in_calendar("")), 403, "D:supported-report");
  EXPECT_EQ(report(client, "/dav/calendars/alice/none/", in_calendar("")).status, 404);
  EXPECT_EQ(report(client, "/dav/calendars/bob/default/", in_calendar("")).status, 403);
}

TEST_F(ReportErrorsTest, BadFiltersSayWhatIsWrong) {
  auto client = connect();
  const auto event_with = [](const std::string& inside) {
    return in_calendar("<C:comp-filter name='VEVENT'>" + inside + "</C:comp-filter>");
  };
  for (const char* range :
       {"<C:time-range/>", "<C:time-range start='20240101'/>", "<C:time-range start='20240101T000000'/>",
        "<C:time-range start='20240102T000000Z' end='20240101T000000Z'/>",
        "<C:time-range start='20240101T000000Z' end='20240101T000000Z'/>", "<C:time-range end='soon'/>"}) {
    expect_error(report(client, calendar, event_with(range)), 403, "C:valid-filter");
  }
  expect_error(report(client, calendar, query("")), 403, "C:valid-filter");
  expect_error(report(client, calendar, query("<C:comp-filter name='VEVENT'/>")), 403, "C:valid-filter");
  expect_error(report(client, calendar, event_with("<C:prop-filter/>")), 403, "C:valid-filter");
  expect_error(report(client, calendar, element("C:calendar-query", "<D:prop/>")), 403, "C:valid-filter");
  expect_error(report(client, calendar,
                      in_calendar("<C:comp-filter name='VTIMEZONE'><C:time-range start='20240101T000000Z'/>"
                                  "</C:comp-filter>")),
               403, "C:supported-filter");
  expect_error(report(client, calendar,
                      event_with("<C:prop-filter name='SUMMARY'><C:text-match collation='i;klingon'>x"
                                 "</C:text-match></C:prop-filter>")),
               403, "C:supported-collation");
  std::string many;
  for (int i = 0; i < 300; ++i) many += "<C:prop-filter name='X'/>";
  expect_error(report(client, calendar, event_with(many)), 403, "C:supported-filter");
}

TEST_F(ReportErrorsTest, DataOfAnotherKindAreNotGiven) {
  auto client = connect();
  const auto with = [](const std::string& data) {
    return element("C:calendar-multiget",
                   "<D:prop>" + data + "</D:prop><D:href>" + calendar + "a.ics</D:href>");
  };
  expect_error(report(client, calendar, with("<C:calendar-data content-type='application/calendar+json'/>")),
               403, "C:supported-calendar-data");
  expect_error(report(client, calendar, with("<C:calendar-data version='3.0'/>")), 403,
               "C:supported-calendar-data");
  EXPECT_EQ(report(client, calendar,
                   with("<C:calendar-data><C:expand start='20240101T000000Z'/></C:calendar-data>"))
                .status,
            400);
}

TEST_F(ReportErrorsTest, TheReportsOfACollectionAreListed) {
  auto client = connect();
  const auto set = [&](const std::string& target) {
    return client
        .request("PROPFIND", target, "Depth: 0\r\n",
                 element("D:propfind", "<D:prop><D:supported-report-set/></D:prop>"))
        .body;
  };
  EXPECT_TRUE(set(calendar).contains("<C:free-busy-query/>"));
  EXPECT_TRUE(set(calendar).contains("<D:sync-collection/>"));
  EXPECT_TRUE(set(book).contains("<CARD:addressbook-multiget/>"));
  EXPECT_FALSE(set(book).contains("<C:calendar-query/>"));
  EXPECT_TRUE(client.request("OPTIONS", calendar).header("allow").contains("REPORT"));
  EXPECT_TRUE(client.request("OPTIONS", calendar).header("dav").contains("addressbook"));
}

}  // namespace
}  // namespace pollux::testing
