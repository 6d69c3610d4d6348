#include "pollux/ipc/member_socket.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cerrno>
#include <vector>

#include "endpoint.h"
#include "pollux/core/check.h"
#include "pollux/proto/message_batch.h"
#include "pollux/proto/message_codec.h"
#include "route_table.h"
#include "zmq_parts.h"
#include "zmq_watch.h"

namespace pollux {
namespace {

// Of heartbeats few are ever waiting; stale ones are worth nothing.
constexpr int heartbeat_high_water_mark = 64;

/// A Unix socket's file, removed with its owner unless it has been replaced meanwhile.
class SocketFile {
 public:
  SocketFile() = default;
  explicit SocketFile(std::filesystem::path path) : path_(std::move(path)) {
    struct stat status{};
    if (::stat(path_.c_str(), &status) == 0) inode_ = status.st_ino;
  }
  ~SocketFile() {
    struct stat status{};
    if (inode_ != 0 && ::stat(path_.c_str(), &status) == 0 && status.st_ino == inode_)
      ::unlink(path_.c_str());
  }
  SocketFile(SocketFile&& other) noexcept
      : path_(std::move(other.path_)), inode_(std::exchange(other.inode_, 0)) {}
  SocketFile& operator=(SocketFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(inode_, other.inode_);
    return *this;
  }

 private:
  std::filesystem::path path_;
  ino_t inode_ = 0;
};

Result<void> bind_router(void* socket, const std::string& endpoint, SocketFile* file) {
  if (auto good = check_endpoint(endpoint); !good) return good;
  UniqueFd listener;
  if (const auto path = ipc_path(endpoint)) {
    auto listening = listen_unix(*path);
    if (!listening) return std::unexpected(std::move(listening.error()));
    listener = std::move(*listening);
    *file = SocketFile(*path);
    set_option(socket, ZMQ_USE_FD, listener.get());
  }
  if (zmq_bind(socket, endpoint.c_str()) == 0) {
    static_cast<void>(listener.release());  // libzmq closes it
    return {};
  }
  const int error = zmq_errno();
  return fail(
      error == EADDRINUSE ? Code::in_use : Code::io_error,
      "can't listen at " + endpoint + ": " + zmq_strerror(error) +
          (error == EADDRINUSE ? "; another process listens there: stop it, or choose another endpoint"
                               : "; choose an address of this host and a free port"));
}

Result<void> connect_dealer(void* socket, const std::string& endpoint) {
  if (auto good = check_endpoint(endpoint); !good) return good;
  if (zmq_connect(socket, endpoint.c_str()) == 0) return {};
  return fail(Code::bad_config,
              "can't use the peer's endpoint " + endpoint + ": " + zmq_strerror(zmq_errno()));
}

}  // namespace

struct MemberSocket::Sockets {
  explicit Sockets(const MemberSocketOptions& options) : routes(options.requesters_max) {}

  // Destroyed last to first: the sockets before their context.
  ZmqContext context;
  SocketFile main_file, heartbeat_file;
  ZmqSocket main, heartbeat;       ///< ROUTERs
  ZmqSocket peer, peer_heartbeat;  ///< DEALERs
  RouteTable routes;
  MemberSocketCounters counters;
  ZmqFrame id, frame;

  bool holding = false;
  struct Held {
    Route route;
    MessageBatch batch;
  };
  std::vector<Held> held;                                             ///< one a requester
  boost::unordered_flat_map<std::uint64_t, std::size_t> held_of;  ///< its place, by the route's number

  /// The sockets' numbers, in the order they are drained.
  enum Number : std::size_t { heartbeat_number, main_number, peer_number, peer_heartbeat_number };
  ZmqWatch watch;

  Result<void> open(const MemberSocketOptions& options);
  std::size_t drain(const Handlers& handlers, std::size_t batch_max);
  std::size_t drain_router(Number number, const Handlers& handlers, std::size_t batch_max);
  std::size_t drain_dealer(Number number, const Handlers& handlers, std::size_t batch_max);
  [[nodiscard]] void* socket(Number number) const;
  bool receive(ZmqFrame& into, Number number);
  void take(Number number, std::string_view from, std::string_view bytes, const Handlers& handlers);
  void refuse(Number number, std::string_view to, bool answer, const Error& error, const Handlers& handlers);
  bool send_to(Number number, std::string_view to, std::string&& bytes);
  void send_to(Route route, std::string&& bytes);
  void hold(Route route, std::string&& bytes);
  void release();
};

Result<void> MemberSocket::Sockets::open(const MemberSocketOptions& options) {
  context.reset(zmq_ctx_new());
  POLLUX_CHECK_WHY(context != nullptr, "no ZeroMQ context");
  const auto make = [&](int type, int high_water_mark) {
    ZmqSocket socket(zmq_socket(context.get(), type));
    if (socket != nullptr) {
      apply_settings(socket.get(), {high_water_mark, options.message_bytes_max});
      set_option(socket.get(), type == ZMQ_ROUTER ? ZMQ_ROUTER_MANDATORY : ZMQ_IMMEDIATE, 1);
    }
    return socket;
  };
  main = make(ZMQ_ROUTER, options.high_water_mark);
  heartbeat = make(ZMQ_ROUTER, heartbeat_high_water_mark);
  peer = make(ZMQ_DEALER, options.high_water_mark);
  peer_heartbeat = make(ZMQ_DEALER, heartbeat_high_water_mark);
  if (main == nullptr || heartbeat == nullptr || peer == nullptr || peer_heartbeat == nullptr) {
    return fail(Code::io_error, std::string("can't make a socket: ") + zmq_strerror(zmq_errno()) +
                                    "; raise the limit of open files (ulimit -n)");
  }
  if (auto bound = bind_router(main.get(), options.listen, &main_file); !bound) return bound;
  if (auto bound = bind_router(heartbeat.get(), options.listen_heartbeat, &heartbeat_file); !bound)
    return bound;
  if (auto connected = connect_dealer(peer.get(), options.peer); !connected) return connected;
  if (auto connected = connect_dealer(peer_heartbeat.get(), options.peer_heartbeat); !connected) return connected;
  for (const Number number : {heartbeat_number, main_number, peer_number, peer_heartbeat_number}) {
    watch.add(socket(number));
  }
  return {};
}

void* MemberSocket::Sockets::socket(Number number) const {
  switch (number) {
    case heartbeat_number: return heartbeat.get();
    case main_number: return main.get();
    case peer_number: return peer.get();
    case peer_heartbeat_number: return peer_heartbeat.get();
  }
  return nullptr;
}

bool MemberSocket::Sockets::receive(ZmqFrame& into, Number number) {
  if (!watch.worth_a_look(number)) return false;
  if (into.receive(socket(number))) return true;
  watch.found_empty(number);
  return false;
}

std::size_t MemberSocket::Sockets::drain(const Handlers& handlers, std::size_t batch_max) {
  std::size_t count = drain_router(heartbeat_number, handlers, batch_max);
  const auto left = [&] { return batch_max - std::min(count, batch_max); };  // a batch may be more than asked for
  count += drain_router(main_number, handlers, left());
  count += drain_dealer(peer_number, handlers, left());
  count += drain_dealer(peer_heartbeat_number, handlers, left());
  return count;
}

std::size_t MemberSocket::Sockets::drain_router(Number number, const Handlers& handlers,
                                                std::size_t batch_max) {
  std::size_t count = 0;
  for (; count < batch_max && receive(id, number); ++count) {
    ++counters.received;
    if (!id.more() || !frame.receive(socket(number))) continue;  // ZeroMQ itself would not send that
    if (frame.more()) {
      const bool answer = message_kind(frame.bytes()) != MessageKind::reply;
      skip_rest(socket(number), frame);
      refuse(number, id.bytes(), answer, {Code::malformed, "malformed message: it has more than one part"},
             handlers);
      continue;
    }
    const auto messages = for_each_message(
        frame.bytes(), [&](std::string_view message) { take(number, id.bytes(), message, handlers); });
    if (!messages) {
      refuse(number, id.bytes(), true, messages.error(), handlers);
    } else if (*messages > 1) {
      count += *messages - 1;
    }
  }
  return count;
}

void MemberSocket::Sockets::take(Number number, std::string_view from, std::string_view bytes,
                                 const Handlers& handlers) {
  const auto kind = message_kind(bytes);
  if (kind == MessageKind::peer) {
    auto message = decode_peer(bytes);
    if (message) return handlers.peer(std::move(*message));
    return refuse(number, from, true, message.error(), handlers);
  }
  auto message = decode_requester(bytes);
  // Replies are never answered: two members would go on for ever.
  if (!message) return refuse(number, from, kind != MessageKind::reply, message.error(), handlers);
  if (number != main_number) {
    return refuse(number, from, true,
                  {Code::malformed, "malformed message: requesters do not belong at the heartbeat endpoint"},
                  handlers);
  }
  handlers.requester(routes.heard(from), std::move(*message));
}

void MemberSocket::Sockets::refuse(Number number, std::string_view to, bool answer, const Error& error,
                                   const Handlers& handlers) {
  ++(error.code == Code::wrong_version ? counters.wrong_version : counters.malformed);
  if (answer) send_to(number, to, encode(RequesterReply{.code = error.code, .payload = error.text}));
  if (handlers.refused) handlers.refused(error.text);
}

/// What comes back from the peer is its opinion of something we sent.
std::size_t MemberSocket::Sockets::drain_dealer(Number number, const Handlers& handlers,
                                                std::size_t batch_max) {
  std::size_t count = 0;
  for (; count < batch_max && receive(frame, number); ++count) {
    ++counters.received;
    const bool parts = frame.more();
    auto reply = decode_reply(frame.bytes());
    if (parts) skip_rest(socket(number), frame);
    if (!reply) {
      ++(reply.error().code == Code::wrong_version ? counters.wrong_version : counters.malformed);
      if (handlers.refused) handlers.refused("from the peer's endpoint: " + reply.error().text);
    } else if (reply->code != Code::ok && handlers.refused) {
      handlers.refused("the peer refuses this member's messages: " + reply->payload);
    }
  }
  return count;
}

bool MemberSocket::Sockets::send_to(Number number, std::string_view to, std::string&& bytes) {
  watch.touched(number);
  int error = zmq_send_copy(socket(number), to, ZMQ_SNDMORE);
  if (error == 0) error = zmq_send_bytes(socket(number), std::move(bytes));
  if (error == EHOSTUNREACH) {
    ++counters.unroutable;
    return false;
  }
  if (error != 0) ++counters.dropped;
  return true;
}

void MemberSocket::Sockets::send_to(Route route, std::string&& bytes) {
  const std::string* to = routes.find(route);
  if (to == nullptr) {
    ++counters.unroutable;
  } else if (!send_to(main_number, *to, std::move(bytes))) {
    routes.forget(route);
  }
}

void MemberSocket::Sockets::hold(Route route, std::string&& bytes) {
  const auto [at, added] = held_of.try_emplace(route.value, held.size());
  if (added) held.push_back({route, {}});
  MessageBatch& batch = held[at->second].batch;
  batch.add(std::move(bytes));
  if (batch.full()) send_to(route, batch.take());
}

void MemberSocket::Sockets::release() {
  for (Held& each : held) {
    if (!each.batch.empty()) send_to(each.route, each.batch.take());
  }
  held.clear();
  held_of.clear();
}

MemberSocket::MemberSocket(std::unique_ptr<Sockets> sockets) : sockets_(std::move(sockets)) {}
MemberSocket::~MemberSocket() = default;

Result<std::unique_ptr<MemberSocket>> MemberSocket::open(const MemberSocketOptions& options) {
  auto sockets = std::make_unique<Sockets>(options);
  if (auto opened = sockets->open(options); !opened) return std::unexpected(std::move(opened.error()));
  return std::unique_ptr<MemberSocket>(new MemberSocket(std::move(sockets)));
}

bool MemberSocket::poll(int timeout_ms, int wake_fd, const Handlers& handlers, std::size_t batch_max) {
  std::size_t count = 0;
  for (bool waited = false; count == 0 && !waited;) {
    waited = sockets_->watch.wait(timeout_ms, wake_fd);
    count = sockets_->drain(handlers, batch_max);
  }
  return count >= batch_max;
}

void MemberSocket::send(const PeerMessage& message) {
  const auto number = is_heartbeat(message.body) ? Sockets::peer_heartbeat_number : Sockets::peer_number;
  sockets_->watch.touched(number);
  if (zmq_send_bytes(sockets_->socket(number), encode(message)) != 0) ++sockets_->counters.dropped;
}

void MemberSocket::send(Route route, const RequesterReply& reply) {
  if (sockets_->holding) {
    sockets_->hold(route, encode(reply));
  } else {
    sockets_->send_to(route, encode(reply));
  }
}

void MemberSocket::hold_replies() { sockets_->holding = true; }

void MemberSocket::release_replies() {
  sockets_->holding = false;
  sockets_->release();
}

void MemberSocket::announce(const RequesterReply& news) {
  sockets_->release();  // what was said before is heard before
  const std::string bytes = encode(news);
  std::vector<Route> gone;
  sockets_->routes.each([&](Route route, const std::string& to) {
    if (!sockets_->send_to(Sockets::main_number, to, std::string(bytes))) gone.push_back(route);
  });
  for (const Route route : gone) sockets_->routes.forget(route);
}

MemberSocketCounters MemberSocket::counters() const { return sockets_->counters; }
std::size_t MemberSocket::requesters() const { return sockets_->routes.size(); }

}  // namespace pollux
