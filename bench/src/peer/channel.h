// A way for two threads or processes to exchange messages whose size both know: what `bench ipc` measures.
// One object is one end. All kinds pass one suite of tests.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "peer/stall_guard.h"
#include "pollux/core/result.h"

namespace pollux {

using Bytes = std::span<std::byte>;
using ConstBytes = std::span<const std::byte>;

class Channel {
 public:
  virtual ~Channel() = default;
  /// False if the other end is gone or the guard gave up; problem() says which.
  [[nodiscard]] virtual bool send(ConstBytes message) = 0;
  /// Fills all of `message`. The other end must have sent just so many bytes.
  [[nodiscard]] virtual bool receive(Bytes message) = 0;
  [[nodiscard]] const std::string& problem() const { return problem_; }

 protected:
  bool fail_with(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

 private:
  std::string problem_;
};

enum class Side { client, server };

/// Two descriptors, or twice the same: a stream socket or two pipes. Takes them over.
std::unique_ptr<Channel> stream_channel(int read_fd, int write_fd, StallGuard& guard);

/// How the receiver of a shared-memory ring waits.
enum class RingWait {
  busy,      ///< looks all the time
  adaptive,  ///< looks for a while, then sleeps
  blocking,  ///< sleeps at once
};
/// Shared memory for two rings, one in each direction. The descriptor is that of a memfd.
Result<int> make_ring_memory();
std::unique_ptr<Channel> ring_channel(int memory_fd, Side side, RingWait wait, StallGuard& guard,
                                      std::string& why_not);

/// DEALER to ROUTER, as Pollux uses ZeroMQ. The server binds: to "ipc:///...", "tcp://HOST:*" or, within one
/// process, "inproc://...". `context`: as returned by zmq_context(); both ends of an inproc connection share
/// one.
struct ZmqContext;
std::shared_ptr<ZmqContext> zmq_context();
std::unique_ptr<Channel> zmq_channel(const std::shared_ptr<ZmqContext>& context, Side side,
                                     const std::string& endpoint, StallGuard& guard, std::string& why_not);
/// Where a server's channel is bound to, with the port that was chosen.
std::string zmq_endpoint_of(const Channel& channel);

}  // namespace pollux
