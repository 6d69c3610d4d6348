#include "member_link.h"

#include <cstring>
#include <utility>

#include "endpoint.h"

namespace pollux {

Result<MemberLink> MemberLink::connect(void* context, const std::string& endpoint,
                                       const SocketSettings& settings) {
  if (auto good = check_endpoint(endpoint); !good) return std::unexpected(std::move(good.error()));
  MemberLink link;
  link.endpoint_ = endpoint;
  link.frame_ = std::make_unique<ZmqFrame>();
  link.dealer_.reset(zmq_socket(context, ZMQ_DEALER));
  link.monitor_.reset(zmq_socket(context, ZMQ_PAIR));
  if (link.dealer_ == nullptr || link.monitor_ == nullptr) {
    return fail(Code::io_error, std::string("can't make a socket: ") + zmq_strerror(zmq_errno()) +
                                    "; raise the limit of open files (ulimit -n)");
  }
  apply_settings(link.dealer_.get(), settings);
  // Nothing is queued for a member that is not there: what could not be sent is known not to have been sent.
  set_option(link.dealer_.get(), ZMQ_IMMEDIATE, 1);
  set_option(link.monitor_.get(), ZMQ_LINGER, 0);
  const std::string monitor = "inproc://monitor." + random_hex();
  if (zmq_socket_monitor(link.dealer_.get(), monitor.c_str(), ZMQ_EVENT_HANDSHAKE_SUCCEEDED) != 0 ||
      zmq_connect(link.monitor_.get(), monitor.c_str()) != 0) {
    return fail(Code::io_error, std::string("can't watch a socket: ") + zmq_strerror(zmq_errno()));
  }
  if (zmq_connect(link.dealer_.get(), endpoint.c_str()) != 0) {
    return fail(Code::bad_config, "can't use the endpoint " + endpoint + ": " + zmq_strerror(zmq_errno()));
  }
  return link;
}

bool MemberLink::send(std::string&& bytes) {
  blocked = zmq_send_bytes(dealer_.get(), std::move(bytes)) != 0;
  return !blocked;
}

std::optional<std::string_view> MemberLink::receive() {
  if (!frame_->receive(dealer_.get())) return std::nullopt;
  if (skip_rest(dealer_.get(), *frame_)) return std::string_view();  // no answer of ours: malformed
  return frame_->bytes();
}

bool MemberLink::came_up() {
  bool up = false;
  while (frame_->receive(monitor_.get())) {
    std::uint16_t event = 0;
    if (frame_->bytes().size() >= sizeof event) std::memcpy(&event, frame_->bytes().data(), sizeof event);
    up = up || event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED;
    skip_rest(monitor_.get(), *frame_);
  }
  if (up) blocked = false;
  return up;
}

}  // namespace pollux
