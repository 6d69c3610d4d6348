#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "host/pinned.h"
#include "ipc/ipc_plan.h"
#include "ipc/round_trips.h"
#include "peer/channel.h"
#include "peer/socket_settings.h"

namespace pollux {

namespace {

using Opened = Result<std::unique_ptr<Channel>>;

// The client's end of a connection to `peer`, which is made anew for each run.
class Connecting {
 public:
  Connecting(IpcBench& bench, Peer& peer, StallGuard& guard, const Facts& order)
      : bench_(bench), peer_(peer), guard_(guard), order_(order) {}

  Opened open(const std::string& transport) {
    if (transport == "unix-socket") return unix_socket();
    if (transport == "tcp") return tcp();
    if (transport == "pipe") return pipes();
    if (transport == "shm-busy") return ring(RingWait::busy);
    if (transport == "shm-adaptive") return ring(RingWait::adaptive);
    if (transport == "shm-blocking") return ring(RingWait::blocking);
    if (transport == "zmq-ipc") return zmq_ipc();
    return zmq_tcp();
  }

 private:
  std::string fresh_path(const char* name) const {
    const auto path = bench_.directory() / name;
    std::filesystem::remove(path);
    return path;
  }
  Result<Facts> order(Facts more) {
    auto words = order_;
    words.insert(words.end(), more.begin(), more.end());
    return peer_.order("echo", std::move(words));
  }
  Opened stream(Result<int> fd) {
    if (!fd) return std::unexpected(fd.error());
    return stream_channel(*fd, *fd, guard_);
  }

  Opened unix_socket() {
    const auto path = fresh_path("echo.sock");
    if (auto ready = order({{"path", path}}); !ready) return std::unexpected(ready.error());
    return stream(connect_unix(path));
  }
  Opened tcp() {
    const SocketSettings settings;
    const auto ready = order(settings.facts());
    if (!ready) return std::unexpected(ready.error());
    return stream(connect_tcp(peer_.host(), std::string(fact(*ready, "port")), Peer::answer_limit,
                              [&settings](int fd) { apply_settings(fd, settings); }));
  }
  Opened pipes() {
    const auto to_server = fresh_path("to-server"), to_client = fresh_path("to-client");
    if (mkfifo(to_server.c_str(), 0600) != 0 || mkfifo(to_client.c_str(), 0600) != 0) {
      return fail(Code::io_error, std::string("can't make pipes in ") + bench_.directory().string() + ": " +
                                      std::strerror(errno));
    }
    if (auto ready = order({{"to_server", to_server}, {"to_client", to_client}}); !ready) {
      return std::unexpected(ready.error());
    }
    const int out = open_fifo(to_server, O_WRONLY), in = out < 0 ? -1 : open_fifo(to_client, O_RDONLY);
    if (in < 0) {
      if (out >= 0) close(out);
      return fail(Code::io_error, "can't open a pipe to the far end");
    }
    return stream_channel(in, out, guard_);
  }
  int open_fifo(const std::string& path, int flags) const {
    int fd = -1;
    while ((fd = ::open(path.c_str(), flags | O_CLOEXEC)) < 0 && errno == EINTR && !guard_.given_up()) {
    }
    return fd;
  }
  Opened ring(RingWait wait) {
    auto memory = make_ring_memory();
    if (!memory) return std::unexpected(memory.error());
    const auto path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(*memory);
    if (auto ready = order({{"memory", path}}); !ready) {
      close(*memory);
      return std::unexpected(ready.error());
    }
    std::string why_not;
    auto channel = ring_channel(*memory, Side::client, wait, guard_, why_not);
    if (channel == nullptr) return fail(Code::io_error, why_not);
    return channel;
  }
  Opened zmq(const std::string& endpoint) {
    std::string why_not;
    auto channel = zmq_channel(zmq_context(), Side::client, endpoint, guard_, why_not);
    if (channel == nullptr) return fail(Code::io_error, why_not);
    return channel;
  }
  Opened zmq_ipc() {
    const auto path = fresh_path("echo.zmq");
    if (auto ready = order({{"path", path}}); !ready) return std::unexpected(ready.error());
    return zmq("ipc://" + path);
  }
  Opened zmq_tcp() {
    const auto ready = order({});
    if (!ready) return std::unexpected(ready.error());
    const auto host = peer_.host().find(':') == std::string::npos ? peer_.host() : "[" + peer_.host() + "]";
    return zmq("tcp://" + host + ":" + std::string(fact(*ready, "port")));
  }

  IpcBench& bench_;
  Peer& peer_;
  StallGuard& guard_;
  const Facts& order_;
};

CellRun measure(Channel& channel, std::size_t bytes, const BenchIpcOptions& options) {
  std::vector<std::byte> message(bytes), answer(bytes);
  for (std::size_t i = 0; i < bytes; ++i) message[i] = static_cast<std::byte>(i * 31 + 7);
  // Each message differs from the one before, so that an old answer is no right one.
  const auto number_it = [&](std::uint64_t number) {
    std::memcpy(message.data(), &number, std::min(bytes, sizeof number));
  };
  const RoundTripOptions trips{.messages = options.messages, .limit = options.limit, .rate = options.rate};
  number_it(0);
  return cell_run_of(
      run_round_trips(
          trips, [&](std::uint64_t) { return channel.send(message) && channel.receive(answer); },
          [&](std::uint64_t number) {
            const bool same = std::memcmp(message.data(), answer.data(), bytes) == 0;
            number_it(number + 1);
            return same;
          },
          [&] { return channel.problem(); }),
      trips);
}

Result<CellRun> run_inproc(IpcBench& bench, std::size_t bytes, const CpuPlace& place) {
  const auto context = zmq_context();
  const std::string endpoint = "inproc://echo";
  std::atomic<bool> bound = false, over = false;
  std::string server_problem;
  std::thread server([&] {
    const PinnedHere pinned(place.server ? std::vector{*place.server} : std::vector<int>{});
    StallGuard guard(bench.options().give_up, [&over] { return over.load(); });
    auto channel = zmq_channel(context, Side::server, endpoint, guard, server_problem);
    if (server_problem.empty()) server_problem = pinned.problem();
    bound = true;
    bound.notify_all();
    if (channel != nullptr && server_problem.empty()) serve_echo(*channel, bytes, bench.faults());
  });
  bound.wait(false);
  Result<CellRun> run = fail(Code::io_error, server_problem);
  if (server_problem.empty()) {
    const PinnedHere pinned(place.client_cpus());
    StallGuard guard(bench.options().give_up);
    std::string why_not = pinned.problem();
    const auto channel =
        why_not.empty() ? zmq_channel(context, Side::client, endpoint, guard, why_not) : nullptr;
    run = channel == nullptr ? Result<CellRun>(fail(Code::io_error, why_not))
                             : measure(*channel, bytes, bench.options());
  }
  over = true;
  server.join();
  return run;
}

Result<CellRun> measure_over(IpcBench& bench, Peer& peer, const std::string& transport, std::size_t bytes,
                             const CpuPlace& place) {
  // Threads that ZeroMQ starts are pinned with the thread that makes its context.
  const PinnedHere pinned(place.client_cpus());
  if (!pinned.problem().empty()) return fail(Code::io_error, pinned.problem());
  StallGuard guard(bench.options().give_up, [&peer] { return peer.gone(); });
  Facts order = {{"transport", transport},
                 {"bytes", std::to_string(bytes)},
                 {"cpu", place.server ? std::to_string(*place.server) : "any"}};
  for (auto& fault : bench.faults().facts()) order.push_back(std::move(fault));
  auto channel = Connecting(bench, peer, guard, order).open(transport);
  if (!channel) return std::unexpected(channel.error());
  return measure(**channel, bytes, bench.options());
}

}  // namespace

Result<CellRun> run_echo(IpcBench& bench, const std::string& transport, std::size_t bytes,
                         const CpuPlace& place) {
  if (transport == "zmq-inproc") return run_inproc(bench, bytes, place);
  const auto peer = bench.peer();
  if (!peer) return std::unexpected(peer.error());
  auto run = measure_over(bench, **peer, transport, bytes, place);
  // A far end that was given up may be in any state: the next run starts with a new one.
  if (!run || !run->invalid.empty() || !(*peer)->done()) bench.drop_peer();
  if (run) run->found.emplace_back("cpus", place.words());
  return run;
}

}  // namespace pollux
