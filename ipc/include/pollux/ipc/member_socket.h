// A member's ZeroMQ sockets. Used by one thread, the one that runs `core`.
//
// Two ROUTERs are bound: one for requesters and the peer's data, one for the peer's heartbeats, so that a
// heartbeat never waits behind a checkpoint. Two DEALERs connect to the peer's. ZeroMQ is not delivery:
// whatever matters is acknowledged and sent again by `core` and by requesters. Nothing is queued for a peer
// that is not connected: what it would get later is stale.
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
  std::string listen;  ///< ipc:///path or tcp://127.0.0.1:7411
  std::string listen_heartbeat;
  std::string peer;  ///< the peer's listen endpoint
  std::string peer_heartbeat;
  std::size_t message_bytes_max = 72u << 20;  ///< larger messages close the connection
  int high_water_mark = 100000;               ///< messages queued for or from one connection
  std::size_t requesters_max = 20000;         ///< routes kept; the longest silent one is forgotten
};

struct MemberSocketCounters {
  std::uint64_t received = 0;  ///< messages, good or not
  std::uint64_t malformed = 0;
  std::uint64_t wrong_version = 0;
  std::uint64_t unroutable = 0;  ///< the requester has gone, or was forgotten
  std::uint64_t dropped = 0;  ///< the queue to the peer or requester was full, or the peer is not connected
};

class MemberSocket {
 public:
  /// Binds and connects. Error: one line that names the endpoint and what to do. A Unix socket's file has
  /// mode 0600; one that a killed process left behind is replaced (the member's directory lock keeps a second
  /// one away), one that somebody listens at is `in_use`.
  static Result<std::unique_ptr<MemberSocket>> open(const MemberSocketOptions& options);
  ~MemberSocket();

  struct Handlers {
    std::function<void(PeerMessage)> peer;
    std::function<void(Route, RequesterMessage)> requester;
    /// A message that can't be read: already answered and counted; `text` is for the log (rate-limited
    /// there).
    std::function<void(std::string text)> refused;
  };
  /// Hands over at most `batch_max` messages, heartbeats first; only if there is none it waits up to
  /// `timeout_ms` (-1: for ever) for one or for `wake_fd` (an eventfd, not drained here; -1: none). Returns
  /// true if there may be more.
  bool poll(int timeout_ms, int wake_fd, const Handlers& handlers, std::size_t batch_max = 256);

  void send(const PeerMessage& message);                ///< never blocks; drops if the peer's queue is full
  void send(Route route, const RequesterReply& reply);  ///< never blocks; drops if unroutable
  /// From here to `release_replies` replies wait, and then leave in one message a requester.
  void hold_replies();
  void release_replies();
  void announce(const RequesterReply& news);            ///< to every known requester

  [[nodiscard]] MemberSocketCounters counters() const;
  [[nodiscard]] std::size_t requesters() const;  ///< routes known

 private:
  struct Sockets;
  explicit MemberSocket(std::unique_ptr<Sockets> sockets);
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace pollux
