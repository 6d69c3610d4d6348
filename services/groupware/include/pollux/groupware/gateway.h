// The HTTP gateway: turns WebDAV and CalDAV requests into requests to the groupware pair. It holds nothing
// that must survive: it may be killed, and any number may run.
#pragma once

#include "pollux/core/result.h"
#include "pollux/services/config.h"

namespace pollux {

/// Exit codes of a gateway process, the same words as a member's.
struct GatewayExit {
  static constexpr int stopped = 0;
  static constexpr int failed = 1;
  static constexpr int bad_config = 3;
  static constexpr int in_use = 4;  ///< the lock or the port is held by another process
};

/// Runs until SIGTERM or SIGINT: then no new connections, open requests are answered, and it returns. Holds
/// `<data>/run/<name>.lock` (flock), whose lines `pid=` and, once it listens, `listen=` (with the real port)
/// tell a supervisor what to adopt. Prints one line on stderr if it can't start. With a certificate it looks
/// at its files every some seconds, and at SIGHUP (which otherwise does nothing).
int run_gateway(const Config& config, const GatewayConfig& gateway);

}  // namespace pollux
