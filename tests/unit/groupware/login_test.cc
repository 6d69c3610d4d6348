// Basic authentication, and revocation.
#include <thread>

#include "gateway_fixture.h"
#include "pollux/groupware/passwords.h"

namespace pollux::testing {
namespace {

class LoginTest : public GatewayTest {};

TEST_F(LoginTest, WithoutALoginThereIsAChallenge) {
  auto client = connect();
  client.login.clear();
  const auto answer = client.request("GET", "/dav/");
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(answer.header("www-authenticate"), "Basic realm=\"Pollux\", charset=\"UTF-8\"");
}

TEST_F(LoginTest, WrongLoginsAreRefusedAlike) {
  auto client = connect();
  client.login = "alice:wrong";
  const auto wrong = client.request("GET", "/dav/");
  EXPECT_EQ(wrong.status, 401);
  for (const std::string& login :
       {std::string("nobody:wonder land"), "alice:" + std::string(2000, 'x'), std::string("no colon"),
        std::string(":"), std::string(5000, 'u') + ":p", std::string("al\0ice:p", 8)}) {
    client.login = login;
    const auto answer = client.request("GET", "/dav/");
    EXPECT_EQ(answer.status, 401) << login;
    EXPECT_EQ(answer.body, wrong.body);
  }
  client.login.clear();
  for (const char* header : {"Authorization: Basic ???\r\n", "Authorization: Bearer x\r\n",
                             "Authorization: Basic\r\n", "Authorization: \r\n"}) {
    EXPECT_EQ(client.request("GET", "/dav/", header).status, 401) << header;
  }
}

TEST_F(LoginTest, APasswordMayHaveColonsAndUnicode) {
  pair->add_user("bob", "a:b: pässwörd");
  auto client = connect();
  client.login = "bob:a:b: pässwörd";
  EXPECT_EQ(client.request("GET", "/dav/").status, 200);
}

TEST_F(LoginTest, AVerifiedLoginIsNotVerifiedAgain) {
  auto client = connect();
  ASSERT_EQ(client.request("GET", calendar + "x").status, 404);
  const auto queried = pair->queried.load();
  for (int request = 0; request < 5; ++request) EXPECT_EQ(client.request("GET", calendar + "x").status, 404);
  EXPECT_EQ(pair->queried - queried, 5U);  // one query each, none for credentials
}

TEST_F(LoginTest, ManyRequestsWithANewLoginWaitForOneVerification) {
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (int number = 0; number < 30; ++number) clients.push_back(std::make_unique<HttpClient>(server->port()));
  pair->go_away();
  const auto text =
      "GET " + calendar + "x HTTP/1.1\r\nHost: x\r\n" + authorization("alice:wonder land") + "\r\n";
  for (auto& client : clients) client->send(text);
  pair->wait_for_waiting(1);
  pair->come_back();
  for (auto& client : clients) EXPECT_EQ(client->receive()->status, 404);
  EXPECT_LE(pair->queried, 30U + 2U);  // a straggler may have asked once more
}

TEST_F(LoginTest, AChangedPasswordCountsAtOnce) {
  auto client = connect();
  ASSERT_EQ(client.request("PUT", calendar + "a.ics", {}, event("a")).status, 201);
  pair->now(GroupwareRequest(SetPassword{"alice", hash_password("new").value()}));
  EXPECT_EQ(client.request("GET", calendar + "a.ics").status, 401);
  EXPECT_EQ(client.request("PUT", calendar + "a.ics", {}, event("a")).status, 401);
  EXPECT_EQ(client.request("PROPFIND", "/", "Depth: 0\r\n").status, 401);
  client.login = "alice:new";
  EXPECT_EQ(client.request("GET", calendar + "a.ics").status, 200);
}

TEST_F(LoginTest, ALoginWhoseVersionIsOldButWhosePasswordIsRightGoesOn) {
  auto client = connect();
  ASSERT_EQ(client.request("PUT", calendar + "a.ics", {}, event("a")).status, 201);
  pair->now(GroupwareRequest(SetPassword{"alice", hash_password("wonder land").value()}));
  EXPECT_EQ(client.request("PUT", calendar + "a.ics", {}, event("a")).status, 204);
}

TEST_F(LoginTest, ARemovedUserIsOutAtOnce) {
  auto client = connect();
  ASSERT_EQ(client.request("PROPFIND", "/", "Depth: 0\r\n").status, 207);
  pair->now(GroupwareRequest(RemoveUser{"alice"}));
  EXPECT_EQ(client.request("PROPFIND", "/", "Depth: 0\r\n").status, 401);
}

TEST_F(LoginTest, ANarrowCacheAndQueueStillServe) {
  GatewayLimits limits;
  limits.login_cache_max = 1;
  start(limits);
  pair->add_user("bob", "wonder land");
  for (int round = 0; round < 2; ++round) {
    auto client = connect();
    EXPECT_EQ(client.request("GET", "/dav/").status, 200);
    client.login = "bob:wonder land";
    EXPECT_EQ(client.request("GET", "/dav/").status, 200);
  }
}

TEST_F(LoginTest, AFullQueueOfPasswordsSaysComeBack) {
  GatewayLimits limits;
  limits.login_queue_max = 1;
  start(limits);
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (int number = 0; number < 10; ++number) {
    clients.push_back(std::make_unique<HttpClient>(server->port()));
    clients.back()->send("GET / HTTP/1.1\r\nHost: x\r\n" + authorization("alice:" + std::to_string(number)) +
                         "\r\n");
  }
  int refused = 0, busy = 0;
  for (auto& client : clients) ++(client->receive()->status == 401 ? refused : busy);
  EXPECT_EQ(refused + busy, 10);
  EXPECT_GE(refused, 1);
  EXPECT_GE(busy, 1);
}

TEST(Listen, OnlyLoopbackAddressesAreTaken) {
  for (const char* listen : {"0.0.0.0:0", "[::]:0", "192.0.2.1:80", "nonsense", "127.0.0.1", "127.0.0.1:x",
                             "127.0.0.1:99999", "example.com:80", ":80"}) {
    const auto opened = GatewayServer::open({.listen = listen, .threads = 1, .limits = {}, .tls = {}},
                                            std::make_unique<FakePair>());
    ASSERT_FALSE(opened) << listen;
    EXPECT_EQ(opened.error().code, Code::bad_config) << listen;
  }
  EXPECT_TRUE(GatewayServer::open({.listen = "localhost:0", .threads = 1, .limits = {}, .tls = {}},
                                  std::make_unique<FakePair>()));
}

TEST(Listen, ATakenPortIsSaidClearly) {
  const auto first = GatewayServer::open({.listen = "127.0.0.1:0", .threads = 1, .limits = {}, .tls = {}},
                                         std::make_unique<FakePair>());
  ASSERT_TRUE(first);
  const auto second = GatewayServer::open(
      {.listen = (*first)->listening(), .threads = 1, .limits = {}, .tls = {}}, std::make_unique<FakePair>());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::in_use);
  EXPECT_NE(second.error().text.find((*first)->listening()), std::string::npos);
}

}  // namespace
}  // namespace pollux::testing
