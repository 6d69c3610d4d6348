// What clients see while the pair is away, and when it answers with errors.
#include "gateway_fixture.h"

namespace pollux::testing {
namespace {

class TakeoverTest : public GatewayTest {};

TEST_F(TakeoverTest, RequestsWaitForThePairToComeBack) {
  auto client = connect();
  ASSERT_EQ(client.request("PUT", calendar + "a.ics", {}, event("a")).status, 201);
  pair->go_away();
  const auto text =
      "GET " + calendar + "a.ics HTTP/1.1\r\nHost: x\r\n" + authorization("alice:wonder land") + "\r\n";
  client.send(text);
  pair->wait_for_waiting(1);
  pair->come_back();
  EXPECT_EQ(client.receive()->status, 200);
}

TEST_F(TakeoverTest, ErrorsOfThePairHaveTheirStatus) {
  auto client = connect();
  ASSERT_EQ(client.request("GET", "/dav/").status, 200);
  const auto status = [&](Code code) {
    pair->answer_next({code, "why", 3000});
    return client.request("PUT", calendar + "a.ics", {}, event("a"));
  };
  for (const Code code :
       {Code::unreachable, Code::busy, Code::deadline_exceeded, Code::tombstone, Code::stopping}) {
    const auto answer = status(code);
    EXPECT_EQ(answer.status, 503) << to_string(code);
    EXPECT_EQ(answer.header("retry-after"), "3");
  }
  for (const Code code : {Code::in_doubt, Code::session_expired, Code::sync_id_too_old}) {
    const auto doubt = status(code);  // it may have been done: "try again" would be wrong
    EXPECT_EQ(doubt.status, 503) << to_string(code);
    EXPECT_NE(doubt.body.find("not known"), std::string::npos) << doubt.body;
  }
  EXPECT_EQ(status(Code::full).status, 507);
  EXPECT_EQ(status(Code::too_large).status, 413);
  EXPECT_EQ(status(Code::quarantined).status, 500);
  EXPECT_EQ(status(Code::aborted).status, 500);
  EXPECT_EQ(client.request("PUT", calendar + "a.ics", {}, event("a")).status, 201);
}

TEST_F(TakeoverTest, ALoginThatCanNotBeVerifiedIsNotRefused) {
  pair->answer_next({Code::unreachable, "away", 0});
  auto client = connect();
  EXPECT_EQ(client.request("GET", "/dav/").status, 503);
  EXPECT_EQ(client.request("GET", "/dav/").status, 200);
}

TEST_F(TakeoverTest, StoppingAnswersWhatIsOpenAndClosesWhatIsIdle) {
  auto busy = connect(), idle = connect();
  ASSERT_EQ(busy.request("GET", "/dav/").status, 200);
  ASSERT_EQ(idle.request("GET", "/dav/").status, 200);
  pair->go_away();
  busy.send("GET " + calendar + "x HTTP/1.1\r\nHost: x\r\n" + authorization("alice:wonder land") + "\r\n");
  pair->wait_for_waiting(1);
  std::thread stopper([&] { server->stop(); });
  EXPECT_TRUE(idle.is_closed());
  pair->come_back();
  const auto answer = busy.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 404);
  EXPECT_EQ(answer->header("connection"), "close");
  stopper.join();
}

TEST_F(TakeoverTest, StoppingDoesNotWaitForEverForThePair) {
  GatewayLimits limits;
  limits.stop = std::chrono::milliseconds(100);
  start(limits);
  auto client = connect();
  ASSERT_EQ(client.request("GET", "/dav/").status, 200);
  pair->go_away();
  client.send("GET " + calendar + "x HTTP/1.1\r\nHost: x\r\n" + authorization("alice:wonder land") + "\r\n");
  pair->wait_for_waiting(1);
  server->stop();
  EXPECT_TRUE(client.is_closed());
}

}  // namespace
}  // namespace pollux::testing
