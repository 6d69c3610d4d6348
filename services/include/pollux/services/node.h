// The node supervisor: starts the members and gateways of this host, restarts them with back-off, adopts
// those that outlived a former supervisor, and reports deaths to the peers (pidfd).
#pragma once

#include <functional>
#include <string>

#include "pollux/services/config.h"

namespace pollux {

struct NodeOptions {
  /// argv of a child: {"member", pair, name} or {"gateway", name} are appended to this (e.g. /usr/bin/pollux
  /// --config FILE).
  std::vector<std::string> command;
  std::function<void(const std::string& line)> say;  ///< events for a person, one line each
  std::function<void()> ready;                        ///< called once when every pair serves and gateways listen
};

/// Runs until SIGINT or SIGTERM, then stops the children (backups first). Killing the node itself with
/// SIGKILL leaves them running; the next node adopts them. Returns an exit code.
int run_node(const Config& config, const NodeOptions& options);

}  // namespace pollux
