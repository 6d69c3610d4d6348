// Whatever a client sends on a connection: a whole gateway over a pair in this process, over a real socket.
// The connection ends, what is answered is HTTP, and the gateway goes on.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>

#include "fake_pair.h"
#include "http/server.h"
#include "pollux/core/check.h"

namespace pollux::testing {

/// A gateway with the user alice, whose password is "wonder land", and an event and a file to ask for.
/// Requests of earlier inputs have left their traces: it is made anew now and then, so that an input that
/// fails does so again.
class FuzzedGateway {
 public:
  static FuzzedGateway& instance() {
    static FuzzedGateway one;
    return one;
  }
  void send(std::string_view bytes) {
    if (++inputs_ % inputs_a_server == 0) open();
    const int fd = connect();
    std::string_view rest = bytes;
    while (!rest.empty()) {
      const ssize_t count = ::send(fd, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (count <= 0) break;  // it has heard enough
      rest.remove_prefix(static_cast<std::size_t>(count));
    }
    ::shutdown(fd, SHUT_WR);
    std::string answer;
    char part[16384];
    ssize_t count = 0;
    while ((count = ::recv(fd, part, sizeof part, 0)) > 0)
      answer.append(part, static_cast<std::size_t>(count));
    POLLUX_CHECK(count == 0 || errno != EAGAIN);  // it does not leave the connection open
    POLLUX_CHECK(answer.empty() || answer.starts_with("HTTP/1.1 "));
    ::close(fd);
  }

 private:
  static constexpr int inputs_a_server = 2000;
  static constexpr int answer_s_max = 20;

  FuzzedGateway() { open(); }

  void open() {
    server_.reset();
    auto pair = std::make_unique<FakePair>();
    pair->add_user("alice", "wonder land");
    GatewayLimits limits;
    // Nobody waits in vain, and nothing is kept: small and short.
    limits.header = limits.idle = limits.transfer = std::chrono::milliseconds(5000);
    limits.linger = std::chrono::milliseconds(50);
    limits.sweep = std::chrono::milliseconds(20);
    limits.body_bytes_max = limits.xml_bytes_max = 64u << 10;
    auto opened = GatewayServer::open({.listen = "127.0.0.1:0", .threads = 1, .limits = limits, .tls = {}},
                                      std::move(pair));
    POLLUX_CHECK(opened.has_value());
    server_ = std::move(*opened);
    send(put("/dav/calendars/alice/default/a.ics",
             "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:a\r\nDTSTAMP:"
             "20240101T000000Z\r\nDTSTART:"
             "20240101T100000Z\r\nRRULE:FREQ=DAILY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"));
    send(put("/dav/files/alice/a.txt", "hello"));
  }
  static std::string put(const std::string& path, const std::string& body) {
    return "PUT " + path +
           " HTTP/1.1\r\nHost: x\r\nAuthorization: Basic YWxpY2U6d29uZGVyIGxhbmQ=\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  [[nodiscard]] int connect() const {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(server_->port());
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval limit{answer_s_max, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    POLLUX_CHECK(fd >= 0 && ::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
    return fd;
  }

  std::unique_ptr<GatewayServer> server_;
  int inputs_ = 0;
};

inline void try_http(std::string_view bytes) { FuzzedGateway::instance().send(bytes); }

}  // namespace pollux::testing
