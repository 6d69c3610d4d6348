#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "peer/orders.h"
#include "pollux/bench/exit.h"
#include "pollux/bench/peer.h"
#include "run/interrupt.h"

namespace pollux {

namespace {

// A benchmark that says nothing for so long, and does not close, is gone.
constexpr std::chrono::hours idle_limit(1);
constexpr int look_every_ms = 200;

void serve_control(LineSocket& control) {
  if (!control.write({"pollux-bench-peer-1", {}})) return;
  while (!InterruptGuard::interrupted()) {
    const auto line = control.read(idle_limit);
    if (!line) return;
    Result<Facts> outcome = line->verb == "echo" ? carry_out_echo(line->words, control)
                            : line->verb == "sink"
                                ? carry_out_sink(line->words, control)
                                : fail(Code::invalid_argument, "unknown order " + line->verb);
    const auto answered = outcome ? control.write({"done", std::move(*outcome)})
                                  : control.write({"refused", {{"why", outcome.error().text}}});
    if (!answered) return;
  }
}

// Waits for a connection; -1 when interrupted.
int accept_one(int listening) {
  while (!InterruptGuard::interrupted()) {
    pollfd ready{.fd = listening, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, look_every_ms) <= 0) continue;
    const int fd = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd >= 0) return fd;
  }
  return -1;
}

}  // namespace

int bench_peer(const PeerOptions& options) {
  signal(SIGPIPE, SIG_IGN);
  const InterruptGuard interrupt;
  const bool remote = options.control.empty();
  Result<int> listening = fail(Code::ok, "");
  if (remote) {
    const auto parts = host_and_port(options.listen);
    listening = parts ? listen_tcp(parts->first, parts->second) : std::unexpected(parts.error());
  } else {
    listening = listen_unix(options.control);
  }
  if (!listening) {
    std::fprintf(stderr, "bench peer: %s\n", listening.error().text.c_str());
    return remote && listening.error().code == Code::invalid_argument ? BenchExit::usage : BenchExit::failed;
  }
  if (remote) {
    const auto address = local_address(*listening);
    std::printf("far end listens on %s:%s; measure from the other host with --peer; stop with Ctrl-C\n",
                address ? address->first.c_str() : "?", address ? address->second.c_str() : "?");
    std::fflush(stdout);
  }
  for (int fd = accept_one(*listening); fd >= 0; fd = remote ? accept_one(*listening) : -1) {
    LineSocket control(fd);
    serve_control(control);
  }
  close(*listening);
  return BenchExit::ok;
}

}  // namespace pollux
