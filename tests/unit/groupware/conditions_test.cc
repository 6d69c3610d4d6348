// ETags and conditional requests (RFC 9110, 13), and DELETE.
#include <thread>

#include "gateway_fixture.h"

namespace pollux::testing {
namespace {

class ConditionsTest : public GatewayTest {
 protected:
  static std::string if_match(const std::string& tag) { return "If-Match: " + tag + "\r\n"; }
  static std::string if_none_match(const std::string& tag) { return "If-None-Match: " + tag + "\r\n"; }
};

TEST_F(ConditionsTest, AnEtagIsGivenAtPutAndChangesWithEachPut) {
  auto client = connect();
  const auto first = client.request("PUT", calendar + "a.ics", {}, event("a"));
  EXPECT_EQ(first.status, 201);
  const auto second = client.request("PUT", calendar + "a.ics", {}, event("a", "X-A:1\r\n"));
  EXPECT_EQ(second.status, 204);
  EXPECT_NE(first.header("etag"), second.header("etag"));
  EXPECT_TRUE(second.header("etag").starts_with('"'));
  EXPECT_EQ(client.request("GET", calendar + "a.ics").header("etag"), second.header("etag"));
}

TEST_F(ConditionsTest, IfMatchLetsOnlyTheCurrentVersionBeReplaced) {
  auto client = connect();
  const auto old_tag = client.request("PUT", calendar + "a.ics", {}, event("a")).header("etag");
  const auto tag = client.request("PUT", calendar + "a.ics", if_match(old_tag), event("a")).header("etag");
  EXPECT_EQ(client.request("PUT", calendar + "a.ics", if_match(old_tag), event("a")).status, 412);
  EXPECT_EQ(client.request("PUT", calendar + "a.ics", if_match("W/" + tag), event("a")).status, 412);
  EXPECT_EQ(client.request("PUT", calendar + "a.ics", if_match("nonsense"), event("a")).status, 400);
  EXPECT_EQ(client.request("PUT", calendar + "b.ics", if_match("*"), event("b")).status, 412);
  EXPECT_EQ(client.request("GET", calendar + "a.ics", if_match(old_tag)).status, 412);
  EXPECT_EQ(client.request("PUT", calendar + "a.ics", if_match("\"x\", W/\"y\", " + tag), event("a")).status,
            204);
  EXPECT_EQ(client.request("PUT", calendar + "a.ics", if_match("*"), event("a")).status, 204);
}

TEST_F(ConditionsTest, IfNoneMatchStarCreatesOnly) {
  auto client = connect();
  EXPECT_EQ(client.request("PUT", calendar + "a.ics", if_none_match("*"), event("a")).status, 201);
  EXPECT_EQ(client.request("PUT", calendar + "a.ics", if_none_match("*"), event("a")).status, 412);
}

TEST_F(ConditionsTest, AnUnchangedItemIsNotSentAgain) {
  auto client = connect();
  const auto tag = client.request("PUT", calendar + "a.ics", {}, event("a")).header("etag");
  for (const auto& list : {tag, "W/" + tag, "\"x\", " + tag, std::string("*")}) {
    const auto unchanged = client.request("GET", calendar + "a.ics", if_none_match(list));
    EXPECT_EQ(unchanged.status, 304) << list;
    EXPECT_EQ(unchanged.header("etag"), tag);
    EXPECT_EQ(unchanged.header("content-length"), "");
  }
  EXPECT_EQ(client.request("GET", calendar + "a.ics", if_none_match("\"x\"")).status, 200);
  EXPECT_EQ(client.request("HEAD", calendar + "a.ics", if_none_match(tag)).status, 304);
}

TEST_F(ConditionsTest, IfModifiedSinceCountsWithoutIfNoneMatch) {
  auto client = connect();
  client.request("PUT", calendar + "a.ics", {}, event("a"));
  const auto modified = client.request("GET", calendar + "a.ics").header("last-modified");
  EXPECT_EQ(client.request("GET", calendar + "a.ics", "If-Modified-Since: " + modified + "\r\n").status, 304);
  EXPECT_EQ(client.request("GET", calendar + "a.ics", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n")
                .status,
            200);
  EXPECT_EQ(client.request("GET", calendar + "a.ics", "If-Modified-Since: whenever\r\n").status, 200);
  EXPECT_EQ(client
                .request("GET", calendar + "a.ics",
                         "If-None-Match: \"x\"\r\nIf-Modified-Since: " + modified + "\r\n")
                .status,
            200);
}

TEST_F(ConditionsTest, WhatWasChangedSinceADateIsNotReplaced) {
  auto client = connect();
  client.request("PUT", calendar + "a.ics", {}, event("a"));
  const auto tag = client.request("GET", calendar + "a.ics").header("etag");
  const std::string before = "If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
  for (const auto* method : {"PUT", "DELETE", "GET", "HEAD"})
    EXPECT_EQ(client.request(method, calendar + "a.ics", before, event("a")).status, 412) << method;
  EXPECT_EQ(client.request("GET", calendar + "a.ics").header("etag"), tag);

  const auto modified = client.request("GET", calendar + "a.ics").header("last-modified");
  const auto since = "If-Unmodified-Since: " + modified + "\r\n";
  EXPECT_EQ(client.request("GET", calendar + "a.ics", since).status, 200);
  EXPECT_EQ(client.request("PUT", calendar + "a.ics", before + if_match(tag), event("a")).status, 204);
  EXPECT_EQ(client.request("PUT", calendar + "b.ics", before, event("b")).status, 201);
  EXPECT_EQ(client.request("PUT", calendar + "a.ics", "If-Unmodified-Since: whenever\r\n", event("a")).status,
            204);
}

TEST_F(ConditionsTest, DeleteHasConditionsToo) {
  auto client = connect();
  const auto tag = client.request("PUT", calendar + "a.ics", {}, event("a")).header("etag");
  EXPECT_EQ(client.request("DELETE", calendar + "a.ics", if_match("\"other\"")).status, 412);
  EXPECT_EQ(client.request("DELETE", calendar + "a.ics", if_match(tag)).status, 204);
  EXPECT_EQ(client.request("DELETE", calendar + "a.ics").status, 404);
  EXPECT_EQ(client.request("DELETE", calendar + "nowhere/a.ics").status, 404);
  EXPECT_EQ(client.request("GET", calendar + "a.ics").status, 404);
}

TEST_F(ConditionsTest, ACalendarIsDeletedWithWhatIsInIt) {
  auto client = connect();
  client.request("PUT", calendar + "a.ics", {}, event("a"));
  EXPECT_EQ(client.request("DELETE", calendar, "Depth: 0\r\n").status, 400);
  EXPECT_EQ(client.request("DELETE", calendar).status, 204);
  EXPECT_EQ(client.request("GET", calendar + "a.ics").status, 404);
  EXPECT_EQ(client.request("MKCALENDAR", calendar).status, 201);
  EXPECT_EQ(client.request("GET", calendar + "a.ics").status, 404);
  EXPECT_EQ(client.request("DELETE", "/dav/calendars/alice/").status, 405);
}

TEST_F(ConditionsTest, OfConcurrentPutsWithOneTagExactlyOneWins) {
  auto client = connect();
  const auto tag = client.request("PUT", calendar + "a.ics", {}, event("a")).header("etag");
  std::atomic<int> won = 0, lost = 0;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 8; ++writer) {
    writers.emplace_back([&, writer] {
      auto own = connect();
      const auto status = own.request("PUT", calendar + "a.ics", if_match(tag),
                                      event("a", "X-W:" + std::to_string(writer) + "\r\n"))
                              .status;
      ++(status == 204 ? won : lost);
      EXPECT_TRUE(status == 204 || status == 412) << status;
    });
  }
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(won, 1);
  EXPECT_EQ(lost, 7);
}

}  // namespace
}  // namespace pollux::testing
