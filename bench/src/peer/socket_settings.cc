#include "peer/socket_settings.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <charconv>

#include "run/format.h"

namespace pollux {

namespace {
std::uint32_t number(const Facts& facts, std::string_view name) {
  const auto text = fact(facts, name);
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::uint32_t option(int fd, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  getsockopt(fd, SOL_SOCKET, name, &value, &size);
  return static_cast<std::uint32_t>(value) / 2;
}
}  // namespace

Facts SocketSettings::facts() const {
  return {{"buffer_bytes", std::to_string(buffer_bytes)},
          {"nodelay", nodelay ? "1" : "0"},
          {"busy_poll_us", std::to_string(busy_poll_us)}};
}

SocketSettings settings_of(const Facts& facts) {
  return {.buffer_bytes = number(facts, "buffer_bytes"),
          .nodelay = number(facts, "nodelay") != 0,
          .busy_poll_us = number(facts, "busy_poll_us")};
}

void apply_settings(int fd, const SocketSettings& settings) {
  const auto set = [fd](int level, int name, int value) {
    setsockopt(fd, level, name, &value, sizeof value);
  };
  if (settings.buffer_bytes != 0) {
    set(SOL_SOCKET, SO_SNDBUF, static_cast<int>(settings.buffer_bytes));
    set(SOL_SOCKET, SO_RCVBUF, static_cast<int>(settings.buffer_bytes));
  }
  set(IPPROTO_TCP, TCP_NODELAY, settings.nodelay ? 1 : 0);
  if (settings.busy_poll_us != 0) set(SOL_SOCKET, SO_BUSY_POLL, static_cast<int>(settings.busy_poll_us));
}

GrantedBuffers granted_buffers(int fd) { return {option(fd, SO_SNDBUF), option(fd, SO_RCVBUF)}; }

std::string shortfall(const SocketSettings& asked, const GrantedBuffers& granted, const std::string& whose) {
  const auto tell = [&](const char* which, std::uint32_t got, const char* key) -> std::string {
    if (asked.buffer_bytes == 0 || got >= asked.buffer_bytes) return "";
    return whose + " was granted a " + which + " buffer of " + size_text(got) + " instead of " +
           size_text(asked.buffer_bytes) + ": raise net.core." + key + " with sysctl";
  };
  auto text = tell("send", granted.send_bytes, "wmem_max");
  return text.empty() ? tell("receive", granted.receive_bytes, "rmem_max") : text;
}

}  // namespace pollux
