// Questions: synchronization, reports of every form, ETags, connections.
#include <set>
#include <sstream>

#include "integration/hard_cases_fixture.h"
#include "integration/raw_http.h"

namespace pollux::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

TEST_F(HardCasesTest, SynchronizationReachesTheEndAndItsTokensOutliveATakeover) {
  const std::string own = std::string("/dav/calendars/") + user + "/sync/";
  ASSERT_EQ(client().send("MKCALENDAR", own).status, 201);
  for (int number = 0; number < 25; ++number)
    put(own + "e" + std::to_string(number), event(std::to_string(number)));
  std::set<std::string> seen;
  std::string at;
  int pages = 0;
  for (bool more = true; more && pages < 20; ++pages) {
    if (pages == 1) kill_member(primary());
    const auto page = report(own, sync(at, "7"));
    more = page.body.contains("507 Insufficient Storage");
    const auto told = all_of(page.body, "<D:href>[^<]*/(e[0-9]+)</D:href>");
    EXPECT_LE(told.size(), 7U);
    seen.insert(told.begin(), told.end());
    EXPECT_NE(token(page), at);
    at = token(page);
  }
  EXPECT_EQ(pages, 4);
  EXPECT_EQ(seen.size(), 25U);
  const auto current = report(own, sync(at));
  EXPECT_EQ(token(current), at) << "an up-to-date client gets its token again";
  EXPECT_THAT(current.body, Not(HasSubstr("<D:response>")));
  wait_in_sync();
  put(own + "e3", event("3"), 204);
  ASSERT_EQ(client().send("DELETE", own + "e4").status, 204);
  kill_member(primary());
  const auto changed = report(own, sync(at));
  EXPECT_THAT(names(changed), UnorderedElementsAre("e3", "e4"));
  EXPECT_THAT(changed.body, HasSubstr("e4</D:href><D:status>HTTP/1.1 404"));
  // The same name is another collection, once it was deleted and made again.
  ASSERT_EQ(client().send("DELETE", own).status, 204);
  ASSERT_EQ(client().send("MKCALENDAR", own).status, 201);
  for (const std::string& old : {at, token(changed), std::string("urn:x"), std::string("0")}) {
    const auto refused = report(own, sync(old));
    EXPECT_EQ(refused.status, 403);
    EXPECT_THAT(refused.body, HasSubstr("<D:valid-sync-token/>"));
  }
  const auto got = report(calendar(), xml("C:calendar-multiget", "<D:prop><D:getetag/></D:prop><D:href>" +
                                                                     calendar() + "none.ics</D:href>"));
  EXPECT_THAT(got.body, HasSubstr("none.ics</D:href><D:status>HTTP/1.1 404")) << got.body;
}

TEST_F(HardCasesTest, QuestionsOfEveryFormAreAnswered) {
  put(calendar() + "a.ics", event("a"));
  struct Row {
    std::string method, path, body;
    Headers headers;
    int status;
    std::vector<std::string> told, not_told;
  };
  const std::string unknown = xml("D:propfind", "<D:prop><D:getetag/><x xmlns='urn:x'/></D:prop>");
  for (const auto& row : std::vector<Row>{
           {"REPORT", calendar(), "", {}, 400, {"none."}, {}},
           {"REPORT", calendar(), xml("D:expand-all", ""), {}, 403, {"<D:supported-report/>"}, {}},
           {"PROPFIND",
            calendar() + "a.ics",
            unknown,
            {{"Depth", "0"}},
            207,
            {"<x:x xmlns:x=\"urn:x\"/></D:prop><D:status>HTTP/1.1 404", "<D:getetag>"},
            {}},
           {"PROPFIND",
            calendar() + "a.ics",
            unknown,
            {{"Depth", "0"}, {"Prefer", "return=minimal"}},
            207,
            {"<D:getetag>"},
            {"404"}},
           {"PROPFIND",
            calendar() + "a.ics",
            xml("D:propfind", "<D:propname/>"),
            {{"Depth", "0"}},
            207,
            {"<D:getetag/>", "<D:lockdiscovery/>"},
            {"<D:getetag>"}},
           {"PROPFIND",
            calendar() + "a.ics",
            xml("D:propfind", "<D:allprop/>"),
            {{"Depth", "0"}},
            207,
            {"<D:getetag>", "<D:supportedlock>"},
            {"<D:acl>"}},
           {"PROPFIND",
            calendar() + "a.ics",
            xml("D:propfind", "<D:allprop/><D:include><D:owner/></D:include>"),
            {{"Depth", "0"}},
            207,
            {"<D:getetag>", "<D:owner><D:href>"},
            {}},
           {"PROPFIND", calendar(), unknown, {}, 207, {"a.ics</D:href>"}, {}},  // infinity is meant
           {"PROPFIND", "/dav/", unknown, {}, 403, {"<D:propfind-finite-depth/>"}, {}},
           {"REPORT",
            calendar(),
            query("VEVENT", "20260315T000000Z", "20260316T000000Z"),
            {},
            207,
            {"a.ics"},
            {}},
       }) {
    SCOPED_TRACE(row.method + " " + row.body);
    const auto answer = client().send(row.method, row.path, row.body, row.headers);
    EXPECT_EQ(answer.status, row.status) << answer.body;
    for (const auto& part : row.told) EXPECT_THAT(answer.body, HasSubstr(part));
    for (const auto& part : row.not_told) EXPECT_THAT(answer.body, Not(HasSubstr(part)));
  }
}

TEST_F(HardCasesTest, AnItemHasOneEtagHoweverItIsAskedFor) {
  for (int number = 0; number < 20; ++number)
    put(calendar() + std::to_string(number), event(std::to_string(number)));
  const std::string item = calendar() + "1", tag = header(client().send("GET", item), "ETag");
  const Headers gzip{{"Accept-Encoding", "gzip"}};
  const auto whole = client().send("GET", item, "", gzip);
  EXPECT_EQ(header(whole, "Content-Encoding"), "");
  EXPECT_EQ(header(whole, "ETag"), tag);
  const auto listing =
      client().send("PROPFIND", calendar(), "", {{"Depth", "1"}, {"Accept-Encoding", "gzip"}});
  EXPECT_EQ(header(listing, "Content-Encoding"), "gzip");
  EXPECT_EQ(header(listing, "ETag"), "");
  struct Row {
    std::string method, name, value;
    int status;
  };
  for (const auto& row : std::vector<Row>{{"GET", "If-None-Match", tag, 304},
                                          {"GET", "If-None-Match", "W/" + tag, 304},
                                          {"GET", "If-None-Match", "\"other\", " + tag, 304},
                                          {"GET", "If-None-Match", "*", 304},
                                          {"GET", "If-None-Match", "\"other\"", 200},
                                          {"HEAD", "If-None-Match", tag, 304},
                                          {"GET", "If-Match", "\"other\"", 412},
                                          {"PUT", "If-Match", "W/" + tag, 412},
                                          {"PUT", "If-None-Match", "\"other\", " + tag, 412},
                                          {"PUT", "If-Match", "\"other\", " + tag, 204}}) {
    SCOPED_TRACE(row.method + " " + row.name + ": " + row.value);
    Headers headers{{row.name, row.value}, {"Accept-Encoding", "gzip"}};
    headers.insert(headers.end(), is_calendar.begin(), is_calendar.end());
    const auto answer = client().send(row.method, item, row.method == "PUT" ? event("1") : "", headers);
    EXPECT_EQ(answer.status, row.status) << answer.body;
    if (answer.status == 304) {
      EXPECT_EQ(header(answer, "ETag"), tag);
      EXPECT_EQ(answer.body, "");
    }
  }
}

TEST_F(HardCasesTest, ConnectionsOfEveryAgeAreKept) {
  const std::string login = "Authorization: Basic YW5uYTpjb3JyZWN0LWhvcnNlLWJhdHRlcnk=\r\n";
  const std::string path = calendar() + "a.ics", body = event("a");
  const auto talk = [this](const std::string& bytes) {
    const RawHttp raw(gateway());
    EXPECT_TRUE(raw.send(bytes));
    return raw.receive();
  };
  std::string chunks;
  for (std::size_t at = 0; at < body.size(); at += 50) {
    const std::string part = body.substr(at, 50);
    std::ostringstream size;
    size << std::hex << part.size();
    chunks += size.str() + ";extension=1\r\n" + part + "\r\n";
  }
  const RawHttp expecting(gateway());
  expecting.send("PUT " + path + " HTTP/1.1\r\nHost: x\r\n" + login +
                 "Expect: 100-continue\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n");
  expecting.send(chunks + "0\r\n\r\n");
  const std::string stored = expecting.receive();
  EXPECT_THAT(stored, HasSubstr("201 Created")) << stored;
  EXPECT_EQ(client().send("GET", path).body, body);
  const std::string old = "GET " + path + " HTTP/1.0\r\n" + login;
  const auto kept = talk(old + "Connection: keep-alive\r\n\r\n" + old + "\r\n");
  EXPECT_EQ(all_of(kept, "(HTTP/1.1 200)").size(), 2U) << kept;
  EXPECT_THAT(kept, ::testing::ContainsRegex("[Kk]eep-[Aa]live"));
  EXPECT_EQ(all_of(talk(old + "\r\n" + old + "\r\n"), "(HTTP/1.1 200)").size(), 1U);
  const std::string modern = "GET " + path + " HTTP/1.1\r\nHost: x\r\n" + login;
  const auto pipelined = talk(modern + "\r\n" + modern + "\r\n" + modern + "Connection: close\r\n\r\n");
  EXPECT_EQ(all_of(pipelined, "(HTTP/1.1 200)").size(), 3U) << pipelined;
}

}  // namespace
}  // namespace pollux::testing
