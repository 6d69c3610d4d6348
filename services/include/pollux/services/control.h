// The control socket of a member or node: a Unix socket (mode 0600) in the data directory. One JSON object
// a line: {"command": "status"} is answered by one line, or by many for a stream (audit), the last of which
// has "done": true. Errors: {"error": {"code": "...", "text": "..."}, "done": true}.
//
// Commands of a member:
//   status                 one line, see below
//   switch                 planned exchange of roles; answered when it has happened: {"text", "done"}
//   takeover               makes this member (the backup) the primary: {"text", "done"}
//   witness-adopt          gives a witness that this member refuses what the pair knows, and accepts it (I13):
//                          {"text", "done"}; the other member has to be there
//   stop                   the same as SIGTERM; answered at once
//   audit-read             {"after": LSN, "count": N, "follow": bool, "payload": bool}: one line a record, in LSN order,
//                          after `after` (default 0), at most `count` (default: all). With `follow` it then
//                          waits for new ones until the caller hangs up; of these only committed ones are told.
//                          {"lsn", "epoch", "time", "kind", "session", "seq", "trace", "code", "changes",
//                           "change_bytes", "reply_bytes", "hash", "committed", "reply_text"?, "leads"?,
//                           and with `payload` "rows": [{"key", "value"}] and "reply" in base64}
//   audit-stats            {"trail": {...}, "tables": {...}, "disk": {...}}
//   audit-verify           checks every record and the chain: {"progress": {"records", "total"}} now and then,
//                          last {"base", "last", "records", "faults": ["...", ...]}
//   digest                 of the tables: {"lsn", "hash", "digest"}; equal on both members at an equal LSN
//   supervisor-death-report {"run", "boot"}: that run has died (seen by pidfd); answered at once
// Commands of a node: status; stop; restart {name}.
//
// A member's status line: "pair", "member", "service", "pid", "run", "incarnation", "boot", "started",
// "uptime_s", "version"; "role", "serving", "solo", "joining", "epoch", "generation", "primary" and "backup"
// ({"incarnation", "run"} or null), "floor", "executed", "durable", "committed" ({"lsn", "hash"}), "applied",
// "reason", "role_since", "waiting_for", "witness_refused", "disk_full", "disk_exhausted"; "peer" ({"heard", "incarnation", "run",
// "durable", "applied"}); "sessions", "queued", "executing", "uncommitted", "reads_waiting", "takeovers",
// "switchovers"; "counters"; "trail", "tables", "disk", "memory"; "quarantined" ([{"session", "seq"}]).
// Times are ISO 8601 in UTC. A status is at most 100 ms old, "age_ms" tells how old.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "pollux/core/result.h"

namespace pollux {

/// Longest path of a Unix socket on Linux, in bytes. A longer one is refused with one line that says so.
inline constexpr std::size_t control_path_bytes_max = 107;
/// Longest command line. A longer one is answered with an error, and the connection is closed.
inline constexpr std::size_t control_line_bytes_max = 64u << 10;
/// Connections served at a time; one more waits in the socket's backlog.
inline constexpr std::size_t control_connections_max = 32;

/// Sends one command line (JSON text) and hands over each answering line until the last, or until `line`
/// returns false. `unreachable` if nobody listens there, or if the other end hangs up before the last line;
/// `deadline_exceeded` if it is there and neither accepts nor answers for `timeout` (zero: no limit, for
/// streams that follow): it hangs, or is stopped. Error lines are handed over like others.
Result<void> control_call(const std::filesystem::path& socket, const std::string& command,
                          std::chrono::milliseconds timeout, const std::function<bool(const std::string& line)>& line);

/// {"error": {"code", "text"}, "done": true} as one line.
std::string control_error_line(const Error& error);

/// Serves a control socket: one thread accepts, and each connection has one while it lasts. The handler is
/// called on the connection's thread, one command at a time per connection, so handlers of two connections
/// run side by side; it writes lines with `reply` (false: the other end is gone). An empty line sends nothing
/// and only asks whether the other end is still there.
class ControlServer {
 public:
  using Reply = std::function<bool(const std::string& line)>;
  using Handler = std::function<void(const std::string& command, const Reply& reply)>;
  /// A socket file that nobody listens on is replaced; `in_use` if somebody does.
  static Result<std::unique_ptr<ControlServer>> open(const std::filesystem::path& socket, Handler handler);
  /// Hangs up, waits for the handlers (whose `reply` now returns false), and removes the socket file.
  ~ControlServer();

 private:
  struct Impl;
  explicit ControlServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pollux
