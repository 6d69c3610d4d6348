// What a TCP socket is asked for, and what the kernel grants.
#pragma once

#include <cstdint>
#include <string>

#include "run/cell.h"

namespace pollux {

struct SocketSettings {
  std::uint32_t buffer_bytes = 0;  ///< SO_SNDBUF and SO_RCVBUF; 0: left to the kernel ("auto")
  bool nodelay = true;             ///< TCP_NODELAY: Nagle's algorithm off
  std::uint32_t busy_poll_us = 0;  ///< SO_BUSY_POLL; 0: not asked for

  [[nodiscard]] Facts facts() const;
};
SocketSettings settings_of(const Facts& facts);

/// Before connect() or listen(): the window that TCP announces depends on it.
void apply_settings(int fd, const SocketSettings& settings);

/// As getsockopt tells. The kernel doubles what is asked for (socket(7)) to have room for its own
/// book-keeping; here it is halved again, so that it can be compared with what was asked for.
struct GrantedBuffers {
  std::uint32_t send_bytes = 0, receive_bytes = 0;
};
GrantedBuffers granted_buffers(int fd);
/// A sentence if less was granted than asked for; else empty. `whose`: "this end", "the far end".
std::string shortfall(const SocketSettings& asked, const GrantedBuffers& granted, const std::string& whose);

}  // namespace pollux
