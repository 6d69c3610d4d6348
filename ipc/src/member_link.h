// A requester's connection to one member: a DEALER, and the monitor that tells when it (re)connects.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "call.h"
#include "pollux/core/result.h"
#include "zmq_parts.h"

namespace pollux {

class MemberLink {
 public:
  static Result<MemberLink> connect(void* context, const std::string& endpoint,
                                    const SocketSettings& settings);

  /// Does not wait. False: the queue is full or nobody is connected; `blocked` is set until that changes.
  bool send(std::string&& bytes);
  /// The next answer, or none. The view is valid until the next call.
  std::optional<std::string_view> receive();
  /// Did the connection come up since the last call?
  bool came_up();

  [[nodiscard]] void* socket() const { return dealer_.get(); }
  [[nodiscard]] void* monitor() const { return monitor_.get(); }
  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }

  // The loop's notes about this member.
  std::deque<std::uint64_t> to_send;  ///< numbers of calls
  bool blocked = false;
  std::string refuses;    ///< why it does not take our messages; empty if it does
  Code refusal = Code::ok;
  SteadyTime hello_at{};  ///< when the next hello is due
  SteadyTime hello_sent{};

 private:
  std::string endpoint_;
  ZmqSocket dealer_, monitor_;
  std::unique_ptr<ZmqFrame> frame_;
};

}  // namespace pollux
