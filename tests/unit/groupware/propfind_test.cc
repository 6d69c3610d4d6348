#include "dav/xml.h"
#include "gateway_fixture.h"

namespace pollux::testing {
namespace {

class PropfindTest : public GatewayTest {
 protected:
  static std::string ask(const std::string& properties) {
    return "<D:propfind xmlns:D='DAV:' xmlns:C='urn:ietf:params:xml:ns:caldav' "
           "xmlns:CS='http://calendarserver.org/ns/'><D:prop>" +
           properties + "</D:prop></D:propfind>";
  }
  /// Answers must be XML that reads back.
  static XmlElement multistatus(const HttpAnswer& answer) {
    EXPECT_EQ(answer.status, 207) << answer.body;
    auto root = parse_xml(answer.body);
    EXPECT_TRUE(root) << answer.body.substr(0, 2000);
    EXPECT_TRUE(root && root->is(xmlns::dav, "multistatus"));
    return root.value_or(XmlElement());
  }
  static bool has(const HttpAnswer& answer, const std::string& part) {
    return answer.body.find(part) != std::string::npos;
  }
};

TEST_F(PropfindTest, TheRootTellsWhoIsLoggedIn) {
  auto client = connect();
  for (const auto* target : {"/", "/dav/", "/dav"}) {
    const auto answer = client.request("PROPFIND", target, "Depth: 0\r\n",
                                       ask("<D:current-user-principal/><D:resourcetype/>"));
    multistatus(answer);
    EXPECT_TRUE(
        has(answer,
            "<D:current-user-principal><D:href>/dav/principals/alice/</D:href></D:current-user-principal>"));
    EXPECT_TRUE(has(answer, "<D:resourcetype><D:collection/></D:resourcetype>"));
  }
}

TEST_F(PropfindTest, ThePrincipalTellsWhereTheCalendarsAre) {
  auto client = connect();
  const auto answer =
      client.request("PROPFIND", "/dav/principals/alice/", "Depth: 0\r\n",
                     ask("<C:calendar-home-set/><D:principal-URL/><D:displayname/><D:resourcetype/>"));
  EXPECT_TRUE(
      has(answer, "<C:calendar-home-set><D:href>/dav/calendars/alice/</D:href></C:calendar-home-set>"));
  EXPECT_TRUE(has(answer, "<D:principal-URL><D:href>/dav/principals/alice/</D:href></D:principal-URL>"));
  EXPECT_TRUE(has(answer, "<D:displayname>alice</D:displayname>"));
  EXPECT_TRUE(has(answer, "<D:collection/><D:principal/>"));
}

TEST_F(PropfindTest, TheHomeListsItsCalendars) {
  auto client = connect();
  const auto answer = client.request(
      "PROPFIND", "/dav/calendars/alice/", "Depth: 1\r\n",
      ask("<D:resourcetype/><D:displayname/><C:supported-calendar-component-set/><CS:getctag/><D:owner/>"
          "<D:supported-report-set/>"));
  const auto root = multistatus(answer);
  ASSERT_EQ(root.children.size(), 3U);  // and the task list
  EXPECT_EQ(root.children[0].child("DAV:", "href")->text, "/dav/calendars/alice/");
  EXPECT_EQ(root.children[1].child("DAV:", "href")->text, calendar);
  EXPECT_TRUE(has(answer, "<D:resourcetype><D:collection/><C:calendar/></D:resourcetype>"));
  EXPECT_TRUE(has(answer, "<C:comp name=\"VEVENT\"/><C:comp name=\"VTODO\"/><C:comp name=\"VJOURNAL\"/>"));
  EXPECT_TRUE(has(answer, "<D:owner><D:href>/dav/principals/alice/</D:href></D:owner>"));
  EXPECT_TRUE(has(answer, "<D:report><C:calendar-query/></D:report>"));
}

TEST_F(PropfindTest, ACalendarListsItsItemsWithTheirTags) {
  auto client = connect();
  const auto put = client.request("PUT", calendar + "a.ics", {}, event("a"));
  const auto answer = client.request("PROPFIND", calendar, "Depth: 1\r\n",
                                     ask("<D:getetag/><D:getcontentlength/><D:getcontenttype/"
                                         "><D:getlastmodified/><D:creationdate/><D:resourcetype/>"));
  const auto root = multistatus(answer);
  ASSERT_EQ(root.children.size(), 2U);
  std::string tag;
  append_escaped(&tag, put.header("etag"));
  EXPECT_TRUE(has(answer, "<D:getetag>" + tag + "</D:getetag>"));
  EXPECT_TRUE(
      has(answer, "<D:getcontentlength>" + std::to_string(event("a").size()) + "</D:getcontentlength>"));
  EXPECT_TRUE(has(answer, "component=vevent</D:getcontenttype>"));
  EXPECT_TRUE(has(answer, "<D:creationdate>2023-11-14T22:13:20Z</D:creationdate>"));
  EXPECT_TRUE(has(answer, "<D:getlastmodified>Tue, 14 Nov 2023 22:13:20 GMT</D:getlastmodified>"));
  const auto item = client.request("PROPFIND", calendar + "a.ics", "Depth: 0\r\n");
  EXPECT_TRUE(has(item, tag));
  EXPECT_TRUE(has(item, "<D:resourcetype/>"));
  EXPECT_EQ(client.request("PROPFIND", calendar + "a.ics/", "Depth: 0\r\n").status, 404);
  EXPECT_EQ(client.request("PROPFIND", calendar + "b.ics", "Depth: 0\r\n").status, 404);
  EXPECT_EQ(client.request("PROPFIND", "/dav/calendars/alice/nowhere/x", "Depth: 0\r\n").status, 404);
}

TEST_F(PropfindTest, UnknownPropertiesAreTold404) {
  auto client = connect();
  const auto answer =
      client.request("PROPFIND", calendar, "Depth: 0\r\n",
                     ask("<D:displayname/><X:color xmlns:X='urn:x&quot;&lt;'/><plain/><D:getetag/>"));
  const auto root = multistatus(answer);
  const auto& response = root.children.at(0);
  std::size_t missing = 0;
  for (const auto& propstat : response.children) {
    const auto* status = propstat.child("DAV:", "status");
    if (status == nullptr || status->text != "HTTP/1.1 404 Not Found") continue;
    missing = propstat.child("DAV:", "prop")->children.size();
    EXPECT_EQ(propstat.child("DAV:", "prop")->children[0].name, (XmlName{"urn:x\"<", "color"}));
    EXPECT_EQ(propstat.child("DAV:", "prop")->children[1].name, (XmlName{"", "plain"}));
  }
  EXPECT_EQ(missing, 3U);
}

TEST_F(PropfindTest, AllpropAndPropname) {
  auto client = connect();
  const auto all = client.request("PROPFIND", calendar, "Depth: 0\r\n");
  multistatus(all);
  EXPECT_TRUE(has(all, "<D:displayname>Calendar</D:displayname>"));
  EXPECT_FALSE(has(all, "404"));
  EXPECT_FALSE(has(all, "getctag"));
  const auto names =
      client.request("PROPFIND", calendar, "Depth: 0\r\n", "<propfind xmlns='DAV:'><propname/></propfind>");
  multistatus(names);
  EXPECT_TRUE(has(names, "<D:displayname/>"));
  EXPECT_TRUE(has(names, "<CS:getctag/>"));
  EXPECT_FALSE(has(names, "Calendar<"));
}

TEST_F(PropfindTest, TheCtagChangesWithTheContent) {
  auto client = connect();
  const auto ctag = [&] {
    return client.request("PROPFIND", calendar, "Depth: 0\r\n", ask("<CS:getctag/>")).body;
  };
  const auto empty = ctag();
  EXPECT_EQ(ctag(), empty);
  client.request("PUT", calendar + "a.ics", {}, event("a"));
  const auto one = ctag();
  EXPECT_NE(one, empty);
  client.request("DELETE", calendar + "a.ics");
  EXPECT_NE(ctag(), one);
  EXPECT_NE(ctag(), empty);
}

TEST_F(PropfindTest, InfiniteDepthIsRefusedWhereEverybodysCollectionsAre) {
  auto client = connect();
  client.request("PUT", calendar + "a.ics", {}, event("a"));
  for (const auto& target : {std::string("/"), std::string("/dav/calendars/"), std::string("/dav/principals/")}) {
    for (const char* depth : {"", "Depth: infinity\r\n", "Depth: Infinity\r\n"}) {
      const auto answer = client.request("PROPFIND", target, depth);
      EXPECT_EQ(answer.status, 403) << target << depth;
      EXPECT_TRUE(has(answer, "<D:propfind-finite-depth/>"));
    }
  }
  EXPECT_EQ(client.request("PROPFIND", calendar + "a.ics").status, 207);  // there is nothing below an item
  EXPECT_EQ(client.request("PROPFIND", calendar, "Depth: 2\r\n").status, 400);
}

TEST_F(PropfindTest, VirtualCollectionsListWhatIsThere) {
  auto client = connect();
  EXPECT_EQ(multistatus(client.request("PROPFIND", "/dav/", "Depth: 1\r\n")).children.size(), 5U);
  EXPECT_EQ(multistatus(client.request("PROPFIND", "/dav/principals/", "Depth: 1\r\n")).children.size(), 2U);
  EXPECT_EQ(multistatus(client.request("PROPFIND", "/dav/calendars/", "Depth: 1\r\n")).children.size(), 2U);
  EXPECT_EQ(multistatus(client.request("PROPFIND", "/dav/calendars/", "Depth: 0\r\n")).children.size(), 1U);
  EXPECT_EQ(client.request("PROPFIND", "/nothing/", "Depth: 0\r\n").status, 404);
}

TEST_F(PropfindTest, BrokenBodiesAreRefused) {
  auto client = connect();
  for (const char* body : {"<broken", "<a/>", "<propfind xmlns='DAV:'/>"}) {
    EXPECT_EQ(client.request("PROPFIND", calendar, "Depth: 0\r\n", body).status, 400) << body;
  }
}

TEST_F(PropfindTest, ALargeCalendarIsListedWhole) {
  auto client = connect();
  constexpr int count = 2500;  // more than a page
  for (int number = 0; number < count; ++number) {
    const auto name = std::to_string(number);
    pair->now(GroupwareRequest(PutItem{.caller = {"alice", 0},
                                       .path = {DavSpace::calendars, "alice", {"default", name}},
                                       .when = {},
                                       .content = "c",
                                       .content_type = "t",
                                       .uid = name,
                                       .component = "VEVENT"}));
  }
  const auto answer = client.request("PROPFIND", calendar, "Depth: 1\r\n", ask("<D:getetag/>"));
  EXPECT_EQ(multistatus(answer).children.size(), count + 1U);
}

}  // namespace
}  // namespace pollux::testing
