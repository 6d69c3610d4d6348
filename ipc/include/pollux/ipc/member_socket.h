// A member's ZeroMQ sockets. Used by one thread, the one that runs `core`.
//
// Two ROUTERs are bound: one for requesters and the peer's data, one for the peer's heartbeats, so that a
// heartbeat never waits behind a checkpoint. Two DEALERs connect to the peer's. ZeroMQ is not delivery:
// whatever matters is acknowledged and sent again by `core` and by requesters.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "pollux/core/peer_messages.h"
#include "pollux/core/requester_messages.h"
#include "pollux/core/result.h"

namespace pollux {

struct MemberSocketOptions {
  std::string listen;             ///< e.g. ipc:///path or tcp://127.0.0.1:7411
  std::string listen_heartbeat;
  std::string peer;               ///< the peer's listen endpoint
  std::string peer_heartbeat;
  std::size_t message_bytes_max = 72u << 20;  ///< larger messages close the connection
  int high_water_mark = 100000;
  std::size_t requesters_max = 20000;         ///< routes kept for news; the longest silent one is forgotten
};

struct MemberSocketCounters {
  std::uint64_t received = 0, malformed = 0, wrong_version = 0, unroutable = 0, dropped = 0;
};

class MemberSocket {
 public:
  /// Binds and connects. Error: one line that names the endpoint and what to do.
  static Result<std::unique_ptr<MemberSocket>> open(const MemberSocketOptions& options);
  ~MemberSocket();

  struct Handlers {
    std::function<void(PeerMessage)> peer;
    std::function<void(Route, RequesterMessage)> requester;
    /// A message that can't be read: already answered and counted; `text` is for the log (rate-limited there).
    std::function<void(std::string text)> refused;
  };
  /// Waits up to `timeout_ms` for messages or for `wake_fd` (an eventfd, not drained here) and hands over at
  /// most `batch_max` messages. Returns true if there may be more.
  bool poll(int timeout_ms, int wake_fd, const Handlers& handlers, std::size_t batch_max = 256);

  void send(const PeerMessage& message);                       ///< never blocks; drops if the peer's queue is full
  void send(Route route, const RequesterReply& reply);         ///< never blocks; drops if unroutable
  void announce(const RequesterReply& news);                   ///< to every known requester

  [[nodiscard]] MemberSocketCounters counters() const;

 private:
  struct Sockets;
  explicit MemberSocket(std::unique_ptr<Sockets> sockets);
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace pollux
