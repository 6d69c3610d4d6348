#include <cstring>

#include "ipc/round_trips.h"
#include "peer/channel.h"
#include "tcp/tcp_plan.h"

namespace pollux {

namespace {

std::string zmq_address(const Peer& peer, std::string_view port) {
  const auto host = peer.host().find(':') == std::string::npos ? peer.host() : "[" + peer.host() + "]";
  return "tcp://" + host + ":" + std::string(port);
}

Result<CellRun> measure(TcpBench& bench, Peer& peer, const TcpCell& cell) {
  const auto& options = bench.options();
  StallGuard guard(options.give_up, [&peer] { return peer.gone(); });
  Facts order = cell.settings.facts();
  order.insert(order.begin(), {{"transport", cell.library == "zmq" ? "zmq-tcp" : "tcp"},
                               {"bytes", std::to_string(cell.bytes)},
                               {"cpu", "any"}});
  const auto ready = peer.order("echo", std::move(order));
  if (!ready) return std::unexpected(ready.error());
  std::unique_ptr<Channel> channel;
  std::string why_not;
  GrantedBuffers granted;
  if (cell.library == "zmq") {
    channel =
        zmq_channel(zmq_context(), Side::client, zmq_address(peer, fact(*ready, "port")), guard, why_not);
    if (channel == nullptr) return fail(Code::unreachable, why_not);
  } else {
    const auto fd = connect_tcp(peer.host(), std::string(fact(*ready, "port")), Peer::answer_limit,
                                [&cell](int socket) { apply_settings(socket, cell.settings); });
    if (!fd) return std::unexpected(fd.error());
    granted = granted_buffers(*fd);
    channel = stream_channel(*fd, *fd, guard);
  }
  std::vector<std::byte> message(cell.bytes), answer(cell.bytes);
  const auto number_it = [&](std::uint64_t n) {
    std::memcpy(message.data(), &n, std::min(message.size(), sizeof n));
  };
  number_it(0);
  const RoundTripOptions trips{.messages = options.round_trips, .limit = options.limit, .rate = options.rate};
  auto run = cell_run_of(
      run_round_trips(
          trips, [&](std::uint64_t) { return channel->send(message) && channel->receive(answer); },
          [&](std::uint64_t n) {
            const bool same = message == answer;
            number_it(n + 1);
            return same;
          },
          [&] { return channel->problem(); }),
      trips);
  if (cell.library == "raw") {
    run.found.emplace_back("send buffer granted", std::to_string(granted.send_bytes));
    run.found.emplace_back("receive buffer granted", std::to_string(granted.receive_bytes));
    const auto less = shortfall(cell.settings, granted, "this end");
    if (!less.empty()) run.invalid.push_back(less);
  }
  return run;
}

}  // namespace

Result<CellRun> run_tcp_latency(TcpBench& bench, const TcpCell& cell) {
  const auto peer = bench.peer();
  if (!peer) return std::unexpected(peer.error());
  auto run = measure(bench, **peer, cell);
  // A far end that was given up may be in any state: the next run starts with a new one.
  if (!run || !run->invalid.empty() || !(*peer)->done()) bench.drop_peer();
  return run;
}

}  // namespace pollux
