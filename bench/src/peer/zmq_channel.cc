#include <zmq.h>

#include <cerrno>
#include <cstring>

#include "peer/channel.h"

namespace pollux {

struct ZmqContext {
  void* context = zmq_ctx_new();
  ZmqContext() = default;
  ~ZmqContext() { zmq_ctx_term(context); }
  ZmqContext(const ZmqContext&) = delete;
  ZmqContext& operator=(const ZmqContext&) = delete;
};

std::shared_ptr<ZmqContext> zmq_context() { return std::make_shared<ZmqContext>(); }

namespace {

constexpr int look_every_ms = 100;
constexpr int goodbye_ms = 1000;  // how long the last message of a client may take
constexpr std::size_t route_bytes_max = 255;

class ZmqChannel : public Channel {
 public:
  ZmqChannel(std::shared_ptr<ZmqContext> context, void* socket, Side side, StallGuard& guard)
      : context_(std::move(context)), socket_(socket), side_(side), guard_(guard) {}
  ~ZmqChannel() override {
    // ZeroMQ does not tell the other end that we are gone; an empty message does.
    if (side_ == Side::client) zmq_send(socket_, "", 0, ZMQ_DONTWAIT);
    zmq_close(socket_);
  }
  ZmqChannel(const ZmqChannel&) = delete;
  ZmqChannel& operator=(const ZmqChannel&) = delete;

  bool send(ConstBytes message) override {
    if (side_ == Side::server && !send_part(route_, route_bytes_, ZMQ_SNDMORE)) return false;
    if (!send_part(message.data(), message.size(), 0)) return false;
    guard_.progress();
    return true;
  }

  bool receive(Bytes message) override {
    if (side_ == Side::server) {
      const int got = receive_part(route_, sizeof route_);
      if (got < 0) return false;
      route_bytes_ = static_cast<std::size_t>(got);
    }
    const int got = receive_part(message.data(), message.size());
    if (got < 0) return false;
    if (got == 0) return fail_with("the other end closed the connection");
    if (static_cast<std::size_t>(got) != message.size()) return fail_with("a message of another size came");
    guard_.progress();
    return true;
  }

  [[nodiscard]] std::string endpoint() const {
    char text[256] = {};
    std::size_t size = sizeof text;
    zmq_getsockopt(socket_, ZMQ_LAST_ENDPOINT, text, &size);
    return text;
  }

 private:
  bool send_part(const void* bytes, std::size_t size, int flags) {
    while (zmq_send(socket_, bytes, size, flags) < 0) {
      if (!go_on("send")) return false;
    }
    return true;
  }
  int receive_part(void* bytes, std::size_t size) {
    for (;;) {
      const int got = zmq_recv(socket_, bytes, size, 0);
      if (got >= 0) return got;
      if (!go_on("receive")) return -1;
    }
  }
  bool go_on(const char* what) {
    const int error = zmq_errno();
    if (error != EINTR && error != EAGAIN) {
      return fail_with(std::string("can't ") + what + ": " + zmq_strerror(error));
    }
    return !guard_.given_up() || fail_with("the other end did not answer in time");
  }

  const std::shared_ptr<ZmqContext> context_;
  void* const socket_;
  const Side side_;
  StallGuard& guard_;
  std::byte route_[route_bytes_max] = {};
  std::size_t route_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Channel> zmq_channel(const std::shared_ptr<ZmqContext>& context, Side side,
                                     const std::string& endpoint, StallGuard& guard, std::string& why_not) {
  void* socket = zmq_socket(context->context, side == Side::client ? ZMQ_DEALER : ZMQ_ROUTER);
  if (socket == nullptr) {
    why_not = std::string("can't make a ZeroMQ socket: ") + zmq_strerror(zmq_errno());
    return nullptr;
  }
  const int linger = side == Side::client ? goodbye_ms : 0;
  zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
  zmq_setsockopt(socket, ZMQ_RCVTIMEO, &look_every_ms, sizeof look_every_ms);
  zmq_setsockopt(socket, ZMQ_SNDTIMEO, &look_every_ms, sizeof look_every_ms);
  const int done =
      side == Side::client ? zmq_connect(socket, endpoint.c_str()) : zmq_bind(socket, endpoint.c_str());
  if (done != 0) {
    why_not = "can't use " + endpoint + ": " + zmq_strerror(zmq_errno());
    zmq_close(socket);
    return nullptr;
  }
  return std::make_unique<ZmqChannel>(context, socket, side, guard);
}

std::string zmq_endpoint_of(const Channel& channel) {
  const auto* zmq = dynamic_cast<const ZmqChannel*>(&channel);
  return zmq == nullptr ? "" : zmq->endpoint();
}

}  // namespace pollux
