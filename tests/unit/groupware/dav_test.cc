// WebDAV methods through a gateway: PROPPATCH, MKCOL, COPY, MOVE, LOCK, and URLs of every kind.
#include "dav/xml.h"
#include "gateway_fixture.h"

namespace pollux::testing {
namespace {

const std::string home = "/dav/files/alice/";

class DavTest : public GatewayTest {
 protected:
  static bool has(const HttpAnswer& answer, std::string_view text) {
    return answer.body.find(text) != std::string::npos;
  }
  static std::string update(const std::string& inside) {
    return "<D:propertyupdate xmlns:D=\"DAV:\" xmlns:C=\"urn:ietf:params:xml:ns:caldav\" "
           "xmlns:A=\"http://apple.com/ns/ical/\" xmlns:x=\"urn:x\">" +
           inside + "</D:propertyupdate>";
  }
  static std::string set(const std::string& property) {
    return "<D:set><D:prop>" + property + "</D:prop></D:set>";
  }
  static std::string remove(const std::string& property) {
    return "<D:remove><D:prop>" + property + "</D:prop></D:remove>";
  }
  static std::string ask(const std::string& properties) {
    return "<D:propfind xmlns:D=\"DAV:\" xmlns:C=\"urn:ietf:params:xml:ns:caldav\" "
           "xmlns:CARD=\"urn:ietf:params:xml:ns:carddav\" xmlns:x=\"urn:x\"><D:prop>" +
           properties + "</D:prop></D:propfind>";
  }
  static std::string lock_info(const std::string& scope = "exclusive") {
    return "<D:lockinfo xmlns:D=\"DAV:\"><D:lockscope><D:" + scope +
           "/></D:lockscope><D:locktype><D:write/></D:locktype><D:owner><D:href>mailto:a@b</D:href> at "
           "&lt;work"
           "</D:owner></D:lockinfo>";
  }
  HttpAnswer propfind(HttpClient& client, const std::string& target, const std::string& properties,
                      const std::string& depth = "0") {
    return client.request("PROPFIND", target, "Depth: " + depth + "\r\n", ask(properties));
  }
  static std::size_t count(const HttpAnswer& answer, std::string_view text) {
    std::size_t found = 0;
    for (auto at = answer.body.find(text); at != std::string::npos; at = answer.body.find(text, at + 1))
      ++found;
    return found;
  }
};

// --- files ---

TEST_F(DavTest, AFileOfAnyTypeComesBackByteForByte) {
  auto client = connect();
  const std::string bytes("\0\xff<html>\r\n", 10);
  EXPECT_EQ(client.request("PUT", home + "a.html", "Content-Type: text/html\r\n", bytes).status, 201);
  const auto got = client.request("GET", home + "a.html");
  EXPECT_EQ(got.body, bytes);
  EXPECT_EQ(got.header("content-type"), "text/html");
  EXPECT_EQ(got.header("x-content-type-options"), "nosniff");
  EXPECT_NE(got.header("content-security-policy").find("sandbox"), std::string::npos);
  EXPECT_EQ(client.request("PUT", home + "plain", {}, bytes).status, 201);
  EXPECT_EQ(client.request("GET", home + "plain").header("content-type"), "application/octet-stream");
  EXPECT_EQ(client.request("PUT", home + "none/a", {}, "x").status, 409);
  EXPECT_EQ(client.request("PUT", home + "a/", {}, "x").status, 405);
}

TEST_F(DavTest, OddNamesAreNamesLikeOthers) {
  auto client = connect();
  for (const std::string name :
       {"a%20b", "a@b", "a+b", "a%2Fb", "a%25b", "%C3%BCber", "%E2%82%AC", "a&b", "a;b=c", "a'b", "%23x",
        "%3Fx", "(a)", "~a", "%22a%22", "a%5Cb", "%3Ca%3E"}) {
    ASSERT_EQ(client.request("PUT", home + name, {}, "text of " + name).status, 201) << name;
    EXPECT_EQ(client.request("GET", home + name).body, "text of " + name);
    // The href in a listing is a URL that leads there.
    const auto listed = propfind(client, home, "<D:getetag/>", "1");
    const auto root = parse_xml(listed.body);
    ASSERT_TRUE(root);
    ASSERT_EQ(root->children.size(), 2U) << name;
    const std::string href = root->children[1].child("DAV:", "href")->text;
    EXPECT_EQ(client.request("GET", href).body, "text of " + name) << href;
    // As source and as destination, encoded or not.
    EXPECT_EQ(client.request("COPY", href, "Destination: " + href + "-copy\r\n").status, 201) << href;
    EXPECT_EQ(client.request("DELETE", href + "-copy").status, 204);
    EXPECT_EQ(client.request("DELETE", href).status, 204);
  }
  for (const std::string name : {"..", ".", "%2e%2e", "a/../b", "a/..%2Fb", "%00", "%C3", "%zz", "%"}) {
    EXPECT_EQ(client.request("PUT", home + name, {}, "x").status, 400) << name;
  }
}

// --- MKCOL ---

TEST_F(DavTest, MkcolMakesCollections) {
  auto client = connect();
  EXPECT_EQ(client.request("MKCOL", home + "x").status, 201);
  EXPECT_EQ(client.request("MKCOL", home + "x/y/").status, 201);
  const auto again = client.request("MKCOL", home + "x/");
  EXPECT_EQ(again.status, 405);
  EXPECT_FALSE(again.header("allow").empty());
  EXPECT_EQ(client.request("MKCOL", home + "none/y/").status, 409);
  EXPECT_EQ(client.request("MKCOL", home + "z/", "Content-Type: text/plain\r\n", "something").status, 415);
  EXPECT_EQ(client.request("MKCOL", home + "z/", "Content-Type: text/xml\r\n", "<a/>").status, 415);
  EXPECT_EQ(client.request("MKCOL", home + "z/", "Content-Type: text/xml\r\n", "<a").status, 400);
  EXPECT_EQ(client.request("PUT", home + "x", {}, "x").status, 405);
}

TEST_F(DavTest, ExtendedMkcolMakesWhatItsTypeSays) {
  auto client = connect();
  const auto make = [&](const std::string& target, const std::string& type, const std::string& more = {}) {
    return client.request("MKCOL", target, "Content-Type: application/xml\r\n",
                          "<D:mkcol xmlns:D=\"DAV:\" xmlns:C=\"urn:ietf:params:xml:ns:caldav\" "
                          "xmlns:CARD=\"urn:ietf:params:xml:ns:carddav\"><D:set><D:prop><D:resourcetype>"
                          "<D:collection/>" +
                              type + "</D:resourcetype>" + more + "</D:prop></D:set></D:mkcol>");
  };
  EXPECT_EQ(make("/dav/contacts/alice/friends/", "<CARD:addressbook/>",
                 "<D:displayname>Friends</D:displayname><CARD:addressbook-description>of mine"
                 "</CARD:addressbook-description>")
                .status,
            201);
  const auto told = propfind(client, "/dav/contacts/alice/friends/",
                             "<D:resourcetype/><D:displayname/><CARD:addressbook-description/>"
                             "<CARD:supported-address-data/><C:calendar-description/>");
  EXPECT_TRUE(has(told, "<D:resourcetype><D:collection/><CARD:addressbook/></D:resourcetype>"));
  EXPECT_TRUE(has(told, "<D:displayname>Friends</D:displayname>"));
  EXPECT_TRUE(has(told, "<CARD:addressbook-description>of mine</CARD:addressbook-description>"));
  EXPECT_EQ(count(told, "404 Not Found"), 1U);
  EXPECT_EQ(make("/dav/calendars/alice/work/", "<C:calendar/>").status, 201);
  EXPECT_EQ(make(home + "x/", "").status, 201);
  const auto odd = make(home + "y/", "<D:principal/>", "<D:displayname>n</D:displayname>");
  EXPECT_EQ(odd.status, 403);
  EXPECT_TRUE(has(odd, "<D:mkcol-response"));
  EXPECT_TRUE(has(odd, "<D:valid-resourcetype/>"));
  EXPECT_TRUE(has(odd, "424 Failed Dependency"));
  EXPECT_EQ(client.request("PROPFIND", home + "y/", "Depth: 0\r\n").status, 404);
  EXPECT_TRUE(has(make(home + "y/", "<C:calendar/>"), "<C:calendar-collection-location-ok/>"));
  EXPECT_TRUE(has(make(home + "y/", "<CARD:addressbook/>"), "<CARD:addressbook-collection-location-ok/>"));
  EXPECT_TRUE(has(make("/dav/calendars/alice/y/", ""), "<D:valid-resourcetype/>"));
}

// --- PROPPATCH ---

TEST_F(DavTest, PropertiesAreKeptWithTheirStructureAndLanguage) {
  auto client = connect();
  client.request("PUT", home + "a", {}, "x");
  const auto patched = client.request("PROPPATCH", home + "a", {},
                                      update("<D:set xml:lang=\"fr\"><D:prop><x:p a=\"1\">un <x:b>deux</x:b> "
                                             "trois &amp; <c xmlns=\"\">q</c></x:p>"
                                             "</D:prop></D:set>" +
                                             set("<D:displayname>A file</D:displayname>")));
  ASSERT_EQ(patched.status, 207);
  EXPECT_EQ(count(patched, "200 OK"), 1U);
  const auto root = parse_xml(propfind(client, home + "a", "<x:p/><D:displayname/>").body);
  ASSERT_TRUE(root);
  const XmlElement& prop = *root->children[0].child("DAV:", "propstat")->child("DAV:", "prop");
  const XmlElement* kept = prop.child("urn:x", "p");
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(kept->head, "un ");
  ASSERT_EQ(kept->children.size(), 2U);
  EXPECT_EQ(kept->children[0].text, "deux");
  EXPECT_EQ(kept->children[0].tail, " trois & ");
  EXPECT_EQ(kept->children[1].name, (XmlName{"", "c"}));
  EXPECT_EQ(kept->attributes.size(), 2U);
  EXPECT_EQ(prop.child("DAV:", "displayname")->text, "A file");
}

TEST_F(DavTest, APropertyThatCanNotBeSetKeepsTheOthersBack) {
  auto client = connect();
  client.request("MKCOL", home + "x");
  const auto refused = client.request(
      "PROPPATCH", home + "x", {},
      update(set("<x:p>1</x:p><D:getetag>t</D:getetag>") + set("<D:displayname>n</D:displayname>")));
  ASSERT_EQ(refused.status, 207);
  EXPECT_TRUE(has(refused,
                  "<D:getetag/></D:prop><D:status>HTTP/1.1 403 Forbidden</D:status><D:error>"
                  "<D:cannot-modify-protected-property/></D:error>"));
  EXPECT_TRUE(has(refused, "<D:displayname/></D:prop><D:status>HTTP/1.1 424 Failed Dependency</D:status>"));
  EXPECT_EQ(count(propfind(client, home + "x", "<x:p/>"), "404 Not Found"), 1U);
  EXPECT_TRUE(has(propfind(client, home + "x", "<D:displayname/>"), "<D:displayname>x</D:displayname>"));
}

TEST_F(DavTest, PropertiesAreRemovedInTheOrderOfTheBody) {
  auto client = connect();
  client.request("MKCOL", home + "x");
  client.request("PROPPATCH", home + "x", {},
                 update(set("<x:p>1</x:p>") + remove("<x:p/>") + set("<x:q>2</x:q>")));
  const auto told = propfind(client, home + "x", "<x:p/><x:q/>");
  EXPECT_EQ(count(told, "404 Not Found"), 1U);
  EXPECT_TRUE(has(told, ">2</"));
  // Removing what isn't there is no error.
  const auto patched = client.request("PROPPATCH", home + "x", {}, update(remove("<x:r/><D:displayname/>")));
  EXPECT_TRUE(has(patched, "200 OK"));
}

TEST_F(DavTest, CalendarPropertiesAreSetWhereTheyMeanSomething) {
  auto client = connect();
  const std::string zone =
      "BEGIN:VCALENDAR&#13;\nVERSION:2.0&#13;\nPRODID:x&#13;\nBEGIN:VTIMEZONE&#13;\nTZID:Here&#13;\n"
      "BEGIN:STANDARD&#13;\nDTSTART:19700101T000000&#13;\nTZOFFSETFROM:+0100&#13;\nTZOFFSETTO:+0100&#13;\n"
      "END:STANDARD&#13;\nEND:VTIMEZONE&#13;\nEND:VCALENDAR&#13;\n";
  const auto patched = client.request(
      "PROPPATCH", calendar, {},
      update(set("<D:displayname>Mine</D:displayname><A:calendar-color>#ff0000</A:calendar-color>"
                 "<C:calendar-timezone>" +
                 zone + "</C:calendar-timezone>")));
  EXPECT_EQ(count(patched, "<D:propstat>"), 1U);
  EXPECT_TRUE(has(patched, "200 OK")) << patched.body;
  EXPECT_TRUE(has(propfind(client, calendar, "<C:calendar-timezone/>"), "TZID:Here"));
  const auto refused = client.request(
      "PROPPATCH", calendar, {}, update(set("<C:calendar-timezone>BEGIN:VCALENDAR</C:calendar-timezone>")));
  EXPECT_TRUE(has(refused, "<C:valid-calendar-data/>"));
  const auto components =
      client.request("PROPPATCH", calendar, {},
                     update(set("<C:supported-calendar-component-set><C:comp "
                                "name=\"VTODO\"/></C:supported-calendar-component-set>")));
  EXPECT_TRUE(has(components, "<D:cannot-modify-protected-property/>"));
}

TEST_F(DavTest, BrokenPropertyUpdatesAreRefused) {
  auto client = connect();
  for (const std::string& body : {std::string(), std::string("<"), std::string("<D:x xmlns:D=\"DAV:\"/>"),
                                  update(""), update("<D:set/>"), update(set(""))}) {
    EXPECT_EQ(client.request("PROPPATCH", calendar, {}, body).status, 400) << body;
  }
  EXPECT_EQ(client.request("PROPPATCH", home + "none", {}, update(set("<x:p/>"))).status, 404);
  const std::string large(70'000, 'x');
  EXPECT_TRUE(has(client.request("PROPPATCH", calendar, {}, update(set("<x:p>" + large + "</x:p>"))),
                  "507 Insufficient Storage"));
}

TEST_F(DavTest, WhoPrefersLittleGetsLittle) {
  auto client = connect();
  const auto patched =
      client.request("PROPPATCH", calendar, "Prefer: return=minimal\r\n", update(set("<x:p/>")));
  EXPECT_EQ(patched.status, 200);
  EXPECT_EQ(patched.body, "");
  EXPECT_EQ(patched.header("preference-applied"), "return=minimal");
  const auto told = client.request("PROPFIND", calendar, "Depth: 0\r\nPrefer: return=minimal\r\n",
                                   ask("<x:none/><D:displayname/>"));
  EXPECT_FALSE(has(told, "404"));
  EXPECT_TRUE(has(told, "Calendar"));
  const auto brief = client.request("PROPFIND", calendar, "Depth: 0\r\nBrief: t\r\n", ask("<x:none/>"));
  EXPECT_FALSE(has(brief, "404"));
  EXPECT_TRUE(has(brief, "200 OK"));
}

TEST_F(DavTest, WhoPrefersNoRootIsToldWhatIsInIt) {
  auto client = connect();
  ASSERT_EQ(client.request("PUT", calendar + "a.ics", "Content-Type: text/calendar\r\n", event("a")).status,
            201);
  const auto told = [&](const std::string& target, const std::string& depth) {
    const auto answer = client.request("PROPFIND", target, "Depth: " + depth + "\r\nPrefer: depth-noroot\r\n",
                                       ask("<D:resourcetype/>"));
    EXPECT_EQ(answer.header("preference-applied"), depth == "0" ? "" : "depth-noroot");
    std::size_t responses = 0;
    for (auto at = answer.body.find("<D:response>"); at != std::string::npos; ++responses) {
      at = answer.body.find("<D:response>", at + 1);
    }
    return responses;
  };
  EXPECT_EQ(told(calendar, "0"), 1U);
  EXPECT_EQ(told(calendar, "1"), 1U);
  EXPECT_EQ(told("/dav/calendars/alice/", "1"), 2U);
  EXPECT_EQ(told("/dav/calendars/alice/", "infinity"), 3U);
  EXPECT_EQ(told("/dav/calendars/", "1"), 1U);
  EXPECT_EQ(told("/dav/principals/", "1"), 1U);
  EXPECT_EQ(told("/dav/", "1"), 4U);
}

TEST_F(DavTest, WhoPrefersTheRepresentationGetsIt) {
  auto client = connect();
  const std::string prefer = "Prefer: handling=lenient; a=b, return=representation\r\n";
  const auto made = client.request("PUT", home + "a", prefer + "Content-Type: text/x\r\n", "one");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.body, "one");
  EXPECT_EQ(made.header("content-type"), "text/x");
  EXPECT_EQ(made.header("content-location"), home + "a");
  EXPECT_EQ(made.header("preference-applied"), "return=representation");
  const auto replaced = client.request("PUT", home + "a", prefer, "two");
  EXPECT_EQ(replaced.status, 200);
  EXPECT_EQ(replaced.body, "two");
  const auto late =
      client.request("PUT", home + "a", prefer + "If-Match: " + made.header("etag") + "\r\n", "three");
  EXPECT_EQ(late.status, 412);
  EXPECT_EQ(late.body, "two");
  EXPECT_EQ(late.header("etag"), replaced.header("etag"));
  const auto missing = client.request("PUT", home + "b", prefer + "If-Match: *\r\n", "x");
  EXPECT_EQ(missing.status, 412);
  EXPECT_NE(missing.body, "x");
}

// --- PROPFIND ---

TEST_F(DavTest, InfiniteDepthListsATree) {
  auto client = connect();
  client.request("MKCOL", home + "x");
  client.request("MKCOL", home + "x/y");
  client.request("PUT", home + "x/y/a", {}, "x");
  client.request("PUT", home + "b", {}, "x");
  for (const std::string depth : {"Depth: infinity\r\n", ""}) {
    const auto told = client.request("PROPFIND", home, depth, ask("<D:getetag/>"));
    ASSERT_EQ(told.status, 207);
    for (const std::string href : {"", "b", "x/", "x/y/", "x/y/a"}) {
      EXPECT_EQ(count(told, "<D:href>" + home + href + "</D:href>"), 1U) << href;
    }
  }
}

TEST_F(DavTest, InfiniteDepthHasALimit) {
  GatewayLimits limits;
  limits.infinite_resources_max = 3;
  start(limits);
  auto client = connect();
  client.request("MKCOL", home + "x");
  client.request("PUT", home + "x/a", {}, "x");
  EXPECT_EQ(client.request("PROPFIND", home).status, 207);
  client.request("PUT", home + "x/b", {}, "x");
  const auto refused = client.request("PROPFIND", home);
  EXPECT_EQ(refused.status, 403);
  EXPECT_TRUE(has(refused, "<D:propfind-finite-depth/>"));
  EXPECT_EQ(client.request("PROPFIND", home + "x/").status, 207);
}

TEST_F(DavTest, IncludeAsksForMoreThanAllprop) {
  auto client = connect();
  client.request("PROPPATCH", calendar, {}, update(set("<x:p>1</x:p>")));
  const auto told =
      client.request("PROPFIND", calendar, "Depth: 0\r\n",
                     "<D:propfind xmlns:D=\"DAV:\"><D:allprop/><D:include><D:owner/></D:include>"
                     "</D:propfind>");
  EXPECT_TRUE(has(told, "<D:owner>"));
  EXPECT_TRUE(has(told, "urn:x"));
  EXPECT_TRUE(has(told, "<D:lockdiscovery/>"));
  EXPECT_TRUE(has(told, "<D:lockentry>"));
  EXPECT_FALSE(has(told, "getctag"));
}

TEST_F(DavTest, PrivilegesAndPrincipalsAreTold) {
  auto client = connect();
  const auto told = propfind(client, calendar,
                             "<D:current-user-privilege-set/><D:supported-privilege-set/><D:acl/><D:owner/>"
                             "<D:acl-restrictions/><D:principal-collection-set/><D:sync-token/>"
                             "<D:quota-used-bytes/><D:quota-available-bytes/>");
  for (const std::string part :
       {"<D:current-user-privilege-set><D:privilege><D:all/></D:privilege>",
        "<D:privilege><D:bind/></D:privilege>", "<D:supported-privilege><D:privilege><D:all/>",
        "<D:protected/>", "<D:sync-token>urn:pollux:sync:", "<D:quota-used-bytes>0</D:quota-used-bytes>"}) {
    EXPECT_TRUE(has(told, part)) << part << told.body;
  }
  EXPECT_EQ(count(told, "404 Not Found"), 1U);  // no quota: nothing is told to be available
  const auto principal = propfind(client, "/dav/principals/alice/",
                                  "<D:principal-URL/><D:group-membership/><D:alternate-URI-set/>"
                                  "<CARD:addressbook-home-set/><C:calendar-home-set/>");
  EXPECT_TRUE(has(principal, "<CARD:addressbook-home-set><D:href>/dav/contacts/alice/</D:href>"));
  EXPECT_TRUE(has(principal, "<D:group-membership/>"));
  EXPECT_FALSE(has(principal, "404 Not Found"));
}

TEST_F(DavTest, QuotasAreTold) {
  auto client = connect();
  ASSERT_EQ(pair->now(GroupwareRequest(SetQuota{"alice", 100})).code, Code::ok);
  client.request("PUT", home + "a", {}, std::string(60, 'x'));
  const auto told = propfind(client, home, "<D:quota-used-bytes/><D:quota-available-bytes/>");
  EXPECT_TRUE(has(told, "<D:quota-available-bytes>40</D:quota-available-bytes>"));
  const auto refused = client.request("PUT", home + "b", {}, std::string(41, 'x'));
  EXPECT_EQ(refused.status, 507);
  EXPECT_TRUE(has(refused, "<D:quota-not-exceeded/>"));
}

// --- COPY, MOVE ---

TEST_F(DavTest, DestinationsAreReadInEveryForm) {
  auto client = connect();
  client.request("PUT", home + "a", {}, "x");
  const auto copy = [&](const std::string& destination, const std::string& more = {}) {
    return client.request("COPY", home + "a", "Destination: " + destination + "\r\n" + more).status;
  };
  EXPECT_EQ(copy(home + "b"), 201);
  EXPECT_EQ(copy("http://localhost" + home + "c"), 201);
  EXPECT_EQ(copy("http://localhost:80" + home + "c"), 204);
  EXPECT_EQ(copy("http://localhost:8080" + home + "c"), 502);
  EXPECT_EQ(copy("http://elsewhere" + home + "c"), 502);
  EXPECT_EQ(copy("//elsewhere" + home + "c"), 400);
  EXPECT_EQ(copy("ftp://localhost" + home + "c"), 502);
  EXPECT_EQ(copy(home + "with space"), 201);
  EXPECT_EQ(client.request("GET", home + "with%20space").status, 200);
  EXPECT_EQ(copy(home + "\xc3\xbc"), 201);
  EXPECT_EQ(client.request("GET", home + "%C3%BC").status, 200);
  EXPECT_EQ(copy(home + "d#fragment"), 201);
  EXPECT_EQ(client.request("GET", home + "d").status, 200);
  EXPECT_EQ(copy(home + "x/../b"), 400);
  EXPECT_EQ(copy(home + "%2e%2e/b"), 400);
  EXPECT_EQ(copy(home + "%zz"), 400);
  EXPECT_EQ(copy(""), 400);
  EXPECT_EQ(copy("relative"), 400);
  EXPECT_EQ(copy("/elsewhere"), 403);
  EXPECT_EQ(copy("/dav/principals/alice/"), 403);
  EXPECT_EQ(copy("/dav/files/bob/a"), 403);
  EXPECT_EQ(copy(home + "b", "Overwrite: F\r\n"), 412);
  EXPECT_EQ(copy(home + "b", "Overwrite: maybe\r\n"), 400);
  EXPECT_EQ(copy(home + "b", "Depth: 1\r\n"), 400);
  EXPECT_EQ(copy(home + "b", "Overwrite: t\r\n"), 204);
  EXPECT_EQ(client.request("MOVE", home + "a").status, 400);
  EXPECT_EQ(client.request("MOVE", home + "a", "Destination: " + home + "a\r\n").status, 403);
}

TEST_F(DavTest, ADestinationWithOurOwnHostIsOurs) {
  auto client = connect();
  client.request("PUT", home + "a", {}, "x");
  for (const std::string scheme : {"http", "HTTPS"}) {
    EXPECT_EQ(client
                  .request("COPY", home + "a",
                           "Destination: " + scheme + "://user:secret@LocalHost" + home + "b\r\n")
                  .status,
              scheme == "http" ? 201 : 204);
  }
}

TEST_F(DavTest, AUidConflictAtTheDestinationNamesTheItem) {
  auto client = connect();
  client.request("PUT", calendar + "a.ics", {}, event("a"));
  const auto refused = client.request("COPY", calendar + "a.ics", "Destination: " + calendar + "b.ics\r\n");
  EXPECT_EQ(refused.status, 409);
  EXPECT_TRUE(has(refused, "<C:no-uid-conflict><D:href>" + calendar + "a.ics</D:href></C:no-uid-conflict>"));
  EXPECT_EQ(client.request("MOVE", calendar + "a.ics", "Destination: " + calendar + "b.ics\r\n").status, 201);
  EXPECT_EQ(client.request("PUT", home + "a.ics", {}, event("c")).status, 201);
  EXPECT_TRUE(has(client.request("COPY", home + "a.ics", "Destination: " + calendar + "c.ics\r\n"),
                  "<C:valid-calendar-data/>"));
}

// --- LOCK, UNLOCK, If ---

TEST_F(DavTest, ALockIsToldAndKeepsOthersOut) {
  auto client = connect();
  client.request("PUT", home + "a", {}, "x");
  const auto locked =
      client.request("LOCK", home + "a", "Depth: 0\r\nTimeout: Infinite, Second-600\r\n", lock_info());
  ASSERT_EQ(locked.status, 200) << locked.body;
  const std::string token = locked.header("lock-token");
  ASSERT_TRUE(token.starts_with("<urn:uuid:"));
  EXPECT_TRUE(has(locked, "<D:timeout>Second-86400</D:timeout>"));
  EXPECT_TRUE(has(locked, "<D:lockroot><D:href>" + home + "a</D:href></D:lockroot>"));
  EXPECT_TRUE(has(locked, "mailto:a@b"));
  EXPECT_TRUE(has(locked, " at &lt;work</D:owner>"));
  EXPECT_TRUE(has(propfind(client, home + "a", "<D:lockdiscovery/>"), token.substr(1, token.size() - 2)));

  const auto refused = client.request("PUT", home + "a", {}, "y");
  EXPECT_EQ(refused.status, 423);
  EXPECT_TRUE(
      has(refused, "<D:lock-token-submitted><D:href>" + home + "a</D:href></D:lock-token-submitted>"));
  EXPECT_EQ(client.request("PUT", home + "a", "If: (" + token + ")\r\n", "y").status, 204);
  EXPECT_EQ(client.request("PUT", home + "a", "If: (<urn:other>)\r\n", "y").status, 412);
  EXPECT_EQ(client.request("PUT", home + "a", "If: (<urn:other>) (Not <DAV:no-lock>)\r\n", "y").status, 423);
  EXPECT_EQ(client.request("PUT", home + "a", "If: <" + home + "a> (" + token + ")\r\n", "y").status, 204);
  EXPECT_EQ(client
                .request("PUT", home + "a",
                         "If: <http://" + std::string("localhost") + home + "a> (" + token + ")\r\n", "y")
                .status,
            204);
  EXPECT_EQ(client.request("DELETE", home + "a").status, 423);
  EXPECT_EQ(client.request("LOCK", home + "a", {}, lock_info()).status, 423);
  EXPECT_TRUE(has(client.request("LOCK", home + "a", {}, lock_info("shared")), "<D:no-conflicting-lock>"));

  const auto refreshed = client.request("LOCK", home + "a", "If: (" + token + ")\r\nTimeout: Second-77\r\n");
  EXPECT_EQ(refreshed.status, 200);
  EXPECT_TRUE(has(refreshed, "<D:timeout>Second-77</D:timeout>"));
  EXPECT_EQ(refreshed.header("lock-token"), "");
  EXPECT_EQ(client.request("UNLOCK", home + "a", "Lock-Token: <urn:other>\r\n").status, 409);
  EXPECT_EQ(client.request("UNLOCK", home + "a").status, 400);
  EXPECT_EQ(client.request("UNLOCK", home + "a", "Lock-Token: " + token + "\r\n").status, 204);
  EXPECT_EQ(client.request("PUT", home + "a", {}, "y").status, 204);
}

TEST_F(DavTest, LocksInsideAreNamedWhenADeeperOneIsRefused) {
  auto client = connect();
  client.request("MKCOL", home + "x");
  client.request("PUT", home + "x/a", {}, "x");
  client.request("LOCK", home + "x/a", {}, lock_info());
  const auto refused = client.request("LOCK", home + "x/", "Depth: infinity\r\n", lock_info());
  EXPECT_EQ(refused.status, 207);
  EXPECT_TRUE(has(refused, "<D:href>" + home + "x/a</D:href><D:status>HTTP/1.1 423 Locked</D:status>"));
  EXPECT_TRUE(
      has(refused, "<D:href>" + home + "x</D:href><D:status>HTTP/1.1 424 Failed Dependency</D:status>"));
}

TEST_F(DavTest, LockingANewNameMakesAnEmptyFile) {
  auto client = connect();
  const auto locked = client.request("LOCK", home + "new", {}, lock_info());
  EXPECT_EQ(locked.status, 201);
  EXPECT_EQ(client.request("GET", home + "new").status, 200);
  EXPECT_EQ(client.request("PUT", home + "new", "If: (" + locked.header("lock-token") + ")\r\n", "x").status,
            204);
  EXPECT_EQ(client.request("LOCK", home + "none/new", {}, lock_info()).status, 409);
  EXPECT_TRUE(has(client.request("LOCK", calendar + "new.ics", {}, lock_info()), "<C:valid-calendar-data/>"));
}

TEST_F(DavTest, BrokenLocksAndIfHeadersAreRefused) {
  auto client = connect();
  client.request("PUT", home + "a", {}, "x");
  EXPECT_EQ(client.request("LOCK", home + "a", "Depth: 1\r\n", lock_info()).status, 400);
  EXPECT_EQ(client.request("LOCK", home + "a").status, 400);
  EXPECT_EQ(client.request("LOCK", home + "a", {}, "<a/>").status, 400);
  EXPECT_EQ(client.request("LOCK", home + "a", {}, lock_info("other")).status, 422);
  for (const std::string header : {"()", "(", "(<a>", "<a>", "<a> <b> (<c>)", "([x])", "([\"x])", "(Not)",
                                   "(<>)", "x", "(<a>) <b> (<c>)", "<a> (<b>) (<c>) <d>"}) {
    EXPECT_EQ(client.request("PUT", home + "a", "If: " + header + "\r\n", "y").status, 400) << header;
  }
  const std::string tag = client.request("GET", home + "a").header("etag");
  EXPECT_EQ(client.request("PUT", home + "a", "If: ([" + tag + "] Not <DAV:no-lock>)\r\n", "y").status, 204);
  EXPECT_EQ(client.request("PUT", home + "a", "If: ([" + tag + "])\r\n", "y").status, 412);
  EXPECT_EQ(client.request("GET", home + "a", "If: ([" + tag + "])\r\n").status, 412);
}

// --- the rest ---

TEST_F(DavTest, OptionsSayWhatIsThere) {
  auto client = connect();
  const auto files = client.request("OPTIONS", home + "a");
  for (const std::string method : {"PROPPATCH", "PUT", "COPY", "MOVE", "LOCK", "UNLOCK", "MKCOL"}) {
    EXPECT_NE(files.header("allow").find(method), std::string::npos) << method;
  }
  for (const std::string word : {"1", "2", "3", "calendar-access", "extended-mkcol"}) {
    EXPECT_NE((", " + files.header("dav") + ",").find(", " + word + ","), std::string::npos) << word;
  }
}

TEST_F(DavTest, WellKnownUrlsRedirect) {
  auto client = connect();
  for (const std::string service : {"caldav", "carddav"}) {
    for (const std::string method : {"GET", "PROPFIND"}) {
      const auto answer = client.request(method, "/.well-known/" + service);
      EXPECT_EQ(answer.status, 301);
      EXPECT_EQ(answer.header("location"), "/dav/");
    }
  }
}

TEST_F(DavTest, AUserOfAnOlderVersionGetsItsHomesWithItsFirstRequest) {
  auto client = connect();
  ASSERT_EQ(client.request("PROPFIND", "/dav/", "Depth: 0\r\n").status, 207);  // the login is known now
  Refusal missing{RefusalReason::homes_missing, "not there", {}, {}};
  pair->answer_next({Code::conflict, encode(missing), 0});
  const auto told = client.request("PROPFIND", "/dav/contacts/alice/", "Depth: 1\r\n");
  EXPECT_EQ(told.status, 207);
  EXPECT_TRUE(has(told, "/dav/contacts/alice/default/"));
  EXPECT_EQ(pair->executed, 1U);  // MakeHomes
}

TEST_F(DavTest, ASharedCalendarShowsWhatItsUserMayDo) {
  auto client = connect();
  pair->add_user("bob", "wonder land");
  ASSERT_EQ(pair->now(GroupwareRequest(ShareCollection{
                          {"alice", 0}, {DavSpace::calendars, "alice", {"tasks"}}, "bob", Access::read}))
                .code,
            Code::ok);
  client.login = "bob:wonder land";
  const auto told = propfind(client, "/dav/calendars/bob/",
                             "<D:resourcetype/><D:owner/><D:current-user-privilege-set/>", "1");
  EXPECT_TRUE(has(told, "<D:href>/dav/calendars/bob/tasks-alice/</D:href>")) << told.body;
  EXPECT_TRUE(has(told, "<C:calendar/><CS:shared/>"));
  EXPECT_TRUE(has(told, "<D:owner><D:href>/dav/principals/alice/</D:href></D:owner>"));
  const auto refused = client.request("MKCALENDAR", "/dav/calendars/bob/tasks-alice/x/");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(client.request("PROPPATCH", "/dav/calendars/bob/tasks-alice/", {}, update(set("<x:p/>"))).status,
            403);
  EXPECT_EQ(client.request("DELETE", "/dav/calendars/bob/tasks-alice/").status, 204);
}

}  // namespace
}  // namespace pollux::testing
