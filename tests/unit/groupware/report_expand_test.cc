// expand-property (RFC 3253, 3.8) and principal-match (RFC 3744, 9.3): how clients of Apple find what a user
// has.
#include "report_fixture.h"

namespace pollux::testing {
namespace {

constexpr auto caldav = "urn:ietf:params:xml:ns:caldav";

class ExpandTest : public ReportTest {
 protected:
  static std::string property(const std::string& name, const std::string& inner = {},
                              const std::string& space = {}) {
    return "<D:property name='" + name + "'" + (space.empty() ? "" : " namespace='" + space + "'") + ">" +
           inner + "</D:property>";
  }
  HttpAnswer expand(const std::string& target, const std::string& properties) {
    auto client = connect();
    return report(client, target, element("D:expand-property", properties), "Depth: 0\r\n");
  }
  /// The one element of that name in another, or an empty one.
  static XmlElement in(const XmlElement& outer, std::string_view space, std::string_view name) {
    const auto* found = outer.child(space, name);
    return found == nullptr ? XmlElement() : *found;
  }
  static XmlElement prop_of(const XmlElement& response) {
    return in(in(response, xmlns::dav, "propstat"), xmlns::dav, "prop");
  }
};

TEST_F(ExpandTest, AUrlIsReplacedByWhatIsAskedOfTheResource) {
  const auto answer = expand(
      calendar, property("owner", property("displayname") + property("calendar-home-set", {}, caldav)) +
                    property("displayname"));
  const XmlElement own = prop_of(multistatus(answer).children.front());
  EXPECT_EQ(in(own, xmlns::dav, "displayname").text, "Calendar") << answer.body;
  const XmlElement response = in(in(own, xmlns::dav, "owner"), xmlns::dav, "response");
  EXPECT_EQ(in(response, xmlns::dav, "href").text, "/dav/principals/alice/") << answer.body;
  EXPECT_EQ(in(prop_of(response), xmlns::dav, "displayname").text, "alice");
  EXPECT_EQ(text_of(in(prop_of(response), xmlns::caldav, "calendar-home-set"), "href"),
            "/dav/calendars/alice/");
}

TEST_F(ExpandTest, LevelByLevel) {
  const auto answer = expand(
      "/dav/", property("current-user-principal",
                        property("calendar-home-set", property("owner", property("principal-URL")), caldav)));
  const XmlElement self =
      in(in(prop_of(multistatus(answer).children.front()), xmlns::dav, "current-user-principal"), xmlns::dav,
         "response");
  const XmlElement home = in(in(prop_of(self), xmlns::caldav, "calendar-home-set"), xmlns::dav, "response");
  EXPECT_EQ(in(home, xmlns::dav, "href").text, "/dav/calendars/alice/") << answer.body;
  const XmlElement owner = in(in(prop_of(home), xmlns::dav, "owner"), xmlns::dav, "response");
  EXPECT_EQ(text_of(in(prop_of(owner), xmlns::dav, "principal-URL"), "href"), "/dav/principals/alice/");
}

TEST_F(ExpandTest, WhatAResourceHasNotAndWhatIsNoUrlStayAsTheyAre) {
  const auto answer =
      expand("/dav/principals/alice/", property("group-membership", property("displayname")) +
                                           property("displayname", property("owner")) + property("none"));
  EXPECT_EQ(in(prop_of(multistatus(answer).children.front()), xmlns::dav, "displayname").text, "alice");
  EXPECT_TRUE(has(answer, "<D:none/></D:prop><D:status>HTTP/1.1 404")) << answer.body;
}

TEST_F(ExpandTest, AUrlThatLeadsNowhereOrIntoAnothersCollectionsIsToldSo) {
  pair->add_user("bob", "x");
  auto client = connect();
  ASSERT_EQ(
      client
          .request(
              "PROPPATCH", calendar, {},
              element("D:propertyupdate",
                      "<D:set><D:prop><links xmlns='urn:x'>see <D:href>/dav/calendars/alice/none/</D:href>"
                      "<D:href>/dav/calendars/bob/default/</D:href><D:href>http://elsewhere/</D:href>"
                      "<D:href>mailto:a@b</D:href></links></D:prop></D:set>"))
          .status,
      207);
  const auto answer = expand(calendar, property("links", property("displayname"), "urn:x"));
  const XmlElement links = in(prop_of(multistatus(answer).children.front()), "urn:x", "links");
  ASSERT_EQ(links.children.size(), 4U) << answer.body;
  EXPECT_EQ(links.head, "see ");
  EXPECT_EQ(in(links.children[0], xmlns::dav, "status").text, "HTTP/1.1 404 Not Found");
  EXPECT_EQ(in(links.children[1], xmlns::dav, "status").text, "HTTP/1.1 403 Forbidden");
  EXPECT_EQ(in(links.children[2], xmlns::dav, "status").text, "HTTP/1.1 404 Not Found");
  EXPECT_EQ(links.children[3].text, "mailto:a@b");
}

TEST_F(ExpandTest, ACircleEndsWithTheReport) {
  std::string circle = property("displayname");
  for (int level = 0; level < 7; ++level) circle = property("current-user-principal", circle);
  EXPECT_EQ(expand("/dav/principals/alice/", circle).status, 207);
  EXPECT_EQ(expand("/dav/principals/alice/", property("current-user-principal", circle)).status, 400);
}

TEST_F(ExpandTest, AnAnswerThatGrowsWithoutBoundIsRefused) {
  auto client = connect();
  std::string links;
  for (int count = 0; count < 50; ++count) links += "<D:href>" + calendar + "</D:href>";
  ASSERT_EQ(client
                .request("PROPPATCH", calendar, {},
                         element("D:propertyupdate",
                                 "<D:set><D:prop><l xmlns='urn:x'>" + links + "</l></D:prop></D:set>"))
                .status,
            207);
  // 2,500 responses: far too small for the limit of bytes.
  const std::string nested = property("l", property("l", property("displayname"), "urn:x"), "urn:x");
  expect_error(expand(calendar, nested), 507, "D:number-of-matches-within-limits");
}

TEST_F(ExpandTest, WhatCanNotBeReadIsRefused) {
  EXPECT_EQ(expand(calendar, "<D:property/>").status, 400);
  EXPECT_EQ(expand(calendar, property("a&gt;b")).status, 400);
  EXPECT_EQ(expand(calendar + "none.ics", property("owner")).status, 404);
  EXPECT_EQ(expand("/nowhere", property("owner")).status, 404);
  auto client = connect();
  EXPECT_EQ(report(client, calendar, element("D:expand-property", ""), "Depth: 1\r\n").status, 400);
}

TEST_F(ExpandTest, AUserFindsItself) {
  auto client = connect();
  const auto match = [&](const std::string& target, const std::string& by) {
    return report(client, target, element("D:principal-match", by + "<D:prop><D:displayname/></D:prop>"));
  };
  EXPECT_EQ(names(match("/dav/principals/", "<D:self/>")), "alice");
  EXPECT_EQ(text_of(multistatus(match("/dav/principals/alice/", "<D:self/>")), "displayname"), "alice");
  pair->add_user("bob", "x");
  EXPECT_EQ(names(match("/dav/principals/bob/", "<D:self/>")), "");
  EXPECT_EQ(match("/dav/principals/", "").status, 400);
  expect_error(match("/dav/principals/", "<D:principal-property><D:owner/></D:principal-property>"), 403,
               "D:supported-report");
  expect_error(match(calendar, "<D:self/>"), 403, "D:supported-report");
}

}  // namespace
}  // namespace pollux::testing
