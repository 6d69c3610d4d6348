// A gateway on a free port over a fake pair, with one user.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "fake_pair.h"
#include "http/server.h"
#include "http_client.h"

namespace pollux::testing {

class GatewayTest : public ::testing::Test {
 protected:
  void SetUp() override { start({}); }

  void start(const GatewayLimits& limits, std::size_t threads = 1) {
    server.reset();
    auto owned = std::make_unique<FakePair>();
    pair = owned.get();
    pair->add_user("alice", "wonder land");
    auto opened = GatewayServer::open(
        {.listen = "127.0.0.1:0", .threads = threads, .limits = limits, .tls = {}}, std::move(owned));
    ASSERT_TRUE(opened) << opened.error().text;
    server = std::move(*opened);
  }

  [[nodiscard]] HttpClient connect() const { return HttpClient(server->port()); }

  std::unique_ptr<GatewayServer> server;
  FakePair* pair = nullptr;
};

inline std::string read_data(const std::string& name) {
  std::ifstream file(std::string(POLLUX_TEST_DATA) + "/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  std::ostringstream content;
  content << file.rdbuf();
  return std::move(content).str();
}

inline std::string event(const std::string& uid, const std::string& more = {}) {
  return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\nBEGIN:VEVENT\r\nUID:" + uid +
         "\r\nDTSTAMP:20240101T000000Z\r\nDTSTART:20240101T100000Z\r\nDTEND:20240101T110000Z\r\nSUMMARY:"
         "Tea\r\n" +
         more + "END:VEVENT\r\nEND:VCALENDAR\r\n";
}

inline const std::string calendar = "/dav/calendars/alice/default/";

}  // namespace pollux::testing
