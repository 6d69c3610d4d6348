// One child of the node: a member or a gateway, started here or adopted.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "child_log.h"
#include "file_io.h"
#include "pollux/core/result.h"
#include "pollux/core/types.h"
#include "pollux/services/config.h"
#include "restart_policy.h"

namespace pollux {

enum class ChildState : std::uint8_t {
  running,
  waiting,  ///< for its restart
  held,     ///< starting it again would not help; `advice` says what does
  stopped,  ///< by the node's own end
};
std::string_view to_string(ChildState state);

/// What a lock file says about its holder; the text of a dead one stays.
struct LockText {
  pid_t pid = 0;
  RunId run;
  BootId boot;
  std::string listen;  ///< of a gateway that listens
};
LockText read_lock_text(const std::filesystem::path& file);

class Child {
 public:
  using Clock = std::chrono::steady_clock;

  static Child member(const Config& config, const PairConfig& pair, const MemberConfig& member,
                      const std::vector<std::string>& command);
  static Child gateway(const Config& config, const GatewayConfig& gateway,
                       const std::vector<std::string>& command);

  /// Takes over the process that holds this child's lock. False if none does.
  bool adopt();
  /// Starts it. On an error it counts as a death.
  Result<void> start();
  /// The pidfd says that it is dead: reaps it, closes the pidfd.
  ChildEnd reap();
  /// It is not started again: nobody is to wait at its socket.
  void stop_listening() { listening_.reset(); }
  /// Does nothing unless it runs.
  void send_signal(int number) const;

  [[nodiscard]] bool alive() const { return pidfd_.valid(); }
  [[nodiscard]] std::chrono::milliseconds lived() const;

  std::string name;  ///< PAIR.MEMBER or gateway.NAME
  bool is_gateway = false;
  std::string pair, member_name;
  std::filesystem::path lock_file;
  std::filesystem::path control;  ///< of a member
  std::string listen;             ///< of a gateway: its address
  std::vector<std::string> argv;
  ChildLog log;
  RestartPolicy policy;

  ChildState state = ChildState::waiting;
  Clock::time_point start_at{};  ///< when waiting
  bool restart_ordered = false;  ///< its next end is our doing
  bool adopted = false;
  pid_t pid = 0;
  std::uint64_t restarts = 0;
  std::string last_end, advice;
  [[nodiscard]] int pidfd() const { return pidfd_.get(); }

 private:
  Child(std::string name, std::filesystem::path log, const NodeConfig& limits);
  [[nodiscard]] pid_t lock_holder_pid() const;

  FileDescriptor pidfd_;
  FileDescriptor listening_;  ///< a gateway's socket, which outlives it
  Clock::time_point started_{};
};

}  // namespace pollux
