// HTTP itself: keep-alive, pipelining, HEAD, continue, chunks, and what is refused.
#include "gateway_fixture.h"

namespace pollux::testing {
namespace {

class HttpTest : public GatewayTest {
 protected:
  static std::string get(const std::string& target, const std::string& version = "1.1",
                         const std::string& more = {}) {
    return "GET " + target + " HTTP/" + version + "\r\nHost: x\r\n" + authorization("alice:wonder land") +
           more + "\r\n";
  }
  static std::string put(const std::string& target, const std::string& more, const std::string& body = {}) {
    return "PUT " + target + " HTTP/1.1\r\nHost: x\r\n" + authorization("alice:wonder land") + more + "\r\n" +
           body;
  }
};

TEST_F(HttpTest, OptionsNeedsNoLoginAndTellsWhatIsThere) {
  auto client = connect();
  client.login.clear();
  const auto answer = client.request("OPTIONS", "/dav/");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("dav"), "1, 2, 3, calendar-access, addressbook, extended-mkcol");
  EXPECT_EQ(answer.header("allow"), "OPTIONS, GET, HEAD, PROPFIND, REPORT");
  EXPECT_EQ(client.request("OPTIONS", "*").status, 200);
  EXPECT_EQ(client.request("OPTIONS", calendar + "a.ics").header("allow"),
            "OPTIONS, GET, HEAD, PROPFIND, REPORT, PROPPATCH, PUT, DELETE, COPY, MOVE, LOCK, UNLOCK, MKCOL");
}

TEST_F(HttpTest, WellKnownRedirects) {
  auto client = connect();
  client.login.clear();
  for (const char* method : {"GET", "PROPFIND"}) {
    const auto answer = client.request(method, "/.well-known/caldav");
    EXPECT_EQ(answer.status, 301);
    EXPECT_EQ(answer.header("location"), "/dav/");
  }
}

TEST_F(HttpTest, UnknownMethodsAndWrongPlacesSayWhatIsAllowed) {
  auto client = connect();
  EXPECT_EQ(client.request("BREW", "/").status, 501);
  EXPECT_EQ(client.request("POST", calendar).status, 501);
  const auto answer = client.request("DELETE", "/dav/");
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.header("allow"), "OPTIONS, GET, HEAD, PROPFIND, REPORT");
  EXPECT_EQ(client.request("GET", "/nothing").status, 404);
}

TEST_F(HttpTest, CollectionsAnswerGetWithASentence) {
  auto client = connect();
  for (const auto& target :
       {std::string("/"), std::string("/dav/"), std::string("/dav/calendars/alice/"), calendar}) {
    EXPECT_EQ(client.request("GET", target).status, 200) << target;
  }
}

TEST_F(HttpTest, ARequestNamesOneHost) {
  for (const char* hosts : {"", "Host: a\r\nhost: b\r\n"}) {
    auto client = connect();
    client.send("GET / HTTP/1.1\r\n" + std::string(hosts) + authorization("alice:wonder land") + "\r\n");
    const auto answer = client.receive();
    ASSERT_TRUE(answer.has_value()) << hosts;
    EXPECT_EQ(answer->status, 400) << hosts;
  }
}

TEST_F(HttpTest, AConnectionIsKept) {
  auto client = connect();
  for (int request = 0; request < 20; ++request) {
    const auto answer = client.request("GET", "/dav/");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.header("connection"), "");
  }
  EXPECT_EQ(server->connections(), 1U);
}

TEST_F(HttpTest, PipelinedRequestsAreAnsweredInOrder) {
  auto client = connect();
  std::string all;
  for (int number = 0; number < 50; ++number) {
    const auto body = event("uid-" + std::to_string(number));
    const auto target = calendar + std::to_string(number) + ".ics";
    all += put(target, "Content-Length: " + std::to_string(body.size()) + "\r\n", body) + get(target);
  }
  ASSERT_TRUE(client.send(all));
  for (int number = 0; number < 50; ++number) {
    EXPECT_EQ(client.receive()->status, 201);
    EXPECT_EQ(client.receive()->body, event("uid-" + std::to_string(number)));
  }
}

TEST_F(HttpTest, ARequestMayComeByteByByte) {
  auto client = connect();
  const auto body = event("slow");
  for (const char byte :
       put(calendar + "slow.ics", "Content-Length: " + std::to_string(body.size()) + "\r\n", body)) {
    ASSERT_TRUE(client.send({&byte, 1}));
  }
  EXPECT_EQ(client.receive()->status, 201);
}

TEST_F(HttpTest, Http10ClosesUnlessKeepAliveIsAskedFor) {
  auto client = connect();
  client.send(get("/dav/", "1.0", "Connection: keep-alive\r\n"));
  EXPECT_EQ(client.receive()->header("connection"), "keep-alive");
  client.send(get("/dav/", "1.0"));
  EXPECT_EQ(client.receive()->header("connection"), "close");
  EXPECT_TRUE(client.is_closed());
}

TEST_F(HttpTest, ConnectionCloseIsObeyed) {
  auto client = connect();
  client.send(get("/dav/", "1.1", "Connection: close\r\n"));
  EXPECT_EQ(client.receive()->header("connection"), "close");
  EXPECT_TRUE(client.is_closed());
}

TEST_F(HttpTest, HeadHasTheHeadersOfGetAndNoBody) {
  auto client = connect();
  client.request("PUT", calendar + "a.ics", {}, event("a"));
  const auto head = client.request("HEAD", calendar + "a.ics");
  const auto body = client.request("GET", calendar + "a.ics");
  EXPECT_EQ(head.header("content-length"), body.header("content-length"));
  EXPECT_EQ(client.request("HEAD", calendar + "nothing.ics").status, 404);
  EXPECT_EQ(client.request("GET", "/dav/").status, 200);  // nothing of a body was left over
}

TEST_F(HttpTest, AContinueIsSaidBeforeTheBody) {
  auto client = connect();
  const auto body = event("a");
  client.send(put(calendar + "a.ics",
                  "Expect: 100-continue\r\nContent-Length: " + std::to_string(body.size()) + "\r\n"));
  EXPECT_EQ(client.receive()->status, 100);
  client.send(body);
  EXPECT_EQ(client.receive()->status, 201);
}

TEST_F(HttpTest, NoContinueIsSaidToWhatIsRefused) {
  const auto expecting = "Expect: 100-continue\r\nContent-Length: 1000\r\n";
  auto no_login = connect();
  no_login.send("PUT " + calendar + "a.ics HTTP/1.1\r\nHost: x\r\n" + expecting + "\r\n");
  EXPECT_EQ(no_login.receive()->status, 401);
  EXPECT_TRUE(no_login.is_closed());
  auto too_large = connect();
  too_large.send(put(calendar + "a.ics", "Expect: 100-continue\r\nContent-Length: 999999999999\r\n"));
  EXPECT_EQ(too_large.receive()->status, 413);
  auto other = connect();
  other.send(put(calendar + "a.ics", "Expect: tea\r\nContent-Length: 5\r\n"));
  EXPECT_EQ(other.receive()->status, 417);
}

TEST_F(HttpTest, ChunkedBodiesAreTaken) {
  auto client = connect();
  const auto body = event("a");
  std::string chunks;
  for (std::size_t at = 0; at < body.size(); at += 10) {
    const auto part = body.substr(at, 10);
    chunks += (part.size() == 10 ? "a" : std::to_string(part.size())) + ";ext=\"x\"\r\n" + part + "\r\n";
  }
  chunks += "0\r\nX-Trailer: y\r\n\r\n";
  client.send(put(calendar + "a.ics", "Transfer-Encoding: chunked\r\n", chunks));
  EXPECT_EQ(client.receive()->status, 201);
  EXPECT_EQ(client.request("GET", calendar + "a.ics").body, body);
}

TEST_F(HttpTest, ChunkedBodiesAndContinueGoTogether) {
  auto client = connect();
  client.send(put(calendar + "a.ics", "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n"));
  EXPECT_EQ(client.receive()->status, 100);
  const auto body = event("a");
  char size[16];
  std::snprintf(size, sizeof size, "%zx", body.size());
  client.send(std::string(size) + "\r\n" + body + "\r\n0\r\n\r\n");
  EXPECT_EQ(client.receive()->status, 201);
}

TEST_F(HttpTest, AmbiguousLengthsAreRefused) {
  for (const char* headers :
       {"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: -5\r\n", "Content-Length: 5x\r\n", "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: chunked, chunked\r\n"}) {
    auto client = connect();
    client.send(put(calendar + "a.ics", headers, "0\r\n\r\n"));
    const auto answer = client.receive();
    ASSERT_TRUE(answer) << headers;
    EXPECT_TRUE(answer->status == 400 || answer->status == 501) << headers << answer->status;
    EXPECT_TRUE(client.is_closed()) << headers;
  }
}

TEST_F(HttpTest, GarbageGetsOneClearAnswer) {
  for (const std::string& text :
       {std::string("hello\r\n\r\n"), std::string("GET / HTTP/2.0\r\n\r\n"),
        std::string("GET  / HTTP/1.1\r\n\r\n"),
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 TLS \r\n\r\n", 20),
        std::string("GET / HTTP/1.1\r\nno colon\r\n\r\n"), std::string("GET / HTTP/1.1\r\n\r\n")}) {
    auto client = connect();
    client.send(text);
    client.finish_sending();
    const auto answer = client.receive();
    ASSERT_TRUE(answer) << text;
    EXPECT_TRUE(answer->status == 400 || answer->status == 505) << answer->status << text;
    EXPECT_TRUE(client.is_closed());
  }
  EXPECT_EQ(connect().request("GET", "/dav/").status, 200);
}

TEST_F(HttpTest, AnUnwantedSmallBodyDoesNotEndTheConnection) {
  auto client = connect();
  client.login.clear();
  EXPECT_EQ(client.request("PUT", calendar + "a.ics", {}, event("a")).status, 401);
  client.login = "alice:wonder land";
  EXPECT_EQ(client.request("PUT", calendar + "a.ics", {}, event("a")).status, 201);
  EXPECT_EQ(server->connections(), 1U);
}

TEST_F(HttpTest, AClientThatLeavesInTheMiddleStoresNothing) {
  {
    auto client = connect();
    client.send(put(calendar + "a.ics", "Content-Length: 10000\r\n", event("a")));
  }
  EXPECT_EQ(connect().request("GET", calendar + "a.ics").status, 404);
}

TEST_F(HttpTest, SeveralThreadsServe) {
  start({}, 3);
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (int client = 0; client < 12; ++client) clients.push_back(std::make_unique<HttpClient>(server->port()));
  for (int round = 0; round < 3; ++round) {
    for (auto& client : clients) client->send(get("/dav/calendars/alice/"));
    for (auto& client : clients) EXPECT_EQ(client->receive()->status, 200);
  }
}

}  // namespace
}  // namespace pollux::testing
