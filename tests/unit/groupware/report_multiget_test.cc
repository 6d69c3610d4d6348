#include "report_fixture.h"

namespace pollux::testing {
namespace {

class MultigetTest : public ReportTest {
 protected:
  static std::string multiget(const std::vector<std::string>& hrefs,
                              const std::string& prop = "<D:getetag/><C:calendar-data/>") {
    std::string inside = "<D:prop>" + prop + "</D:prop>";
    for (const auto& href : hrefs) inside += "<D:href>" + href + "</D:href>";
    return element("C:calendar-multiget", inside);
  }
};

TEST_F(MultigetTest, ItemsComeInTheOrderAskedAndAMissingOneIsA404) {
  auto client = connect();
  for (const char* name : {"a", "b", "c"}) put(client, calendar + name + ".ics", event(name));
  const auto answer =
      report(client, calendar, multiget({calendar + "c.ics", calendar + "none.ics", calendar + "a.ics"}));
  EXPECT_EQ(names(answer), "c.ics none.ics:404 a.ics");
  EXPECT_EQ(text_of(multistatus(answer).children[0], "calendar-data"), event("c"));
}

TEST_F(MultigetTest, HrefsOfEveryKindAreUnderstood) {
  auto client = connect();
  put(client, calendar + "a%20b%40c+d%2Fe%25.ics", event("odd"));
  put(client, calendar + "%C3%A4.ics", event("umlaut"));
  const auto answer =
      report(client, calendar,
             multiget({calendar + "a%20b%40c+d%2Fe%25.ics", "http://localhost" + calendar + "%C3%A4.ics",
                       calendar + "\xc3\xa4.ics", " " + calendar + "%c3%a4.ics\n",
                       calendar + "../default/%C3%A4.ics", "/dav/calendars/bob/default/a.ics", calendar,
                       "/elsewhere/a.ics", "%", ""}),
             {});
  const auto root = multistatus(answer);
  ASSERT_EQ(root.children.size(), 10U) << answer.body;
  EXPECT_EQ(text_of(root.children[0], "calendar-data"), event("odd"));
  EXPECT_EQ(text_of(root.children[2], "calendar-data"), event("umlaut"));
  EXPECT_EQ(text_of(root.children[3], "calendar-data"), event("umlaut"));
  for (std::size_t at = 4; at < 10; ++at) {
    const auto* status = root.children[at].child(xmlns::dav, "status");
    ASSERT_TRUE(status != nullptr) << at;
    EXPECT_EQ(status->text, "HTTP/1.1 404 Not Found") << at;
  }
}

TEST_F(MultigetTest, AThousandItemsOfACalendarAndItemsOfTwo) {
  auto client = connect();
  ASSERT_EQ(client.request("MKCALENDAR", "/dav/calendars/alice/work/").status, 201);
  put(client, "/dav/calendars/alice/work/w.ics", event("w"));
  put(client, calendar + "a.ics", event("a"));
  std::vector<std::string> hrefs(1200, calendar + "a.ics");
  EXPECT_EQ(multistatus(report(client, calendar, multiget(hrefs, "<D:getetag/>"))).children.size(), 1200U);
  EXPECT_EQ(names(report(client, "/dav/calendars/alice/",
                         multiget({calendar + "a.ics", "/dav/calendars/alice/work/w.ics",
                                   "/dav/calendars/alice/none/x.ics"}))),
            "a.ics w.ics x.ics:404");
  // What is not below the URL that was asked is not told.
  EXPECT_EQ(names(report(client, calendar, multiget({"/dav/calendars/alice/work/w.ics"}))), "w.ics:404");
}

TEST_F(MultigetTest, LargeItemsComeInSeveralPages) {
  auto client = connect();
  const std::string padding = "DESCRIPTION:" + std::string(1'500'000, 'x') + "\r\n";
  for (const char* name : {"1", "2", "3"}) put(client, calendar + name, event(name, padding));
  const auto answer = report(client, calendar, multiget({calendar + "1", calendar + "2", calendar + "3"}));
  const auto root = multistatus(answer);
  ASSERT_EQ(root.children.size(), 3U);
  EXPECT_EQ(text_of(root.children[2], "calendar-data"), event("3", padding));
}

TEST_F(MultigetTest, WithoutHrefThereIsNothingToGet) {
  auto client = connect();
  EXPECT_EQ(report(client, calendar, multiget({})).status, 400);
}

}  // namespace
}  // namespace pollux::testing
