#include <sys/socket.h>
#include <unistd.h>
#include <zmq.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <mutex>
#include <thread>

#include "run/format.h"
#include "run/interrupt.h"
#include "tcp/tcp_plan.h"

namespace pollux {

namespace {

struct Sent {
  std::atomic<std::uint64_t> messages = 0;
  std::mutex mutex;
  std::string problem;

  void fail_with(const std::string& text) {
    const std::lock_guard lock(mutex);
    if (problem.empty()) problem = text;
  }
};

// Each session sends until all messages are sent, between them, or time is up.
class Turns {
 public:
  Turns(std::uint64_t messages, std::chrono::nanoseconds limit)
      : left_(static_cast<std::int64_t>(messages)), end_ns_(monotonic_ns() + limit.count()) {}
  // Time is looked at now and then: the clock costs as much as sending 16 bytes.
  bool next(std::uint64_t count) {
    constexpr std::uint64_t look_every = 64;
    if (count % look_every == 0 && (monotonic_ns() > end_ns_ || InterruptGuard::interrupted())) return false;
    return left_.fetch_sub(1, std::memory_order_relaxed) > 0;
  }

 private:
  std::atomic<std::int64_t> left_;
  const std::int64_t end_ns_;
};

void send_raw(int fd, const std::vector<std::byte>& message, Turns& turns, Sent& sent, StallGuard& guard) {
  std::uint64_t count = 0;
  for (; turns.next(count); ++count) {
    ConstBytes left(message);
    while (!left.empty()) {
      const auto wrote = send(fd, left.data(), left.size(), MSG_NOSIGNAL);
      if (wrote > 0) {
        left = left.subspan(static_cast<std::size_t>(wrote));
      } else if (errno != EINTR || guard.given_up()) {
        sent.fail_with(errno == EINTR ? "the other end did not take messages in time"
                                      : std::string("can't send: ") + std::strerror(errno));
        sent.messages += count;
        return;
      }
    }
    guard.progress();
  }
  sent.messages += count;
}

void send_zmq(void* socket, const std::vector<std::byte>& message, Turns& turns, Sent& sent,
              StallGuard& guard) {
  std::uint64_t count = 0;
  for (; turns.next(count); ++count) {
    while (zmq_send(socket, message.data(), message.size(), 0) < 0) {
      if ((zmq_errno() == EAGAIN || zmq_errno() == EINTR) && !guard.given_up()) continue;
      sent.fail_with("the other end did not take messages in time");
      sent.messages += count;
      return;
    }
    guard.progress();
  }
  sent.messages += count;
  while (zmq_send(socket, "", 0, 0) < 0 && !guard.given_up()) {
  }
}

std::uint64_t number(const Facts& words, std::string_view name) {
  const auto text = fact(words, name);
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

class RawSessions {
 public:
  ~RawSessions() {
    for (const int fd : fds_) close(fd);
  }
  Result<void> open(const Peer& peer, const std::string& port, const TcpCell& cell) {
    for (unsigned i = 0; i < cell.sessions; ++i) {
      const auto fd = connect_tcp(peer.host(), port, Peer::answer_limit,
                                  [&cell](int socket) { apply_settings(socket, cell.settings); });
      if (!fd) return std::unexpected(fd.error());
      fds_.push_back(*fd);
    }
    return {};
  }
  void send_all(const std::vector<std::byte>& message, Turns& turns, Sent& sent, const TcpBench& bench,
                const Peer& peer) {
    std::vector<std::jthread> threads;
    for (const int fd : fds_) {
      threads.emplace_back([&, fd] {
        StallGuard guard(bench.options().give_up, [&peer] { return peer.gone(); });
        send_raw(fd, message, turns, sent, guard);
        shutdown(fd, SHUT_WR);
      });
    }
  }
  [[nodiscard]] GrantedBuffers granted() const { return granted_buffers(fds_.front()); }

 private:
  std::vector<int> fds_;
};

class ZmqSessions {
 public:
  ZmqSessions() : context_(zmq_ctx_new()) {}
  ~ZmqSessions() {
    for (void* socket : sockets_) zmq_close(socket);
    zmq_ctx_term(context_);
  }
  Result<void> open(const Peer& peer, const std::string& port, const TcpCell& cell) {
    const auto host = peer.host().find(':') == std::string::npos ? peer.host() : "[" + peer.host() + "]";
    const auto endpoint = "tcp://" + host + ":" + port;
    for (unsigned i = 0; i < cell.sessions; ++i) {
      void* socket = zmq_socket(context_, ZMQ_PUSH);
      const int look_every_ms = 100, linger_ms = 5000;
      zmq_setsockopt(socket, ZMQ_SNDTIMEO, &look_every_ms, sizeof look_every_ms);
      zmq_setsockopt(socket, ZMQ_LINGER, &linger_ms, sizeof linger_ms);
      sockets_.push_back(socket);
      if (zmq_connect(socket, endpoint.c_str()) != 0) {
        return fail(Code::unreachable, "can't use " + endpoint + ": " + zmq_strerror(zmq_errno()));
      }
    }
    return {};
  }
  void send_all(const std::vector<std::byte>& message, Turns& turns, Sent& sent, const TcpBench& bench,
                const Peer& peer) {
    std::vector<std::jthread> threads;
    for (void* socket : sockets_) {
      threads.emplace_back([&, socket] {
        StallGuard guard(bench.options().give_up, [&peer] { return peer.gone(); });
        send_zmq(socket, message, turns, sent, guard);
      });
    }
  }

 private:
  void* context_;
  std::vector<void*> sockets_;
};

// Both ends are counted, and must agree. The time is that from the first send until the far end has said that
// it has all: the clock of the sender alone would count what lies in buffers, that of the receiver would
// leave it out.
CellRun judge_counts(const TcpCell& cell, const Sent& sent, std::chrono::nanoseconds took,
                     const Facts& received) {
  CellRun run;
  const auto bytes = number(received, "bytes"), messages = sent.messages.load();
  run.figures.push_back(bytes_rate_figure("throughput", bytes, took));
  run.figures.push_back(rate_figure("messages", messages, took));
  run.found = {
      {"messages", std::to_string(messages)},
      {"bytes sent", std::to_string(messages * cell.bytes)},
      {"bytes received", std::to_string(bytes)},
      {"receiver busy ns", std::string(fact(received, "elapsed_ns"))},
      {"Mbit/s", std::to_string(std::get<std::int64_t>(run.figures.front().measured) * 8 / 1'000'000)}};
  if (!sent.problem.empty()) run.invalid.push_back(sent.problem);
  if (sent.problem.empty() && bytes != messages * cell.bytes) {
    run.wrong.push_back(count_text(messages * cell.bytes) + " bytes were sent and " + count_text(bytes) +
                        " received");
  }
  return run;
}

template <typename Sessions>
Result<CellRun> measure(TcpBench& bench, Peer& peer, const TcpCell& cell) {
  Facts order = cell.settings.facts();
  order.insert(order.begin(), {{"library", cell.library}, {"sessions", std::to_string(cell.sessions)}});
  const auto ready = peer.order("sink", std::move(order));
  if (!ready) return std::unexpected(ready.error());
  const std::vector<std::byte> message(cell.bytes, std::byte{42});
  Sent sent;
  GrantedBuffers granted;
  std::int64_t begin = 0;
  {
    Sessions sessions;
    if (auto opened = sessions.open(peer, std::string(fact(*ready, "port")), cell); !opened) {
      return std::unexpected(opened.error());
    }
    if constexpr (std::is_same_v<Sessions, RawSessions>) granted = sessions.granted();
    begin = monotonic_ns();
    Turns turns(bench.options().messages, bench.options().limit);
    sessions.send_all(message, turns, sent, bench, peer);
  }
  const auto received = peer.done(bench.options().give_up);
  if (!received) return std::unexpected(received.error());
  auto run = judge_counts(cell, sent, std::chrono::nanoseconds(monotonic_ns() - begin), *received);
  if (cell.library != "raw") return run;
  const GrantedBuffers far{static_cast<std::uint32_t>(number(*received, "send_buffer")),
                           static_cast<std::uint32_t>(number(*received, "receive_buffer"))};
  run.found.emplace_back("send buffer granted", std::to_string(granted.send_bytes));
  run.found.emplace_back("receive buffer granted", std::to_string(far.receive_bytes));
  for (const auto& less :
       {shortfall(cell.settings, granted, "this end"), shortfall(cell.settings, far, "the far end")}) {
    if (!less.empty()) run.invalid.push_back(less);
  }
  return run;
}

}  // namespace

Result<CellRun> run_tcp_throughput(TcpBench& bench, const TcpCell& cell) {
  const auto peer = bench.peer();
  if (!peer) return std::unexpected(peer.error());
  auto run = cell.library == "zmq" ? measure<ZmqSessions>(bench, **peer, cell)
                                   : measure<RawSessions>(bench, **peer, cell);
  if (!run || !run->invalid.empty()) bench.drop_peer();
  return run;
}

}  // namespace pollux
