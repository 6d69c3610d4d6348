// What is refused: by its status, its element, and a sentence.
#include "integration/hard_cases_fixture.h"

namespace pollux::testing {
namespace {

using ::testing::HasSubstr;

TEST_F(HardCasesTest, WhatIsNoItemIsRefusedByNameAndWithASentence) {
  put(calendar() + "there.ics", event("there"));
  const std::string whole = event("new");
  const auto without = [&](const std::string& part) {
    std::string text = whole;
    return text.erase(text.find(part), part.size());
  };
  const auto with = [&](const std::string& after, const std::string& more) {
    std::string text = whole;
    return text.insert(text.find(after) + after.size(), more);
  };

  struct Row {
    std::string what, body, element;
    int status = 403;
  };
  const std::vector<Row> rows{
      {"nothing", "", "C:valid-calendar-data"},
      {"a page", "<html>", "C:valid-calendar-data"},
      {"cut off", whole.substr(0, whole.size() - 20), "C:valid-calendar-data"},
      {"no UTF-8", with("PRODID:", "\xff"), "C:valid-calendar-data"},
      {"a control character", with("PRODID:", "\x01"), "C:valid-calendar-data"},
      {"a day that is none", event("new", "DTSTART:20260230T100000Z\r\n"), "C:valid-calendar-data"},
      {"a rule that is none", event("new", "DTSTART:20260201T100000Z\r\nRRULE:FREQ=NEVER\r\n"),
       "C:valid-calendar-data"},
      {"no DTSTART", event("new", ""), "C:valid-calendar-data"},
      {"no UID", without("UID:new\r\n"), "C:valid-calendar-object-resource"},
      {"an empty UID", event(""), "C:valid-calendar-object-resource"},
      {"two UIDs",
       with("END:VEVENT\r\n", "BEGIN:VEVENT\r\nUID:other\r\nDTSTART:20260315T100000Z\r\nEND:VEVENT\r\n"),
       "C:valid-calendar-object-resource"},
      {"a METHOD", with("VERSION:2.0\r\n", "METHOD:REQUEST\r\n"), "C:valid-calendar-object-resource"},
      {"two calendars", whole + whole, "C:valid-calendar-object-resource"},
      {"two kinds", with("END:VEVENT\r\n", "BEGIN:VTODO\r\nUID:new\r\nEND:VTODO\r\n"),
       "C:valid-calendar-object-resource"},
      {"only a time zone", "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n",
       "C:valid-calendar-object-resource"},
      {"a VFREEBUSY", object("VFREEBUSY", "new", ""), "C:supported-calendar-component"},
      {"a UID that is elsewhere", event("there"), "C:no-uid-conflict", 409},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    const auto answer = client().send("PUT", calendar() + "new.ics", row.body, is_calendar);
    EXPECT_EQ(answer.status, row.status) << answer.body;
    EXPECT_THAT(answer.body, HasSubstr("<" + row.element)) << answer.body;
    EXPECT_THAT(answer.body, ::testing::ContainsRegex("<P:message[^>]*>[A-Z][^<]+[.]")) << answer.body;
    EXPECT_EQ(client().send("GET", calendar() + "new.ics").status, 404);
  }
  EXPECT_EQ(client().send("PUT", calendar() + "there.ics", event("other"), is_calendar).status, 409);
  EXPECT_EQ(client().send("GET", calendar() + "there.ics").body, event("there"));
}

TEST_F(HardCasesTest, EveryRefusalThatTheRfcsNameHasItsElement) {
  const std::string home = std::string("/dav/calendars/") + user + "/";
  const std::string books = std::string("/dav/contacts/") + user + "/",
                    files = std::string("/dav/files/") + user + "/";
  const std::string tasks = home + "tasks/", book = books + "default/";
  const Headers card{{"Content-Type", "text/vcard"}}, plain{{"Content-Type", "text/plain"}};
  const auto vcard = [](const std::string& version, const std::string& uid) {
    return "BEGIN:VCARD\r\nVERSION:" + version + "\r\nUID:" + uid + "\r\nFN:A\r\nN:A;;;;\r\nEND:VCARD\r\n";
  };
  put(calendar() + "a.ics", event("a"));
  ASSERT_EQ(client().send("PUT", book + "a.vcf", vcard("3.0", "a"), card).status, 201);
  ASSERT_EQ(client().send("PUT", files + "a.txt", "a", plain).status, 201);
  ASSERT_EQ(client().send("PUT", files + "locked.txt", "a", plain).status, 201);
  const std::string lock =
      "<D:lockinfo xmlns:D='DAV:'><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/>"
      "</D:locktype></D:lockinfo>";
  ASSERT_EQ(client().send("LOCK", files + "locked.txt", lock).status, 200);
  const auto filter = [](const std::string& inside) {
    return xml("C:calendar-query", "<D:prop/><C:filter><C:comp-filter name='VCALENDAR'>" + inside +
                                       "</C:comp-filter></C:filter>");
  };
  const auto cards = [](const std::string& inside, const std::string& data = "<D:getetag/>") {
    return "<A:addressbook-query xmlns:D='DAV:' xmlns:A='urn:ietf:params:xml:ns:carddav'><D:prop>" + data +
           "</D:prop><A:filter" + inside + "</A:filter></A:addressbook-query>";
  };
  const auto patch = [](const std::string& property) {
    return xml("D:propertyupdate", "<D:set><D:prop>" + property + "</D:prop></D:set>");
  };
  struct Row {
    const char* rfc;
    std::string method, path, body;
    Headers headers;
    int status;
    std::string element;
  };
  const std::vector<Row> rows{
      // RFC 4918, 16
      {"4918 lock-token-submitted", "PUT", files + "locked.txt", "b", plain, 423,
       "D:lock-token-submitted><D:href>"},
      {"4918 lock-token-submitted", "DELETE", files + "locked.txt", "", {}, 423, "D:lock-token-submitted>"},
      {"4918 no-conflicting-lock", "LOCK", files + "locked.txt", lock, {}, 423, "D:no-conflicting-lock>"},
      {"4918 lock-token-matches-request-uri",
       "UNLOCK",
       files + "a.txt",
       "",
       {{"Lock-Token", "<urn:uuid:none>"}},
       409,
       "D:lock-token-matches-request-uri"},
      {"4918 propfind-finite-depth",
       "PROPFIND",
       "/dav/",
       "",
       {{"Depth", "infinity"}},
       403,
       "D:propfind-finite-depth"},
      {"4918 cannot-modify-protected-property",
       "PROPPATCH",
       calendar(),
       patch("<D:getetag>x</D:getetag>"),
       {},
       207,
       "D:cannot-modify-protected-property"},
      // RFC 5689, 3.5
      {"5689 valid-resourcetype",
       "MKCOL",
       home + "x/",
       xml("D:mkcol",
           "<D:set><D:prop><D:resourcetype><D:collection/><D:principal/></D:resourcetype></D:prop></D:set>"),
       {},
       403,
       "D:valid-resourcetype"},
      // RFC 4791, 5.3.1.1, 5.3.2.1, 7.8 and 7.10
      {"4791 resource-must-be-null", "MKCALENDAR", tasks, "", {}, 403, "D:resource-must-be-null"},
      {"4791 calendar-collection-location-ok",
       "MKCALENDAR",
       calendar() + "x/",
       "",
       {},
       403,
       "C:calendar-collection-location-ok"},
      {"4791 calendar-collection-location-ok",
       "MKCALENDAR",
       files + "x/",
       "",
       {},
       403,
       "C:calendar-collection-location-ok"},
      {"4791 valid-calendar-data",
       "MKCALENDAR",
       home + "x/",
       xml("C:mkcalendar", "<D:set><D:prop><C:calendar-timezone>x</C:calendar-timezone></D:prop></D:set>"),
       {},
       403,
       "C:valid-calendar-data"},
      {"4791 valid-calendar-data",
       "PROPPATCH",
       calendar(),
       patch("<C:calendar-timezone>x</C:calendar-timezone>"),
       {},
       207,
       "C:valid-calendar-data"},
      {"4791 supported-calendar-data", "PUT", calendar() + "x.ics", event("x"), plain, 403,
       "C:supported-calendar-data"},
      {"4791 supported-calendar-component", "PUT", tasks + "x.ics", event("x"), is_calendar, 403,
       "C:supported-calendar-component"},
      {"4791 supported-calendar-component",
       "COPY",
       calendar() + "a.ics",
       "",
       {{"Destination", tasks + "a.ics"}},
       403,
       "C:supported-calendar-component"},
      {"4791 no-uid-conflict",
       "COPY",
       calendar() + "a.ics",
       "",
       {{"Destination", calendar() + "b.ics"}},
       409,
       "C:no-uid-conflict><D:href>" + calendar() + "a.ics"},
      {"4791 valid-calendar-data",
       "COPY",
       files + "a.txt",
       "",
       {{"Destination", calendar() + "b.ics"}},
       403,
       "C:valid-calendar-data"},
      {"4791 supported-calendar-data",
       "REPORT",
       calendar(),
       xml("C:calendar-multiget", "<D:prop><C:calendar-data version='1.0'/></D:prop><D:href>x</D:href>"),
       {},
       403,
       "C:supported-calendar-data"},
      {"4791 valid-filter", "REPORT", calendar(), filter("<C:comp-filter/>"), {}, 403, "C:valid-filter"},
      {"4791 supported-filter",
       "REPORT",
       calendar(),
       filter("<C:comp-filter name='X-OTHER'><C:time-range start='20260101T000000Z'/></C:comp-filter>"),
       {},
       403,
       "C:supported-filter"},
      {"4791 supported-collation",
       "REPORT",
       calendar(),
       filter("<C:comp-filter name='VEVENT'><C:prop-filter name='SUMMARY'><C:text-match "
              "collation='i;basic'>a</C:text-match>"
              "</C:prop-filter></C:comp-filter>"),
       {},
       403,
       "C:supported-collation"},
      // RFC 6352, 5.1 and 8.6
      {"6352 supported-address-data", "PUT", book + "b.vcf", vcard("2.1", "b"), card, 403,
       "CARD:supported-address-data"},
      {"6352 valid-address-data", "PUT", book + "b.vcf", "BEGIN:VCARD\r\n", card, 403,
       "CARD:valid-address-data"},
      {"6352 no-uid-conflict", "PUT", book + "b.vcf", vcard("4.0", "a"), card, 409,
       "CARD:no-uid-conflict><D:href>"},
      {"6352 addressbook-collection-location-ok",
       "MKCOL",
       book + "x/",
       "<D:mkcol xmlns:D='DAV:' "
       "xmlns:A='urn:ietf:params:xml:ns:carddav'><D:set><D:prop><D:resourcetype><D:collection/>"
       "<A:addressbook/></D:resourcetype></D:prop></D:set></D:mkcol>",
       {},
       403,
       "CARD:addressbook-collection-location-ok"},
      {"6352 supported-collation",
       "REPORT",
       book,
       cards("><A:prop-filter name='FN'><A:text-match collation='i;basic'>a</A:text-match></A:prop-filter>"),
       {},
       403,
       "CARD:supported-collation"},
      {"6352 valid-filter", "REPORT", book, cards(" test='some'>"), {}, 403, "CARD:valid-filter"},
      {"6352 supported-address-data",
       "REPORT",
       book,
       cards(">", "<A:address-data version='2.1'/>"),
       {},
       403,
       "CARD:supported-address-data"},
      // RFC 6578, 3.2 and 3.3
      {"6578 valid-sync-token", "REPORT", calendar(), sync("urn:x"), {}, 403, "D:valid-sync-token"},
      {"6578 sync-traversal-supported",
       "REPORT",
       files,
       xml("D:sync-collection", "<D:sync-token/><D:sync-level>infinite</D:sync-level><D:prop/>"),
       {},
       403,
       "D:"},
      // RFC 3253, 3.6, and RFC 3744, 7.1.1
      {"3253 supported-report",
       "REPORT",
       calendar(),
       xml("D:version-tree", ""),
       {},
       403,
       "D:supported-report"},
      {"3744 need-privileges", "PUT", "/dav/calendars/somebody/default/x.ics", event("x"), is_calendar, 403,
       "D:need-privileges><D:resource><D:href>/dav/calendars/somebody/default/x.ics</"
       "D:href><D:privilege><D:write/>"},
      {"3744 need-privileges",
       "PROPFIND",
       "/dav/files/somebody/",
       "",
       {{"Depth", "0"}},
       403,
       "D:need-privileges><D:resource><D:href>/dav/files/somebody/</D:href><D:privilege><D:read/>"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.rfc);
    const auto answer = client().send(row.method, row.path, row.body, row.headers);
    EXPECT_EQ(answer.status, row.status) << answer.body;
    EXPECT_THAT(answer.body, HasSubstr("<" + row.element)) << answer.body;
    EXPECT_THAT(header(answer, "Content-Type"), HasSubstr("application/xml"));
  }
  // RFC 4331, 6
  ASSERT_EQ(pollux({"user", "quota", user, "1K"}).exit_code, 0);
  const auto full = client().send("PUT", files + "b.txt", std::string(2000, 'b'), plain);
  EXPECT_EQ(full.status, 507);
  EXPECT_THAT(full.body, HasSubstr("<D:quota-not-exceeded"));
}

}  // namespace
}  // namespace pollux::testing
