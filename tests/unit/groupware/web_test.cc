// The page's files are served to anybody, and nothing else is.
#include "gateway_fixture.h"

namespace pollux::testing {
namespace {

class WebPageTest : public GatewayTest {
 protected:
  static std::string raw(const std::string& target, const std::string& more) {
    return "GET " + target + " HTTP/1.1\r\nHost: x\r\n" + more + "\r\n";
  }
};

TEST_F(WebPageTest, ABrowserGetsThePageWithoutALogin) {
  auto client = connect();
  client.send(raw("/", "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n"));
  const auto answer = client.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->header("content-type"), "text/html; charset=utf-8");
  EXPECT_NE(answer->body.find("Pollux groupware"), std::string::npos);
  EXPECT_NE(answer->header("content-security-policy").find("default-src 'none'"), std::string::npos);
}

TEST_F(WebPageTest, EveryFileThatThePageNamesIsThere) {
  auto client = connect();
  client.login.clear();
  for (const char* name : {"page.js", "dav.js", "ical.js", "style.css"}) {
    const auto answer = client.request("GET", std::string("/web/") + name);
    EXPECT_EQ(answer.status, 200) << name;
    EXPECT_FALSE(answer.body.empty()) << name;
  }
}

TEST_F(WebPageTest, WhatTheBrowserHasIsNotSentAgain) {
  auto client = connect();
  client.login.clear();
  const auto first = client.request("GET", "/web/page.js");
  client.send(raw("/web/page.js", "If-None-Match: " + first.header("etag") + "\r\n"));
  const auto again = client.receive(true);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->status, 304);
}

TEST_F(WebPageTest, ProgramsAndOtherPathsMustLogIn) {
  auto client = connect();
  client.login.clear();
  EXPECT_EQ(client.request("GET", "/").status, 401) << "a program that asks for no HTML";
  EXPECT_EQ(client.request("GET", "/web/").status, 401);
  EXPECT_EQ(client.request("GET", "/web/../CMakeLists.txt").status, 400);
  EXPECT_EQ(client.request("GET", "/web/page.js.map").status, 401);
  EXPECT_EQ(client.request("PUT", "/web/page.js", {}, "x").status, 401);
}

}  // namespace
}  // namespace pollux::testing
