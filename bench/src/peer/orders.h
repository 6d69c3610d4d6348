// What the far end can be told to do.
#pragma once

#include "peer/line_socket.h"

namespace pollux {

/// Sends back messages. In: transport, bytes, cpu (a number or "any"), faults; and where, as the transport
/// needs it. Says "ready" on `control` with where it listens, serves one client, and returns what it counted.
Result<Facts> carry_out_echo(const Facts& words, LineSocket& control);
/// Receives as many messages as come over `sessions` connections, and tells how many bytes in what time.
Result<Facts> carry_out_sink(const Facts& words, LineSocket& control);

/// Largest message that is served: what a far end must keep in memory for a stranger.
constexpr std::size_t peer_message_bytes_max = 64u << 20;
constexpr unsigned peer_sessions_max = 256;
/// No progress for so long, and the far end gives up.
constexpr std::chrono::seconds peer_stall_limit(30);

}  // namespace pollux
