#include "gateway_fixture.h"

namespace pollux::testing {
namespace {

class MkcalendarTest : public GatewayTest {
 protected:
  static std::string body(const std::string& properties) {
    return "<C:mkcalendar xmlns:D='DAV:' xmlns:C='urn:ietf:params:xml:ns:caldav'><D:set><D:prop>" +
           properties + "</D:prop></D:set></C:mkcalendar>";
  }
  static std::string ask(const std::string& property) {
    return "<propfind xmlns='DAV:'><prop>" + property + "</prop></propfind>";
  }
};

TEST_F(MkcalendarTest, ACalendarIsMadeAndUsed) {
  auto client = connect();
  EXPECT_EQ(client.request("MKCALENDAR", "/dav/calendars/alice/work").status, 201);
  EXPECT_EQ(client.request("PUT", "/dav/calendars/alice/work/a.ics", {}, event("a")).status, 201);
  const auto listed = client.request("PROPFIND", "/dav/calendars/alice/", "Depth: 1\r\n");
  EXPECT_NE(listed.body.find("<D:href>/dav/calendars/alice/work/</D:href>"), std::string::npos);
}

TEST_F(MkcalendarTest, ItsPropertiesAreKept) {
  auto client = connect();
  const auto made = client.request(
      "MKCALENDAR", "/dav/calendars/alice/work/", {},
      body("<D:displayname>Büro &amp; mehr</D:displayname><C:calendar-description>What I "
           "do</C:calendar-description>"
           "<C:supported-calendar-component-set><C:comp name='VTODO'/></C:supported-calendar-component-set>"
           "<A:calendar-color xmlns:A='http://apple.com/ns/ical/'>#ff0000</A:calendar-color>"
           "<X:mood xmlns:X='urn:x' level='3'>good<X:very/></X:mood>"));
  ASSERT_EQ(made.status, 201) << made.body;
  const auto found =
      client.request("PROPFIND", "/dav/calendars/alice/work/", "Depth: 0\r\n",
                     ask("<displayname/><x:calendar-description xmlns:x='urn:ietf:params:xml:ns:caldav'/>"
                         "<x:supported-calendar-component-set xmlns:x='urn:ietf:params:xml:ns:caldav'/>"
                         "<x:calendar-color xmlns:x='http://apple.com/ns/ical/'/><x:mood xmlns:x='urn:x'/>"));
  for (const char* part :
       {"<D:displayname>Büro &amp; mehr</D:displayname>",
        "<C:calendar-description>What I do</C:calendar-description>",
        "<C:supported-calendar-component-set><C:comp name=\"VTODO\"/></C:supported-calendar-component-set>",
        "<A:calendar-color>#ff0000</A:calendar-color>", "<x:mood xmlns:x=\"urn:x\" level=\"3\">good"}) {
    EXPECT_NE(found.body.find(part), std::string::npos) << part << "\n" << found.body;
  }
  EXPECT_EQ(found.body.find("404"), std::string::npos);
  const auto event_refused = client.request("PUT", "/dav/calendars/alice/work/a.ics", {}, event("a"));
  EXPECT_EQ(event_refused.status, 403);
  EXPECT_NE(event_refused.body.find("C:supported-calendar-component"), std::string::npos);
}

TEST_F(MkcalendarTest, RefusalsNameTheirPrecondition) {
  auto client = connect();
  const auto refused = [&](const std::string& target, int status, const std::string& element,
                           const std::string& xml = {}) {
    const auto answer = client.request("MKCALENDAR", target, {}, xml);
    EXPECT_EQ(answer.status, status) << target;
    EXPECT_NE(answer.body.find(element), std::string::npos) << answer.body;
  };
  refused(calendar, 403, "<D:resource-must-be-null/>");
  refused(calendar + "inside/", 403, "<C:calendar-collection-location-ok/>");
  refused("/dav/other/", 403, "<C:calendar-collection-location-ok/>");
  refused("/dav/calendars/alice/", 403, "<D:resource-must-be-null/>");
  refused("/dav/calendars/alice/no/where/", 409, "make it first");
  refused("/dav/calendars/alice/x/", 403, "<D:cannot-modify-protected-property/>",
          body("<D:getetag>x</D:getetag>"));
  refused("/dav/calendars/alice/x/", 403, "<C:supported-calendar-component/>",
          body("<C:supported-calendar-component-set><C:comp "
               "name='VFREEBUSY'/></C:supported-calendar-component-set>"));
  refused("/dav/calendars/alice/x/", 400, "XML", "<broken");
  refused("/dav/calendars/alice/x/", 415, "CALDAV:mkcalendar", "<a/>");
  EXPECT_EQ(client.request("PROPFIND", "/dav/calendars/alice/x/", "Depth: 0\r\n").status, 404);
}

}  // namespace
}  // namespace pollux::testing
