// What was PUT comes back byte for byte, under any name.
#include <filesystem>

#include "gateway_fixture.h"

namespace pollux::testing {
namespace {

class RoundTripTest : public GatewayTest {};

TEST_F(RoundTripTest, EveryFileOfTheCorpusComesBackByteForByte) {
  auto client = connect();
  for (const auto& file : std::filesystem::directory_iterator(POLLUX_TEST_DATA)) {
    if (file.path().extension() != ".ics") continue;
    const auto name = file.path().filename().string();
    const auto content = read_data(name);
    const auto put = client.request("PUT", calendar + name, "Content-Type: text/calendar\r\n", content);
    ASSERT_EQ(put.status, 201) << name << ": " << put.body;
    const auto get = client.request("GET", calendar + name);
    EXPECT_EQ(get.status, 200);
    EXPECT_EQ(get.body, content) << name;
    EXPECT_EQ(get.header("etag"), put.header("etag"));
    const auto head = client.request("HEAD", calendar + name);
    EXPECT_EQ(head.header("content-length"), std::to_string(content.size()));
    EXPECT_EQ(head.header("etag"), put.header("etag"));
  }
}

TEST_F(RoundTripTest, TheContentTypeTellsTheComponent) {
  auto client = connect();
  client.request("PUT", calendar + "t.ics", {}, read_data("todo.ics"));
  EXPECT_EQ(client.request("GET", calendar + "t.ics").header("content-type"),
            "text/calendar; charset=utf-8; component=vtodo");
}

TEST_F(RoundTripTest, NamesWithOddCharactersAreOneItemEach) {
  auto client = connect();
  const std::vector<std::string> names{"with%20space.ics",
                                       "a@b.ics",
                                       "a+b.ics",
                                       "a%2Bc.ics",
                                       "slash%2Fin.ics",
                                       "percent%25.ics",
                                       "%E6%97%A5.ics",
                                       "q%3Fh%23.ics",
                                       "semi;colon.ics",
                                       "no-extension",
                                       std::string(1000, 'n') + ".ics"};
  for (const auto& name : names) {
    const auto put = client.request("PUT", calendar + name, {}, event("uid-" + name.substr(0, 100)));
    ASSERT_EQ(put.status, 201) << name << put.body;
    EXPECT_EQ(client.request("GET", calendar + name).header("etag"), put.header("etag"));
  }
  const auto listed = client.request("PROPFIND", calendar, "Depth: 1\r\n");
  for (const auto& name :
       {"with%20space.ics", "slash%2Fin.ics", "percent%25.ics", "%E6%97%A5.ics", "q%3Fh%23.ics"}) {
    EXPECT_NE(listed.body.find("<D:href>" + calendar + name + "</D:href>"), std::string::npos) << name;
  }
  // The same name, written otherwise.
  EXPECT_EQ(client.request("GET", calendar + "a%40b.ics").status, 200);
  EXPECT_EQ(client.request("GET", calendar + "%61+b.ics").status, 200);
}

TEST_F(RoundTripTest, NoUrlReachesAnotherUser) {
  pair->add_user("bob", "wonder land");
  auto client = connect();
  ASSERT_EQ(client.request("PUT", calendar + "a.ics", {}, event("a")).status, 201);
  client.login = "bob:wonder land";
  EXPECT_EQ(client.request("GET", calendar + "a.ics").status, 403);
  EXPECT_EQ(client.request("GET", "/dav/calendars/nobody/default/a.ics").status, 403);
  for (const char* path :
       {"/dav/calendars/bob/../alice/default/a.ics", "/dav/calendars/bob/%2e%2e/alice/default/a.ics",
        "/dav/calendars/bob/..%2Falice/default/a.ics"}) {
    EXPECT_EQ(client.request("GET", path).status, 400) << path;
  }
  EXPECT_EQ(client.request("PUT", calendar + "a.ics", {}, event("a")).status, 403);
  EXPECT_EQ(client.request("DELETE", calendar + "a.ics").status, 403);
  EXPECT_EQ(client.request("PROPFIND", calendar, "Depth: 0\r\n").status, 403);
  // That a user exists, and its name, are no secrets among users.
  EXPECT_EQ(client.request("PROPFIND", "/dav/principals/alice/", "Depth: 0\r\n").status, 207);
  EXPECT_EQ(client.request("PROPFIND", "/dav/principals/nobody/", "Depth: 0\r\n").status, 404);
}

TEST_F(RoundTripTest, BrokenFilesAreRefusedWithThePreconditionAndASentence) {
  auto client = connect();
  const auto refused = [&](const std::string& body, const std::string& element) {
    const auto answer = client.request("PUT", calendar + "x.ics", {}, body);
    EXPECT_EQ(answer.status, 403) << body;
    EXPECT_EQ(answer.header("content-type"), "application/xml; charset=utf-8");
    EXPECT_NE(answer.body.find("<C:" + element + "/>"), std::string::npos) << answer.body;
    EXPECT_NE(answer.body.find("message"), std::string::npos);
  };
  refused("this is no calendar", "valid-calendar-data");
  refused(event("a").substr(0, 100), "valid-calendar-data");
  refused("BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\n" + event("a").substr(17), "valid-calendar-object-resource");
  refused(event("a", "UID:b\r\n"), "valid-calendar-object-resource");
  refused("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:20240101T100000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
          "valid-calendar-object-resource");
  refused("BEGIN:VCALENDAR\r\nBEGIN:VFREEBUSY\r\nUID:a\r\nEND:VFREEBUSY\r\nEND:VCALENDAR\r\n",
          "supported-calendar-component");
  const auto empty = client.request("PUT", calendar + "x.ics", "Content-Length: 0\r\n");
  EXPECT_EQ(empty.status, 403);
  const auto typed = client.request("PUT", calendar + "x.ics", "Content-Type: text/html\r\n", event("a"));
  EXPECT_EQ(typed.status, 403);
  EXPECT_NE(typed.body.find("supported-calendar-data"), std::string::npos);
  EXPECT_EQ(client.request("PUT", calendar + "x.ics", "Content-Encoding: gzip\r\n", event("a")).status, 415);
  EXPECT_EQ(client.request("PUT", calendar + "x.ics", "Content-Range: bytes 0-1/2\r\n", event("a")).status,
            400);
  EXPECT_EQ(client.request("GET", calendar + "x.ics").status, 404);
}

TEST_F(RoundTripTest, AUidThatExistsElsewhereInTheCalendarIsAConflictThatNamesTheItem) {
  auto client = connect();
  ASSERT_EQ(client.request("PUT", calendar + "a%20b.ics", {}, event("same")).status, 201);
  const auto refused = client.request("PUT", calendar + "other.ics", {}, event("same"));
  EXPECT_EQ(refused.status, 409);
  EXPECT_NE(
      refused.body.find("<C:no-uid-conflict><D:href>" + calendar + "a%20b.ics</D:href></C:no-uid-conflict>"),
      std::string::npos)
      << refused.body;
}

TEST_F(RoundTripTest, PutElsewhereSaysWhy) {
  auto client = connect();
  EXPECT_EQ(client.request("PUT", "/dav/calendars/alice/nowhere/a.ics", {}, event("a")).status, 409);
  const auto in_home = client.request("PUT", "/dav/calendars/alice/a.ics", {}, event("a"));
  EXPECT_EQ(in_home.status, 405);
  EXPECT_EQ(
      in_home.header("allow"),
      "OPTIONS, GET, HEAD, PROPFIND, REPORT, PROPPATCH, DELETE, COPY, MOVE, LOCK, UNLOCK, MKCOL, MKCALENDAR");
  EXPECT_EQ(client.request("PUT", calendar, {}, event("a")).status, 405);
  EXPECT_EQ(client.request("PUT", "/", {}, event("a")).status, 405);
  EXPECT_EQ(client.request("PUT", calendar + "a.ics/b.ics", {}, event("a")).status, 409);
}

}  // namespace
}  // namespace pollux::testing
