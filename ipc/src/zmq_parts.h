// Owners of libzmq's C objects, and what Pollux sets on every socket.
#pragma once

#include <zmq.h>

#include <memory>
#include <string>
#include <string_view>

#include "pollux/core/result.h"

namespace pollux {

struct ZmqContextEnd {
  void operator()(void* context) const;
};
struct ZmqSocketEnd {
  void operator()(void* socket) const;
};
using ZmqContext = std::unique_ptr<void, ZmqContextEnd>;
using ZmqSocket = std::unique_ptr<void, ZmqSocketEnd>;

/// One frame. Reused for many receives.
class ZmqFrame {
 public:
  ZmqFrame() { zmq_msg_init(&frame_); }
  ~ZmqFrame() { zmq_msg_close(&frame_); }
  ZmqFrame(const ZmqFrame&) = delete;
  ZmqFrame& operator=(const ZmqFrame&) = delete;

  /// Does not wait. False if there is none (or on any error: the socket has nothing for us).
  bool receive(void* socket) { return zmq_msg_recv(&frame_, socket, ZMQ_DONTWAIT) >= 0; }
  [[nodiscard]] bool more() const { return zmq_msg_more(&frame_) != 0; }
  [[nodiscard]] std::string_view bytes() {
    return {static_cast<const char*>(zmq_msg_data(&frame_)), zmq_msg_size(&frame_)};
  }

 private:
  zmq_msg_t frame_;
};

/// Sends without waiting; large messages are handed over without a copy. 0 or an errno (EAGAIN,
/// EHOSTUNREACH).
int zmq_send_bytes(void* socket, std::string&& bytes, int flags = 0);
int zmq_send_copy(void* socket, std::string_view bytes, int flags = 0);

/// Reads and drops what is left of a message after `frame`. True if there was anything.
bool skip_rest(void* socket, ZmqFrame& frame);

struct SocketSettings {
  int high_water_mark = 1000;
  std::size_t message_bytes_max = 0;
};
/// Keep-alives, reconnection and limits, alike on every socket.
void apply_settings(void* socket, const SocketSettings& settings);
void set_option(void* socket, int option, int value);

}  // namespace pollux
