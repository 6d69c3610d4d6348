// The control socket of a member or node: a Unix socket (mode 0600) in the data directory. One JSON object
// a line: {"command": "status"} is answered by one line, or by many for a stream (audit), the last of which
// has "done": true. Errors: {"error": {"code": "...", "text": "..."}, "done": true}.
//
// Commands of a member: status; switch; takeover; witness-adopt; stop;
//   audit-read {after, count, follow}; audit-stats; audit-verify; supervisor-death-report {run, boot}.
// Commands of a node: status; stop; restart {name}.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "pollux/core/result.h"

namespace pollux {

/// Sends one command line (JSON text) and hands over each answering line until the last. `unreachable` if
/// nobody listens there.
Result<void> control_call(const std::filesystem::path& socket, const std::string& command,
                          std::chrono::milliseconds timeout, const std::function<bool(const std::string& line)>& line);

/// Serves a control socket on a thread of its own. The handler is called on it, one command at a time per
/// connection; it writes lines with `reply` (false: the other end is gone).
class ControlServer {
 public:
  using Reply = std::function<bool(const std::string& line)>;
  using Handler = std::function<void(const std::string& command, const Reply& reply)>;
  static Result<std::unique_ptr<ControlServer>> open(const std::filesystem::path& socket, Handler handler);
  ~ControlServer();

 private:
  struct Impl;
  explicit ControlServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pollux
