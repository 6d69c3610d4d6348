// Finding other users (RFC 3744, 9.4 and 9.5).
#include "gateway_fixture.h"

namespace pollux::testing {
namespace {

class PrincipalsTest : public GatewayTest {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    for (const std::string user : {"bob", "bea@example.org", "carl"}) {
      ASSERT_EQ(
          pair->now(GroupwareRequest(AddUser{user, user == "bob" ? "Robert <Bob> Miller" : user, "hash"}))
              .code,
          Code::ok);
    }
  }
  static bool has(const HttpAnswer& answer, std::string_view text) {
    return answer.body.find(text) != std::string::npos;
  }
  static std::string condition(const std::string& property, const std::string& match,
                               const std::string& more = {}) {
    return "<D:property-search><D:prop><" + property + "/></D:prop><D:match" + more + ">" + match +
           "</D:match></D:property-search>";
  }
  HttpAnswer search(const std::string& conditions, const std::string& target = "/dav/principals/",
                    const std::string& attributes = {}) {
    auto client = connect();
    return client.request(
        "REPORT", target, "Depth: 0\r\n",
        "<D:principal-property-search xmlns:D=\"DAV:\" xmlns:C=\"urn:ietf:params:xml:ns:caldav\"" +
            attributes + ">" + conditions +
            "<D:prop><D:displayname/><C:calendar-home-set/></D:prop></D:principal-property-search>");
  }
};

TEST_F(PrincipalsTest, UsersAreFoundByPartsOfTheirNames) {
  const auto found = search(condition("D:displayname", "mILLer"));
  ASSERT_EQ(found.status, 207) << found.body;
  EXPECT_TRUE(has(found, "<D:href>/dav/principals/bob/</D:href>"));
  EXPECT_TRUE(has(found, "<D:displayname>Robert &lt;Bob&gt; Miller</D:displayname>"));
  EXPECT_TRUE(has(found, "<D:href>/dav/calendars/bob/</D:href>"));
  EXPECT_FALSE(has(found, "/carl/"));
  EXPECT_FALSE(has(search(condition("D:displayname", "nobody")), "<D:response>"));
}

TEST_F(PrincipalsTest, TheyAreFoundByTheirAddresses) {
  const auto found = search(condition("C:calendar-user-address-set", "@example"));
  EXPECT_TRUE(has(found, "/dav/principals/bea@example.org/"));
  EXPECT_FALSE(has(found, "/bob/"));
}

TEST_F(PrincipalsTest, AllConditionsHaveToHoldUnlessOneIsEnough) {
  const std::string two = condition("D:displayname", "b") + condition("D:displayname", "miller");
  EXPECT_FALSE(has(search(two), "bea@"));
  EXPECT_TRUE(has(search(two, "/dav/principals/", " test=\"anyof\""), "bea@"));
  EXPECT_FALSE(has(search(condition("D:displayname", "iller", " match-type=\"starts-with\"")), "/bob/"));
  EXPECT_TRUE(has(search(condition("D:displayname", "robert", " match-type=\"starts-with\"")), "/bob/"));
  EXPECT_TRUE(has(search(condition("D:displayname", "carl", " match-type=\"equals\"")), "/carl/"));
}

TEST_F(PrincipalsTest, ASearchIsAskedWhereTheUsersAre) {
  const std::string any = condition("D:displayname", "b");
  const auto elsewhere = search(any, calendar);
  EXPECT_EQ(elsewhere.status, 403);
  EXPECT_TRUE(has(elsewhere, "<D:supported-report/>"));
  EXPECT_EQ(search(any + "<D:apply-to-principal-collection-set/>", calendar).status, 207);
  EXPECT_EQ(search("").status, 400);
  EXPECT_EQ(search("<D:property-search/>").status, 400);
}

TEST_F(PrincipalsTest, TooManyMatchesAreRefused) {
  for (int number = 0; number < 201; ++number) {
    ASSERT_EQ(pair->now(GroupwareRequest(AddUser{"user" + std::to_string(number), {}, "hash"})).code,
              Code::ok);
  }
  const auto refused = search(condition("D:displayname", "user"));
  EXPECT_EQ(refused.status, 403);
  EXPECT_TRUE(has(refused, "<D:number-of-matches-within-limits/>"));
  EXPECT_EQ(search(condition("D:displayname", "user1")).status, 207);
}

TEST_F(PrincipalsTest, WhatCanBeSearchedIsTold) {
  auto client = connect();
  const auto told =
      client.request("REPORT", "/dav/principals/", {}, "<D:principal-search-property-set xmlns:D=\"DAV:\"/>");
  EXPECT_EQ(told.status, 200);
  EXPECT_TRUE(has(told, "<D:principal-search-property><D:prop><D:displayname/></D:prop>"));
  const auto reports =
      client.request("PROPFIND", "/dav/principals/", "Depth: 0\r\n",
                     "<D:propfind xmlns:D=\"DAV:\"><D:prop><D:supported-report-set/></D:prop></D:propfind>");
  EXPECT_TRUE(has(reports, "<D:report><D:principal-property-search/></D:report>"));
}

}  // namespace
}  // namespace pollux::testing
