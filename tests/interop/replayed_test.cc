// What clients ask that can't be run here: the requests of iOS, macOS and DAVx5, as their makers and users
// have documented them, in their order, with their properties and headers.
#include <gmock/gmock.h>

#include <functional>

#include "interop/groupware_pair.h"

namespace pollux::testing {
namespace {

using ::testing::HasSubstr;

struct Step {
  std::string method, path;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  int status;
  std::vector<std::string> told;  ///< parts of the answer, its head included
};

std::string properties(const std::string& names) {
  std::string all;
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t end = std::min(names.find(' ', at), names.size());
    all += "<" + names.substr(at, end - at) + "/>";
    at = end + 1;
  }
  return all;
}
std::string document(const std::string& root, const std::string& inside) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<" + root +
         " xmlns:A=\"DAV:\" xmlns:B=\"urn:ietf:params:xml:ns:caldav\" "
         "xmlns:C=\"http://calendarserver.org/ns/\""
         " xmlns:D=\"http://apple.com/ns/ical/\" xmlns:E=\"http://me.com/_namespace/\""
         " xmlns:F=\"urn:ietf:params:xml:ns:carddav\">" +
         inside + "</" + root + ">";
}
std::string propfind(const std::string& names) {
  return document("A:propfind", "<A:prop>" + properties(names) + "</A:prop>");
}
std::string event(const std::string& uid, const std::string& summary) {
  return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Apple Inc.//iOS "
         "17.0//EN\r\nCALSCALE:GREGORIAN\r\nBEGIN:VTIMEZONE\r\nTZID:"
         "Europe/"
         "Berlin\r\nBEGIN:DAYLIGHT\r\nDTSTART:19810329T020000\r\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-"
         "1SU\r\nTZNAME:GMT+2\r\n"
         "TZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\nEND:DAYLIGHT\r\nBEGIN:STANDARD\r\nDTSTART:"
         "19961027T030000\r\nRRULE:FREQ=YEARLY;"
         "BYMONTH=10;BYDAY=-1SU\r\nTZNAME:GMT+1\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nEND:"
         "STANDARD\r\nEND:VTIMEZONE\r\n"
         "BEGIN:VEVENT\r\nCREATED:20260101T000000Z\r\nUID:" +
         uid +
         "\r\nDTSTAMP:20260101T000000Z\r\nDTSTART;TZID=Europe/Berlin:20260315T100000\r\nDTEND;TZID=Europe/"
         "Berlin:"
         "20260315T110000\r\nSUMMARY:" +
         summary +
         "\r\nX-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC\r\nTRANSP:OPAQUE\r\nSEQUENCE:0\r\nEND:VEVENT\r\nEND:"
         "VCALENDAR\r\n";
}
std::string card(const std::string& uid, const std::string& name) {
  return "BEGIN:VCARD\r\nVERSION:3.0\r\nPRODID:-//Apple Inc.//iOS 17.0//EN\r\nN:" + name +
         ";;;;\r\nFN:" + name +
         "\r\nitem1.TEL;type=pref:+49 30 1\r\nitem1.X-ABLabel:_$!<HomePage>!$_\r\nUID:" + uid +
         "\r\nEND:VCARD\r\n";
}

class ReplayedTest : public GroupwarePair {
 protected:
  const std::string self = "/dav/principals/anna/", home = "/dav/calendars/anna/",
                    books = "/dav/contacts/anna/";

  void replay(const std::vector<Step>& steps) {
    for (const auto& step : steps) {
      SCOPED_TRACE(step.method + " " + step.path);
      const auto answer = client().send(step.method, step.path, step.body, step.headers);
      EXPECT_EQ(answer.status, step.status) << answer.body;
      for (const auto& part : step.told) EXPECT_THAT(answer.head + "\n" + answer.body, HasSubstr(part));
    }
  }
  /// Undisturbed, and then, with other names, while the primary is killed after each half of the steps.
  void replay_twice(const std::function<std::vector<Step>(const std::string& name)>& steps) {
    replay(steps("one"));
    remember();
    const auto all = steps("two");
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    kill_member(primary());
    replay({all.begin(), middle});
    wait_in_sync();
    kill_member(primary());
    replay({middle, all.end()});
    expect_remembered();
  }
  static const std::pair<std::string, std::string> xml, depth0, depth1, brief, ios;
};
const std::pair<std::string, std::string> ReplayedTest::xml{"Content-Type", "text/xml"},
    ReplayedTest::depth0{"Depth", "0"}, ReplayedTest::depth1{"Depth", "1"}, ReplayedTest::brief{"Brief", "t"},
    ReplayedTest::ios{"User-Agent", "iOS/17.0 (21A329) dataaccessd/1.0"};

TEST_F(ReplayedTest, CalendarsOfIosAndMacos) {
  replay_twice([this](const std::string& name) -> std::vector<Step> {
    const std::string own = home + name + "/", item = own + name + ".ics";
    return {
        // Where am I, who am I?
        {"PROPFIND",
         "/.well-known/caldav",
         {xml, depth0, brief, ios},
         propfind("A:current-user-principal A:principal-URL A:resourcetype"),
         301,
         {"Location: /dav/"}},
        {"PROPFIND",
         "/dav/",
         {xml, depth0, brief, ios},
         propfind("A:current-user-principal A:principal-URL A:resourcetype"),
         207,
         {"<D:current-user-principal><D:href>" + self}},
        {"OPTIONS", self, {ios}, "", 200, {"DAV: 1, 2, 3, calendar-access, addressbook"}},
        {"PROPFIND",
         self,
         {xml, depth0, brief, ios},
         propfind("B:calendar-home-set B:calendar-user-address-set A:current-user-principal A:displayname "
                  "C:dropbox-home-URL "
                  "C:email-address-set B:schedule-inbox-URL B:schedule-outbox-URL C:notification-URL "
                  "A:principal-collection-set A:principal-URL A:resource-id A:supported-report-set"),
         207,
         {"<C:calendar-home-set><D:href>" + home, "<D:principal-property-search/>", "<D:expand-property/>"}},
        {"REPORT",
         "/dav/principals/",
         {xml, depth0, ios},
         document("A:principal-search-property-set", ""),
         200,
         {"<D:principal-search-property>"}},
        {"REPORT",
         self,
         {xml, depth0, ios},
         document(
             "A:expand-property",
             "<A:property name=\"calendar-proxy-write-for\" "
             "namespace=\"http://calendarserver.org/ns/\"><A:property "
             "name=\"displayname\" namespace=\"DAV:\"/></A:property><A:property name=\"calendar-home-set\" "
             "namespace=\"urn:ietf:params:xml:ns:caldav\"><A:property name=\"displayname\" "
             "namespace=\"DAV:\"/></A:property>"),
         207,
         {"<C:calendar-home-set><D:response><D:href>" + home, "Calendars of anna"}},
        // What is there?
        {"PROPFIND",
         home,
         {xml, depth1, brief, ios},
         propfind(
             "A:add-member C:allowed-sharing-modes D:autoprovisioned E:bulk-requests D:calendar-color "
             "B:calendar-description "
             "B:calendar-free-busy-set D:calendar-order B:calendar-timezone A:current-user-privilege-set "
             "B:default-alarm-vevent-date B:default-alarm-vevent-datetime A:displayname C:getctag C:invite "
             "D:language-code "
             "D:location-code B:max-attendees-per-instance A:owner C:pre-publish-url C:publish-url "
             "C:push-transports "
             "C:pushkey A:quota-available-bytes A:quota-used-bytes D:refreshrate A:resource-id "
             "A:resourcetype "
             "B:schedule-calendar-transp B:schedule-default-calendar-URL C:source C:subscribed-strip-alarms "
             "B:supported-calendar-component-set B:supported-calendar-component-sets A:supported-report-set "
             "A:sync-token"),
         207,
         {"<C:calendar/>", "<CS:getctag>", "<D:sync-token>", "<C:comp name=\"VEVENT\"/>",
          "<D:sync-collection/>"}},
        {"PROPPATCH",
         home,
         {xml, ios},
         document("A:propertyupdate",
                  "<A:set><A:prop><B:default-alarm-vevent-date>BEGIN:VALARM\nX-WR-ALARMUID:1\nACTION:NONE\n"
                  "TRIGGER;VALUE=DATE-TIME:19760401T005545Z\nEND:VALARM\n</B:default-alarm-vevent-date>"
                  "</A:prop></A:set>"),
         207,
         {"200 OK"}},
        // A calendar of one's own.
        {"MKCALENDAR",
         own,
         {xml, ios},
         document("B:mkcalendar",
                  "<A:set><A:prop><B:supported-calendar-component-set><B:comp "
                  "name=\"VEVENT\"/></B:supported-calendar-component-set>"
                  "<A:displayname>Work</A:displayname><D:calendar-color "
                  "symbolic-color=\"red\">#FF2968FF</D:calendar-color>"
                  "<D:calendar-order>1</D:calendar-order><B:calendar-free-busy-set><YES "
                  "xmlns=\"urn:ietf:params:xml:ns:caldav\"/>"
                  "</B:calendar-free-busy-set></A:prop></A:set>"),
         201,
         {}},
        {"PROPFIND",
         own,
         {xml, depth0, brief, ios},
         propfind("D:calendar-color D:calendar-order C:getctag A:sync-token"),
         207,
         {"#FF2968FF", "<A:calendar-order>1<"}},
        {"PUT",
         item,
         {{"Content-Type", "text/calendar"}, {"If-None-Match", "*"}, ios},
         event(name, "Tea"),
         201,
         {"ETag: \""}},
        {"PUT",
         item,
         {{"Content-Type", "text/calendar"}, {"If-None-Match", "*"}, ios},
         event(name, "Tea"),
         412,
         {}},
        {"PROPFIND",
         own,
         {xml, depth1, brief, ios},
         propfind("A:getcontenttype A:getetag"),
         207,
         {name + ".ics</D:href>"}},
        {"REPORT",
         own,
         {xml, depth1, ios},
         document(
             "A:sync-collection",
             "<A:sync-token/><A:sync-level>1</A:sync-level><A:prop><A:getcontenttype/><A:getetag/></A:prop>"),
         207,
         {name + ".ics</D:href>", "<D:sync-token>"}},
        {"REPORT",
         own,
         {xml, depth1, ios},
         document(
             "B:calendar-query",
             "<A:prop><A:getetag/><A:getcontenttype/></A:prop><B:filter><B:comp-filter name=\"VCALENDAR\">"
             "<B:comp-filter name=\"VEVENT\"><B:time-range start=\"20260301T000000Z\"/></B:comp-filter>"
             "</B:comp-filter></B:filter>"),
         207,
         {name + ".ics</D:href>"}},
        {"REPORT",
         own,
         {xml, depth1, brief, ios},
         document("B:calendar-multiget",
                  "<A:prop><A:getetag/><B:calendar-data/><C:updated-by/><C:created-by/></A:prop><A:href>" +
                      item + "</A:href><A:href>" + own + "gone.ics</A:href>"),
         207,
         {"SUMMARY:Tea", "gone.ics</D:href><D:status>HTTP/1.1 404"}},
        {"REPORT",
         own,
         {xml, ios},
         document("B:free-busy-query", "<B:time-range start=\"20260315T000000Z\" end=\"20260316T000000Z\"/>"),
         200,
         {"FREEBUSY:20260315T090000Z/20260315T100000Z"}},
        {"DELETE", item, {{"If-Match", "\"another\""}, ios}, "", 412, {}},
        {"DELETE", own, {ios}, "", 204, {}},
    };
  });
}

TEST_F(ReplayedTest, ContactsOfIosAndMacos) {
  replay_twice([this](const std::string& name) -> std::vector<Step> {
    const std::string book = books + "default/", item = book + name + ".vcf";
    return {
        {"PROPFIND",
         "/.well-known/carddav",
         {xml, depth0, ios},
         propfind("A:current-user-principal"),
         301,
         {"Location: /dav/"}},
        {"PROPFIND",
         self,
         {xml, depth0, brief, ios},
         propfind("F:addressbook-home-set F:directory-gateway A:displayname C:email-address-set "
                  "A:principal-collection-set "
                  "A:principal-URL A:resource-id A:supported-report-set"),
         207,
         {"<CARD:addressbook-home-set><D:href>" + books}},
        {"PROPFIND",
         books,
         {xml, depth1, brief, ios},
         propfind("A:add-member E:bulk-requests A:current-user-privilege-set A:displayname F:max-image-size "
                  "F:max-resource-size "
                  "C:me-card A:owner C:push-transports C:pushkey A:quota-available-bytes A:quota-used-bytes "
                  "A:resource-id "
                  "A:resourcetype A:supported-report-set A:sync-token C:getctag"),
         207,
         {"<CARD:addressbook/>", "<CARD:addressbook-multiget/>"}},
        {"PUT",
         item,
         {{"Content-Type", "text/vcard; charset=utf-8"}, {"If-None-Match", "*"}, ios},
         card(name, "Ada"),
         201,
         {"ETag: \""}},
        {"REPORT",
         book,
         {xml, depth1, ios},
         document("A:sync-collection",
                  "<A:sync-token/><A:sync-level>1</A:sync-level><A:prop><A:getetag/></A:prop>"),
         207,
         {name + ".vcf</D:href>"}},
        {"REPORT",
         book,
         {xml, depth1, ios},
         document("F:addressbook-multiget",
                  "<A:prop><A:getetag/><F:address-data/></A:prop><A:href>" + item + "</A:href>"),
         207,
         {"item1.X-ABLabel:_$!&lt;HomePage&gt;!$_"}},
        {"REPORT",
         book,
         {xml, depth1, ios},
         document("F:addressbook-query",
                  "<A:prop><A:getetag/><F:address-data><F:prop "
                  "name=\"FN\"/></F:address-data></A:prop><F:filter test=\"anyof\">"
                  "<F:prop-filter name=\"FN\"><F:text-match collation=\"i;unicode-casemap\" "
                  "match-type=\"contains\">ad"
                  "</F:text-match></F:prop-filter></F:filter><F:limit><F:nresults>50</F:nresults></F:limit>"),
         207,
         {"FN:Ada"}},
        {"DELETE", item, {ios}, "", 204, {}},
    };
  });
}

TEST_F(ReplayedTest, Davx5) {
  replay_twice([this](const std::string& name) -> std::vector<Step> {
    const std::pair<std::string, std::string> agent{
        "User-Agent", "DAVx5/4.3 (2023/01/01; dav4jvm; okhttp/4.10) Android/13"};
    const std::string own = home + name + "/", item = own + name + ".ics", book = books + name + "/";
    return {
        {"PROPFIND",
         "/.well-known/caldav",
         {xml, depth0, agent},
         propfind("A:resourcetype A:displayname D:calendar-color B:calendar-description B:calendar-timezone "
                  "A:current-user-privilege-set B:supported-calendar-component-set B:calendar-home-set "
                  "A:current-user-principal"),
         301,
         {"Location: /dav/"}},
        {"OPTIONS", "/dav/", {agent}, "", 200, {"calendar-access", "addressbook"}},
        {"PROPFIND",
         self,
         {xml, depth0, agent},
         propfind(
             "B:calendar-home-set C:calendar-proxy-read-for C:calendar-proxy-write-for A:group-membership "
             "F:addressbook-home-set B:calendar-user-address-set"),
         207,
         {"<C:calendar-home-set><D:href>" + home, "<CARD:addressbook-home-set><D:href>" + books,
          "<D:group-membership/>"}},
        {"MKCOL",
         own,
         {xml, agent},
         document(
             "A:mkcol",
             "<A:set><A:prop><A:resourcetype><A:collection/><B:calendar/></A:resourcetype><A:displayname>Work"
             "</A:displayname><D:calendar-color>#FF0000FF</"
             "D:calendar-color><B:supported-calendar-component-set>"
             "<B:comp name=\"VEVENT\"/><B:comp "
             "name=\"VTODO\"/></B:supported-calendar-component-set></A:prop></A:set>"),
         201,
         {}},
        {"MKCOL",
         book,
         {xml, agent},
         document(
             "A:mkcol",
             "<A:set><A:prop><A:resourcetype><A:collection/><F:addressbook/></"
             "A:resourcetype><A:displayname>People"
             "</A:displayname><F:addressbook-description>Mine</F:addressbook-description></A:prop></A:set>"),
         201,
         {}},
        {"PROPFIND",
         home,
         {xml, depth1, agent},
         propfind("A:resourcetype A:displayname D:calendar-color B:calendar-description B:calendar-timezone "
                  "A:current-user-privilege-set B:supported-calendar-component-set A:owner C:source"),
         207,
         {own, "#FF0000FF", "<C:comp name=\"VTODO\"/>"}},
        {"PROPFIND",
         own,
         {xml, depth0, agent},
         propfind("B:max-resource-size C:getctag A:sync-token A:supported-report-set"),
         207,
         {"<C:max-resource-size>", "<D:sync-collection/>"}},
        {"PUT",
         item,
         {{"Content-Type", "text/calendar; charset=utf-8"}, {"If-None-Match", "*"}, agent},
         event(name, "Tea"),
         201,
         {"ETag: \""}},
        {"REPORT",
         own,
         {xml, depth1, agent},
         document("B:calendar-query",
                  "<A:prop><A:getetag/></A:prop><B:filter><B:comp-filter name=\"VCALENDAR\"><B:comp-filter "
                  "name=\"VEVENT\"><B:time-range start=\"20251201T000000Z\"/></B:comp-filter></B:comp-filter>"
                  "</B:filter>"),
         207,
         {name + ".ics"}},
        {"REPORT",
         own,
         {xml, depth0, agent},
         document("A:sync-collection",
                  "<A:sync-token/><A:sync-level>1</A:sync-level><A:prop><A:getetag/></A:prop>"),
         207,
         {name + ".ics"}},
        {"REPORT",
         own,
         {xml, agent},
         document("B:calendar-multiget",
                  "<A:prop><A:getcontenttype/><A:getetag/><B:schedule-tag/><B:calendar-data "
                  "content-type=\"text/calendar\" version=\"2.0\"/></A:prop><A:href>" +
                      item + "</A:href>"),
         207,
         {"SUMMARY:Tea", "component=vevent"}},
        {"PUT",
         book + "a.vcf",
         {{"Content-Type", "text/vcard; charset=utf-8"}, {"If-None-Match", "*"}, agent},
         card(name, "Ada"),
         201,
         {}},
        {"REPORT",
         book,
         {xml, agent},
         document("F:addressbook-multiget",
                  "<A:prop><A:getcontenttype/><A:getetag/><F:address-data content-type=\"text/vcard\" "
                  "version=\"4.0\"/></A:prop><A:href>" +
                      book + "a.vcf</A:href>"),
         207,
         {"FN:Ada"}},
        {"DELETE", own, {agent}, "", 204, {}},
        {"DELETE", book, {agent}, "", 204, {}},
    };
  });
}

}  // namespace
}  // namespace pollux::testing
