#include <sys/socket.h>
#include <unistd.h>
#include <zmq.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "peer/orders.h"
#include "peer/socket_settings.h"
#include "peer/stall_guard.h"
#include "pollux/bench/histogram.h"

namespace pollux {

namespace {

constexpr std::size_t read_bytes = 256u << 10;

std::uint64_t number(const Facts& words, std::string_view name) {
  const auto text = fact(words, name);
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

struct Received {
  std::uint64_t bytes = 0;
  std::int64_t first_ns = 0, last_ns = 0;  // when bytes came
  GrantedBuffers granted;
};

void count(Received& received, std::uint64_t bytes, std::int64_t now) {
  if (received.bytes == 0) received.first_ns = now;
  received.last_ns = now;
  received.bytes += bytes;
}

// Until the sender closes.
Received drain(int fd, const LineSocket& control) {
  StallGuard guard(peer_stall_limit, [&control] { return control.hung_up(); });
  Received received{.granted = granted_buffers(fd)};
  std::vector<char> buffer(read_bytes);
  for (;;) {
    const auto got = recv(fd, buffer.data(), buffer.size(), 0);
    if (got == 0 || (got < 0 && (errno != EINTR || guard.given_up()))) break;
    if (got < 0) continue;
    const auto now = monotonic_ns();
    count(received, static_cast<std::uint64_t>(got), now);
    guard.progress();
  }
  close(fd);
  return received;
}

Facts told(const std::vector<Received>& all) {
  Received sum;
  for (const auto& one : all) {
    if (one.bytes == 0) continue;
    if (sum.bytes == 0 || one.first_ns < sum.first_ns) sum.first_ns = one.first_ns;
    sum.last_ns = std::max(sum.last_ns, one.last_ns);
    sum.bytes += one.bytes;
    sum.granted = one.granted;
  }
  return {{"bytes", std::to_string(sum.bytes)},
          {"elapsed_ns", std::to_string(sum.last_ns - sum.first_ns)},
          {"send_buffer", std::to_string(sum.granted.send_bytes)},
          {"receive_buffer", std::to_string(sum.granted.receive_bytes)}};
}

std::string own_host(const LineSocket& control) {
  const auto host = local_address(control.fd());
  return host && !host->first.empty() ? host->first : "127.0.0.1";
}

Result<Facts> sink_raw(const Facts& words, unsigned sessions, LineSocket& control) {
  const auto settings = settings_of(words);
  auto listening = listen_tcp(own_host(control), "0");
  if (!listening) return std::unexpected(listening.error());
  apply_settings(*listening, settings);
  const auto address = local_address(*listening);
  if (!address) return std::unexpected(address.error());
  if (auto said = control.write({"ready", {{"port", address->second}}}); !said)
    return std::unexpected(said.error());
  std::vector<Received> received(sessions);
  std::vector<std::jthread> threads;
  {
    StallGuard guard(peer_stall_limit, [&control] { return control.hung_up(); });
    for (unsigned i = 0; i < sessions; ++i) {
      int fd = accept4(*listening, nullptr, nullptr, SOCK_CLOEXEC);
      while (fd < 0 && errno == EINTR && !guard.given_up())
        fd = accept4(*listening, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) break;
      apply_settings(fd, settings);
      guard.progress();
      threads.emplace_back([fd, i, &received, &control] { received[i] = drain(fd, control); });
    }
  }
  close(*listening);
  threads.clear();
  return told(received);
}

// Whole messages of ZeroMQ: it batches them as it likes. An empty message ends a session.
Result<Facts> sink_zmq(unsigned sessions, LineSocket& control) {
  void* context = zmq_ctx_new();
  void* socket = zmq_socket(context, ZMQ_PULL);
  const int look_every_ms = 100, linger = 0;
  zmq_setsockopt(socket, ZMQ_RCVTIMEO, &look_every_ms, sizeof look_every_ms);
  zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
  const auto end = [&] {
    zmq_close(socket);
    zmq_ctx_term(context);
  };
  const auto endpoint = "tcp://" + own_host(control) + ":*";
  if (zmq_bind(socket, endpoint.c_str()) != 0) {
    const std::string why = zmq_strerror(zmq_errno());
    end();
    return fail(Code::io_error, "can't use " + endpoint + ": " + why);
  }
  char bound[256] = {};
  std::size_t size = sizeof bound;
  zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, bound, &size);
  const std::string text = bound;
  if (auto said = control.write({"ready", {{"port", text.substr(text.rfind(':') + 1)}}}); !said) {
    end();
    return std::unexpected(said.error());
  }
  Received received;
  {
    StallGuard guard(peer_stall_limit, [&control] { return control.hung_up(); });
    zmq_msg_t message;
    zmq_msg_init(&message);
    for (unsigned ended = 0; ended < sessions && !guard.given_up();) {
      if (zmq_msg_recv(&message, socket, 0) < 0) continue;
      const auto bytes = zmq_msg_size(&message);
      if (bytes == 0) {
        ++ended;
        continue;
      }
      const auto now = monotonic_ns();
      count(received, bytes, now);
      guard.progress();
    }
    zmq_msg_close(&message);
  }
  end();
  return told({received});
}

}  // namespace

Result<Facts> carry_out_sink(const Facts& words, LineSocket& control) {
  const auto sessions = number(words, "sessions");
  if (sessions == 0 || sessions > peer_sessions_max) {
    return fail(Code::invalid_argument,
                "there may be 1 to " + std::to_string(peer_sessions_max) + " sessions");
  }
  const auto count = static_cast<unsigned>(sessions);
  return fact(words, "library") == "zmq" ? sink_zmq(count, control) : sink_raw(words, count, control);
}

}  // namespace pollux
