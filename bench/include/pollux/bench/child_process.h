// Programs that a benchmark, drill or test starts, and is answerable for: each is ended by its own pid,
// whatever happens to the one who started it. And the temporary directory they work in.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pollux/core/result.h"

namespace pollux {

struct ChildOptions {
  std::vector<std::string> argv;         ///< argv[0] is the program's path
  std::vector<std::string> environment;  ///< NAME=value, added to ours; a later one of a name counts
  std::filesystem::path input;           ///< a file for stdin; empty: nothing to read
  std::filesystem::path output;          ///< stdout and stderr are appended here; empty: dropped
  int end_signal = SIGTERM;              ///< sent by the kernel when the thread that started the child ends
};

/// A child in a session of its own, so that Ctrl-C reaches us, not it: we end it in order.
class ChildProcess {
 public:
  static Result<std::unique_ptr<ChildProcess>> start(const ChildOptions& options);
  ~ChildProcess();  ///< SIGKILL if it still runs, and waits
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool running();
  void signal(int number);
  /// Waits until it has ended; its status as of waitpid(), none if it still runs then.
  std::optional<int> wait(std::chrono::milliseconds limit);

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}
  pid_t pid_;
  std::optional<int> status_;
};

/// Processes that run `program` with `text` in one of their arguments: with a temporary directory's name,
/// those that work in it. Ourselves excepted.
std::vector<pid_t> processes_with_argument(const std::filesystem::path& program, const std::string& text);
/// Sends SIGKILL to this process and waits until it is gone. True if it is.
bool kill_and_wait(pid_t pid, std::chrono::milliseconds limit);

/// Made by mkdtemp in `parent`; removed, with all in it, when this object goes.
class TemporaryDirectory {
 public:
  static Result<std::unique_ptr<TemporaryDirectory>> make(const std::filesystem::path& parent,
                                                          const std::string& prefix);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void keep() { kept_ = true; }  ///< for a look at what went wrong

 private:
  explicit TemporaryDirectory(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
  bool kept_ = false;
};

}  // namespace pollux
