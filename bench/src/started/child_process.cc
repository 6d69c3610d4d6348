#include "pollux/bench/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>

#include "pollux/bench/histogram.h"

extern char** environ;

namespace pollux {

namespace {

constexpr std::int64_t ms_ns = 1'000'000;

std::vector<std::string> merged_environment(const std::vector<std::string>& added) {
  std::map<std::string, std::string> by_name;
  const auto put = [&by_name](const std::string& variable) {
    by_name[variable.substr(0, variable.find('='))] = variable;
  };
  for (char** variable = environ; *variable != nullptr; ++variable) put(*variable);
  for (const auto& variable : added) put(variable);
  std::vector<std::string> merged;
  for (auto& [name, variable] : by_name) merged.push_back(std::move(variable));
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (auto& string : strings) list.push_back(string.data());
  list.push_back(nullptr);
  return list;
}

// Between fork and exec: only calls that are safe there. Reports a failed exec through `report`.
[[noreturn]] void become(char* const* argv, char* const* environment, int input, int output, int end_signal,
                         pid_t parent, int report) {
  setsid();
  prctl(PR_SET_PDEATHSIG, end_signal);
  if (getppid() != parent) _exit(127);  // the parent ended before prctl
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGINT, SIGTERM, SIGPIPE, SIGHUP}) ::signal(number, SIG_DFL);
  dup2(input, 0);
  dup2(output, 1);
  dup2(output, 2);
  execve(argv[0], argv, environment);
  const int error = errno;
  const auto written = write(report, &error, sizeof error);
  static_cast<void>(written);
  _exit(127);
}

int pidfd_of(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

// Waits for the end of a process, ours or not.
bool wait_for_end(pid_t pid, std::chrono::milliseconds limit) {
  const int pidfd = pidfd_of(pid);
  if (pidfd < 0) return true;
  const auto until = monotonic_ns() + limit.count() * ms_ns;
  bool ended = false;
  for (;;) {
    const auto left = std::max<std::int64_t>(0, (until - monotonic_ns()) / ms_ns);
    pollfd waited{pidfd, POLLIN, 0};
    const int count = poll(&waited, 1, static_cast<int>(std::min<std::int64_t>(left, 1000)));
    ended = count == 1;
    if (ended || left == 0) break;
  }
  close(pidfd);
  return ended;
}

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const ChildOptions& options) {
  auto strings = options.argv;
  auto variables = merged_environment(options.environment);
  const auto argv = pointers(strings);
  const auto environment = pointers(variables);
  const std::string input_name = options.input.empty() ? "/dev/null" : options.input.string();
  const int input = open(input_name.c_str(), O_RDONLY | O_CLOEXEC);
  if (input < 0) return fail(Code::io_error, "can't read " + input_name + ": " + std::strerror(errno));
  const std::string output_name = options.output.empty() ? "/dev/null" : options.output.string();
  const int output = open(output_name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (output < 0) {
    close(input);
    return fail(Code::io_error, "can't write to " + output_name + ": " + std::strerror(errno));
  }
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) {
    close(input);
    close(output);
    return fail(Code::io_error, std::string("can't make a pipe: ") + std::strerror(errno));
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) become(argv.data(), environment.data(), input, output, options.end_signal, parent, report[1]);
  close(input);
  close(output);
  close(report[1]);
  int error = pid < 0 ? errno : 0;
  if (pid >= 0 && read(report[0], &error, sizeof error) == sizeof error) waitpid(pid, nullptr, 0);
  close(report[0]);
  if (error != 0) return fail(Code::io_error, "can't start " + options.argv[0] + ": " + std::strerror(error));
  return std::unique_ptr<ChildProcess>(new ChildProcess(pid));
}

ChildProcess::~ChildProcess() {
  if (status_) return;
  kill(pid_, SIGKILL);
  wait(std::chrono::seconds(30));
}

bool ChildProcess::running() { return !wait(std::chrono::milliseconds(0)); }

void ChildProcess::signal(int number) {
  if (!status_) kill(pid_, number);
}

std::optional<int> ChildProcess::wait(std::chrono::milliseconds limit) {
  if (status_) return status_;
  if (!wait_for_end(pid_, limit)) return std::nullopt;
  int status = 0;
  if (waitpid(pid_, &status, 0) == pid_) status_ = status;
  return status_;
}

std::vector<pid_t> processes_with_argument(const std::filesystem::path& program, const std::string& text) {
  std::vector<pid_t> found;
  std::error_code ignored;
  const std::string wanted = std::filesystem::weakly_canonical(program, ignored);
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc{} || end != name.data() + name.size() || pid == getpid()) continue;
    const std::string running = std::filesystem::read_symlink(entry.path() / "exe", ignored);
    if (running != wanted && running != wanted + " (deleted)") continue;  // deleted: built anew meanwhile
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    const std::string arguments((std::istreambuf_iterator<char>(file)), {});
    if (arguments.find(text) != std::string::npos) found.push_back(pid);
  }
  return found;
}

bool kill_and_wait(pid_t pid, std::chrono::milliseconds limit) {
  if (kill(pid, SIGKILL) != 0) return errno == ESRCH;
  return wait_for_end(pid, limit);
}

Result<std::unique_ptr<TemporaryDirectory>> TemporaryDirectory::make(const std::filesystem::path& parent,
                                                                     const std::string& prefix) {
  std::error_code error;
  const auto absolute = std::filesystem::canonical(parent, error);
  if (error)
    return fail(Code::io_error,
                parent.string() + ": " + error.message() + "; name a directory that is there");
  std::string name = (absolute / (prefix + "XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr) {
    return fail(Code::io_error,
                "can't make a directory in " + absolute.string() + ": " + std::strerror(errno));
  }
  return std::unique_ptr<TemporaryDirectory>(new TemporaryDirectory(name));
}

TemporaryDirectory::~TemporaryDirectory() {
  if (kept_) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace pollux
