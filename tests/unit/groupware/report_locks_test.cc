// What the answers of REPORT tell of locks, and queries that are asked of one item.
#include "report_fixture.h"

namespace pollux::testing {
namespace {

class ReportLocksTest : public ReportTest {
 protected:
  void SetUp() override {
    ReportTest::SetUp();
    client.emplace(server->port());
    put(*client, calendar + "a.ics", event("a"));
    put(*client, calendar + "b.ics", event("b"));
  }
  std::string lock(const std::string& target, const std::string& depth) {
    const auto answer = client->request(
        "LOCK", target, "Depth: " + depth + "\r\n",
        element("D:lockinfo",
                "<D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype>"));
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.header("lock-token").substr(1, answer.header("lock-token").size() - 2);
  }
  static constexpr auto prop = "<D:prop><D:lockdiscovery/><D:supportedlock/></D:prop>";
  static constexpr auto everything = "<C:filter><C:comp-filter name='VCALENDAR'/></C:filter>";
  std::optional<HttpClient> client;
};

TEST_F(ReportLocksTest, EveryReportTellsTheLocksOfItems) {
  const std::string token = lock(calendar + "a.ics", "0");
  for (const auto& body :
       {element("C:calendar-query", std::string(prop) + everything),
        element("C:calendar-multiget", std::string(prop) + "<D:href>" + calendar + "b.ics</D:href><D:href>" +
                                           calendar + "a.ics</D:href>"),
        element("D:sync-collection", std::string("<D:sync-token/><D:sync-level>1</D:sync-level>") + prop)}) {
    const auto answer = report(*client, calendar, body);
    std::size_t told = 0;
    for (const auto& response : multistatus(answer).children) {
      if (!response.is(xmlns::dav, "response")) continue;
      const bool locked =
          text_of(response, "locktoken").empty() && text_of(response, "timeout").starts_with("Second-");
      EXPECT_EQ(locked, response.child(xmlns::dav, "href")->text.ends_with("a.ics")) << answer.body;
      ++told;
    }
    EXPECT_EQ(told, 2U);
    EXPECT_TRUE(has(answer, token)) << answer.body;
    EXPECT_TRUE(has(answer, "<D:lockentry>"));
  }
}

TEST_F(ReportLocksTest, ADeepLockCoversWhatIsFound) {
  const std::string token = lock(calendar, "infinity");
  const auto answer = report(*client, calendar, element("C:calendar-query", std::string(prop) + everything));
  for (const auto& response : multistatus(answer).children) {
    EXPECT_EQ(text_of(response, "depth"), "infinity") << answer.body;
  }
}

TEST_F(ReportLocksTest, CollectionsThatAreSynchronizedTellTheirs) {
  const std::string files = "/dav/files/alice/";
  ASSERT_EQ(client->request("MKCOL", files + "box/").status, 201);
  const std::string token = lock(files + "box/", "0");
  const auto answer = report(
      *client, files + "box/",
      element("D:sync-collection", std::string("<D:sync-token/><D:sync-level>1</D:sync-level>") + prop));
  EXPECT_FALSE(has(answer, token)) << answer.body;  // it is about what is in the box
  ASSERT_EQ(client->request("MKCOL", files + "outer/").status, 201);
  ASSERT_EQ(client->request("MKCOL", files + "outer/inner/").status, 201);
  const std::string inner = lock(files + "outer/inner/", "0");
  EXPECT_TRUE(has(report(*client, files + "outer/",
                         element("D:sync-collection",
                                 std::string("<D:sync-token/><D:sync-level>1</D:sync-level>") + prop)),
                  inner));
}

TEST_F(ReportLocksTest, AQueryOfOneItemLooksAtThatItem) {
  const std::string range =
      "<C:filter><C:comp-filter name='VCALENDAR'><C:comp-filter name='VEVENT'><C:time-range ";
  const auto ask = [&](const std::string& target, const std::string& time, const std::string& headers) {
    return report(*client, target,
                  element("C:calendar-query", "<D:prop><D:getetag/></D:prop>" + range + time +
                                                  "/></C:comp-filter></C:comp-filter></C:filter>"),
                  headers);
  };
  const std::string then = "start='20240101T000000Z' end='20240102T000000Z'";
  EXPECT_EQ(names(ask(calendar + "a.ics", then, "Depth: 0\r\n")), "a.ics");
  EXPECT_EQ(names(ask(calendar + "a.ics", then, "")), "a.ics");
  EXPECT_EQ(names(ask(calendar + "a.ics", "start='20250101T000000Z'", "")), "");
  EXPECT_EQ(ask(calendar + "none.ics", then, "").status, 404);
  put(*client, book + "c.vcf",
      "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:c\r\nFN:Carl\r\nN:;Carl;;;\r\nEND:VCARD\r\n");
  const auto card = [&](const std::string& text) {
    return report(
        *client, book + "c.vcf",
        element("CARD:addressbook-query",
                "<D:prop><D:getetag/></D:prop><CARD:filter><CARD:prop-filter name='FN'><CARD:text-match>" +
                    text + "</CARD:text-match></CARD:prop-filter></CARD:filter>"));
  };
  EXPECT_EQ(names(card("carl")), "c.vcf");
  EXPECT_EQ(names(card("eve")), "");
}

}  // namespace
}  // namespace pollux::testing
