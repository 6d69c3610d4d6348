#include "zmq_parts.h"

#include <cerrno>

#include "pollux/core/check.h"

#if defined(__SANITIZE_THREAD__)
/// The thread sanitizer does not see how libzmq, which is not built with it, hands messages from thread to
/// thread.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() { return "called_from_lib:libzmq.so\nrace:libzmq.so\n"; }
#endif

namespace pollux {
namespace {

// Below this a copy is cheaper than a second allocation and a call back from the I/O thread.
constexpr std::size_t copy_bytes_max = 2048;

constexpr int reconnect_ms_min = 1;
constexpr int reconnect_ms_max = 100;
constexpr int connect_ms_max = 2000;    // of one attempt: the kernel alone would try for two minutes
constexpr int handshake_ms_max = 5000;  // a stranger that connects and says nothing is dropped
constexpr std::string_view domain = "pollux";
constexpr int tcp_unacknowledged_ms_max = 5000;

}  // namespace

void ZmqContextEnd::operator()(void* context) const {
  while (zmq_ctx_term(context) != 0 && errno == EINTR) {
  }
}

void ZmqSocketEnd::operator()(void* socket) const { zmq_close(socket); }

void set_option(void* socket, int option, int value) {
  POLLUX_CHECK_WHY(zmq_setsockopt(socket, option, &value, sizeof value) == 0, "a socket option of libzmq");
}

void apply_settings(void* socket, const SocketSettings& settings) {
  set_option(socket, ZMQ_LINGER, 0);
  set_option(socket, ZMQ_SNDHWM, settings.high_water_mark);
  set_option(socket, ZMQ_RCVHWM, settings.high_water_mark);
  const auto bytes_max = static_cast<std::int64_t>(settings.message_bytes_max);
  POLLUX_CHECK(zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &bytes_max, sizeof bytes_max) == 0);
  set_option(socket, ZMQ_RECONNECT_IVL, reconnect_ms_min);
  set_option(socket, ZMQ_RECONNECT_IVL_MAX, reconnect_ms_max);
  set_option(socket, ZMQ_CONNECT_TIMEOUT, connect_ms_max);
  set_option(socket, ZMQ_HANDSHAKE_IVL, handshake_ms_max);
  // With a domain of authentication, and nobody who authenticates, peers of ZMTP 1.0 and 2.0 are turned away. When one
  // gives its name as its pipe ends, libzmq 4.3 aborts the process ("Resource temporarily unavailable").
  POLLUX_CHECK(zmq_setsockopt(socket, ZMQ_ZAP_DOMAIN, domain.data(), domain.size()) == 0);
  // No ZMQ_HEARTBEAT_IVL: with it libzmq 4.3 aborts the process ("!_io_error") when a connection ends whose reader
  // was at its high-water mark or paused. Half-open TCP connections are found by the kernel instead.
  set_option(socket, ZMQ_TCP_MAXRT, tcp_unacknowledged_ms_max);
  set_option(socket, ZMQ_TCP_KEEPALIVE, 1);
  set_option(socket, ZMQ_TCP_KEEPALIVE_IDLE, 5);
  set_option(socket, ZMQ_TCP_KEEPALIVE_INTVL, 1);
  set_option(socket, ZMQ_TCP_KEEPALIVE_CNT, 5);
  set_option(socket, ZMQ_IPV6, 1);
}

int zmq_send_copy(void* socket, std::string_view bytes, int flags) {
  return zmq_send(socket, bytes.data(), bytes.size(), flags | ZMQ_DONTWAIT) >= 0 ? 0 : zmq_errno();
}

int zmq_send_bytes(void* socket, std::string&& bytes, int flags) {
  if (bytes.size() <= copy_bytes_max) return zmq_send_copy(socket, bytes, flags);
  auto* kept = new std::string(std::move(bytes));
  zmq_msg_t frame;
  const auto release = [](void*, void* hint) { delete static_cast<std::string*>(hint); };
  if (zmq_msg_init_data(&frame, kept->data(), kept->size(), release, kept) != 0) {
    delete kept;
    return ENOMEM;
  }
  if (zmq_msg_send(&frame, socket, flags | ZMQ_DONTWAIT) >= 0) return 0;
  const int error = zmq_errno();
  zmq_msg_close(&frame);
  return error;
}

bool skip_rest(void* socket, ZmqFrame& frame) {
  bool any = false;
  while (frame.more() && frame.receive(socket)) any = true;
  return any;
}

}  // namespace pollux
