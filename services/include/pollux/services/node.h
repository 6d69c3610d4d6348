// The node supervisor: starts the members and gateways of this host, restarts them with back-off, adopts
// those that outlived a former supervisor, and reports deaths to the peers (pidfd).
//
// It decides nothing about roles, and holds nothing that matters: killing it stops nobody. Children write to
// `<data>/log/<child>.log` themselves, so that their output goes on without it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pollux/services/config.h"

namespace pollux {

struct NodeOptions {
  /// argv of a child: {"member", pair, name} or {"gateway", name} are appended to this (e.g. /usr/bin/pollux
  /// --config FILE). The first is a path: it is not looked up in PATH.
  std::vector<std::string> command;
  /// Events for a person, one line each. Called on the supervisor's threads, one at a time.
  std::function<void(const std::string& line)> say;
  /// Called once when every pair serves and gateways listen, on a thread of its own: it may take its time.
  std::function<void()> ready;
  /// Foreground: also gets each line that children write to their log files. Same rules as `say`.
  std::function<void(std::string_view child, std::string_view line)> child_line;
};

/// Exit codes of a node, documented in docs/commands.md; the same words as a member's.
struct NodeExit {
  static constexpr int stopped = 0;
  static constexpr int failed = 1;
  static constexpr int in_use = 4;  ///< another node supervises this data directory
};

/// Runs until SIGINT, SIGTERM or (unless ignored) SIGHUP, then stops the children: gateways, backups,
/// primaries; one that takes longer than `stop_limit_ms`, and all at a second signal, by SIGKILL. Killing the
/// node itself with SIGKILL leaves them running; the next node adopts them. Requires that
/// prepare_data_directory went well, and to be called on the only thread of the process. Returns an exit
/// code.
int run_node(const Config& config, const NodeOptions& options);

/// The node's control socket: {"command": "status"}, {"command": "stop"}, {"command": "restart", "name":
/// CHILD}, where a child is called PAIR.MEMBER or gateway.NAME. A status is one line: "pid", "started",
/// "data", "run", "stopping", "ready", "children" ([{"name", "pid" (0: none), "state" (running, waiting,
/// held, stopped), "adopted", "restarts", "uptime_s", "last_end", "advice"}]), "done".
std::filesystem::path node_control(const Config& config);

/// The address a running gateway listens on ("127.0.0.1:8080"), or empty if it does not.
std::string gateway_address(const Config& config, const GatewayConfig& gateway);

}  // namespace pollux
