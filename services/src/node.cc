#include "pollux/services/node.h"

#include <signal.h>

#include "child.h"
#include "clocks.h"
#include "directory_lock.h"
#include "node_supervisor.h"
#include "run_directory.h"
#include "text.h"

namespace pollux {

namespace {

/// Signals that end the node are read from a descriptor by its loop. Blocked before any thread starts, so
/// that none of them gets one.
std::vector<int> block_signals() {
  std::vector<int> numbers = {SIGINT, SIGTERM};
  struct sigaction hang_up{};
  ::sigaction(SIGHUP, nullptr, &hang_up);
  if (hang_up.sa_handler != SIG_IGN) numbers.push_back(SIGHUP);  // nohup ignores it, and means it
  sigset_t set;
  ::sigemptyset(&set);
  for (int number : numbers) ::sigaddset(&set, number);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGCHLD, SIG_DFL);  // were it ignored, exit codes would be lost
  ::signal(SIGPIPE, SIG_IGN);
  return numbers;
}

int failed(const NodeOptions& options, const Error& error) {
  if (options.say) options.say(error.text);
  return error.code == Code::in_use ? NodeExit::in_use : NodeExit::failed;
}

}  // namespace

std::filesystem::path node_control(const Config& config) { return config.run / "node.control"; }

std::string gateway_address(const Config& config, const GatewayConfig& gateway) {
  const LockText text = read_lock_text(config.data / "run" / (gateway.name + ".lock"));
  const bool alive = text.pid > 0 && (::kill(text.pid, 0) == 0 || errno == EPERM);
  return alive ? text.listen : std::string();
}

int run_node(const Config& config, const NodeOptions& options) {
  const Result<BootId> boot = read_boot_id();
  if (!boot) return failed(options, boot.error());
  const auto lock = ProcessLock::take_file(
      config.data / "node.lock", cat("the data directory ", config.data), random_id<RunId>(), *boot);
  if (!lock) return failed(options, lock.error());
  tidy_run_directories(config.run, config.data);
  const std::vector<int> signals = block_signals();
  NodeSupervisor node(config, options);
  if (Result<void> opened = node.open(signals); !opened) return failed(options, opened.error());
  return node.run();
}

}  // namespace pollux
