#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "host/pinned.h"
#include "peer/channel.h"
#include "peer/echo.h"
#include "peer/orders.h"
#include "peer/socket_settings.h"

namespace pollux {

namespace {

std::optional<std::uint64_t> number(const Facts& words, std::string_view name) {
  const auto text = fact(words, name);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::unexpected<Error> system_error(const std::string& what) {
  return fail(Code::io_error, "can't " + what + ": " + std::strerror(errno));
}

// One connection; the guard ends the wait if the benchmark has gone.
Result<int> accept_on(int listening, StallGuard& guard) {
  for (;;) {
    const int fd = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd >= 0) {
      close(listening);
      return fd;
    }
    if (errno == EINTR && !guard.given_up()) continue;
    const auto error = system_error("accept a connection");
    close(listening);
    return error;
  }
}

Result<int> open_fifo(const std::string& path, int flags, StallGuard& guard) {
  for (;;) {
    const int fd = open(path.c_str(), flags | O_CLOEXEC);
    if (fd >= 0) return fd;
    if (errno != EINTR || guard.given_up()) return system_error("open " + path);
  }
}

using Opened = Result<std::unique_ptr<Channel>>;

Result<void> say_ready(LineSocket& control, Facts words) {
  return control.write({"ready", std::move(words)});
}

Opened open_unix(const Facts& words, LineSocket& control, StallGuard& guard) {
  auto listening = listen_unix(std::string(fact(words, "path")));
  if (!listening) return std::unexpected(listening.error());
  if (auto said = say_ready(control, {}); !said) return std::unexpected(said.error());
  auto fd = accept_on(*listening, guard);
  if (!fd) return std::unexpected(fd.error());
  return stream_channel(*fd, *fd, guard);
}

Opened open_tcp(const Facts& words, LineSocket& control, StallGuard& guard) {
  const auto settings = settings_of(words);
  const auto host = local_address(control.fd());
  auto listening = listen_tcp(host && !host->first.empty() ? host->first : "127.0.0.1", "0");
  if (!listening) return std::unexpected(listening.error());
  apply_settings(*listening, settings);
  const auto address = local_address(*listening);
  if (!address) return std::unexpected(address.error());
  if (auto said = say_ready(control, {{"port", address->second}}); !said)
    return std::unexpected(said.error());
  auto fd = accept_on(*listening, guard);
  if (!fd) return std::unexpected(fd.error());
  apply_settings(*fd, settings);
  return stream_channel(*fd, *fd, guard);
}

Opened open_pipes(const Facts& words, LineSocket& control, StallGuard& guard) {
  if (auto said = say_ready(control, {}); !said) return std::unexpected(said.error());
  // In the same order as the client, who opens the other ends: each open() waits for its counterpart.
  auto in = open_fifo(std::string(fact(words, "to_server")), O_RDONLY, guard);
  if (!in) return std::unexpected(in.error());
  auto out = open_fifo(std::string(fact(words, "to_client")), O_WRONLY, guard);
  if (!out) {
    close(*in);
    return std::unexpected(out.error());
  }
  return stream_channel(*in, *out, guard);
}

Opened open_ring(const Facts& words, RingWait wait, LineSocket& control, StallGuard& guard) {
  const auto path = std::string(fact(words, "memory"));
  const int memory = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (memory < 0) return system_error("open the shared memory " + path);
  std::string why_not;
  auto channel = ring_channel(memory, Side::server, wait, guard, why_not);
  if (channel == nullptr) return fail(Code::io_error, why_not);
  if (auto said = say_ready(control, {}); !said) return std::unexpected(said.error());
  return channel;
}

Opened open_zmq(const std::string& endpoint, LineSocket& control, StallGuard& guard) {
  std::string why_not;
  auto channel = zmq_channel(zmq_context(), Side::server, endpoint, guard, why_not);
  if (channel == nullptr) return fail(Code::io_error, why_not);
  const auto bound = zmq_endpoint_of(*channel);
  if (auto said = say_ready(control, {{"port", bound.substr(bound.rfind(':') + 1)}}); !said) {
    return std::unexpected(said.error());
  }
  return channel;
}

Opened open_channel(const Facts& words, LineSocket& control, StallGuard& guard) {
  const auto transport = fact(words, "transport");
  if (transport == "unix-socket") return open_unix(words, control, guard);
  if (transport == "tcp") return open_tcp(words, control, guard);
  if (transport == "pipe") return open_pipes(words, control, guard);
  if (transport == "shm-busy") return open_ring(words, RingWait::busy, control, guard);
  if (transport == "shm-adaptive") return open_ring(words, RingWait::adaptive, control, guard);
  if (transport == "shm-blocking") return open_ring(words, RingWait::blocking, control, guard);
  if (transport == "zmq-ipc") return open_zmq("ipc://" + std::string(fact(words, "path")), control, guard);
  if (transport == "zmq-tcp") {
    const auto host = local_address(control.fd());
    return open_zmq("tcp://" + (host && !host->first.empty() ? host->first : "127.0.0.1") + ":*", control,
                    guard);
  }
  return fail(Code::invalid_argument, "unknown transport " + std::string(transport));
}

}  // namespace

Result<Facts> carry_out_echo(const Facts& words, LineSocket& control) {
  const auto bytes = number(words, "bytes");
  if (!bytes || *bytes == 0 || *bytes > peer_message_bytes_max) {
    return fail(Code::invalid_argument,
                "a message must have 1 byte to " + std::to_string(peer_message_bytes_max));
  }
  const auto cpu = number(words, "cpu");
  const PinnedHere pinned(cpu ? std::vector{static_cast<int>(*cpu)} : std::vector<int>{});
  if (!pinned.problem().empty()) return fail(Code::io_error, pinned.problem());
  StallGuard guard(peer_stall_limit, [&control] { return control.hung_up(); });
  auto channel = open_channel(words, control, guard);
  if (!channel) return std::unexpected(channel.error());
  const auto messages = serve_echo(**channel, *bytes, faults_of(words));
  return Facts{{"messages", std::to_string(messages)}};
}

}  // namespace pollux
