#include "child.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "directory_lock.h"
#include "listening_socket.h"
#include "text.h"

extern char** environ;

namespace pollux {

namespace {

/// Tells a gateway that it is given the socket to listen on, and its number.
constexpr std::string_view listening_variable = "POLLUX_LISTEN_FD=";
constexpr const char* listening_setting = "POLLUX_LISTEN_FD=3";
constexpr int listening_number = 3;

/// Most of a member's memory is taken by one thread and freed by another. glibc keeps 7 freed pieces of a size
/// for a thread before it takes a lock that others wait for; it can be told to keep more, but only from
/// outside. With many hundreds a member grows by megabytes.
constexpr const char* allocator_setting = "GLIBC_TUNABLES=glibc.malloc.tcache_count=200";

/// This process's environment, and the setting unless the operator has one of his own.
std::vector<char*> environment_of_child(bool listens) {
  std::vector<char*> variables;
  bool set = false;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::string_view(*variable).starts_with(listening_variable)) continue;
    set = set || std::string_view(*variable).starts_with("GLIBC_TUNABLES=");
    variables.push_back(*variable);
  }
  if (listens) variables.push_back(const_cast<char*>(listening_setting));
  if (!set) variables.push_back(const_cast<char*>(allocator_setting));
  variables.push_back(nullptr);
  return variables;
}

int open_pidfd(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

/// A gateway locks by flock, which does not tell its holder: the file's text does.
bool flock_held(const std::filesystem::path& file) {
  const FileDescriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  return fd.valid() && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

/// Attributes and file actions of a child: its own session (a Ctrl-C on the terminal is for the node alone),
/// no signal blocked or ignored, no descriptor but 0, 1 and 2, and 3 if there is a socket to listen on.
class SpawnSetup {
 public:
  SpawnSetup(int output, int listening) {
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_init(&actions);
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setflags(&attributes,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, output, 1);
    ::posix_spawn_file_actions_adddup2(&actions, output, 2);
    if (listening >= 0) ::posix_spawn_file_actions_adddup2(&actions, listening, listening_number);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, listening >= 0 ? listening_number + 1 : listening_number);
  }
  ~SpawnSetup() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
  posix_spawnattr_t attributes{};
  posix_spawn_file_actions_t actions{};
};

}  // namespace

std::string_view to_string(ChildState state) {
  switch (state) {
    case ChildState::running:
      return "running";
    case ChildState::waiting:
      return "waiting";
    case ChildState::held:
      return "held";
    case ChildState::stopped:
      return "stopped";
  }
  return "unknown";
}

LockText read_lock_text(const std::filesystem::path& file) {
  LockText out;
  const Result<std::string> text = read_small_file(file, 4096);
  if (!text) return out;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    const std::size_t gap = line.find_first_of("= ");
    if (gap == std::string_view::npos) continue;
    const std::string_view word = line.substr(0, gap), value = line.substr(gap + 1);
    if (word == "pid") std::from_chars(value.data(), value.data() + value.size(), out.pid);
    if (word == "run" && !parse_id(value, &out.run)) out.run = {};
    if (word == "boot" && !parse_id(value, &out.boot)) out.boot = {};
    if (word == "listen") out.listen = value;
  }
  return out;
}

Child::Child(std::string child_name, std::filesystem::path log_file, const NodeConfig& limits)
    : name(std::move(child_name)), log(std::move(log_file), limits.log_bytes_max), policy(limits) {}

Child Child::member(const Config& config, const PairConfig& pair, const MemberConfig& member,
                    const std::vector<std::string>& command) {
  const std::string name = pair.name + "." + member.name;
  Child child(name, config.data / "log" / (name + ".log"), config.node);
  child.pair = pair.name;
  child.member_name = member.name;
  child.lock_file = member.directory / "lock";
  child.control = member.control;
  child.argv = command;
  child.argv.insert(child.argv.end(), {"member", pair.name, member.name});
  return child;
}

Child Child::gateway(const Config& config, const GatewayConfig& gateway,
                     const std::vector<std::string>& command) {
  const std::string name = "gateway." + gateway.name;
  Child child(name, config.data / "log" / (name + ".log"), config.node);
  child.is_gateway = true;
  child.lock_file = config.data / "run" / (gateway.name + ".lock");
  child.listen = gateway.listen;
  child.argv = command;
  child.argv.insert(child.argv.end(), {"gateway", gateway.name});
  return child;
}

pid_t Child::lock_holder_pid() const {
  if (!is_gateway) {
    const std::optional<LockHolder> holder = lock_holder(lock_file.parent_path());
    return holder ? holder->pid : 0;
  }
  return flock_held(lock_file) ? read_lock_text(lock_file).pid : 0;
}

bool Child::adopt() {
  const pid_t holder = lock_holder_pid();
  if (holder <= 0 || holder == ::getpid()) return false;
  FileDescriptor fd(open_pidfd(holder));
  // Asked again once the pidfd is open: had the process died before, its number could be another's by now.
  if (!fd.valid() || lock_holder_pid() != holder) return false;
  pidfd_ = std::move(fd);
  pid = holder;
  adopted = true;
  started_ = Clock::now();
  state = ChildState::running;
  restart_ordered = false;
  advice.clear();
  return true;
}

Result<void> Child::start() {
  Result<FileDescriptor> output = log.open_for_child();
  if (!output) return std::unexpected(output.error());
  if (!listen.empty() && !listening_.valid()) {
    // If it can't be had, the gateway tries itself, and says why not.
    if (Result<FileDescriptor> opened = open_listening_socket(listen); opened) listening_ = *std::move(opened);
  }
  const SpawnSetup setup(output->get(), listening_.get());
  std::vector<char*> arguments;
  for (std::string& argument : argv) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  const std::vector<char*> environment = environment_of_child(listening_.valid());
  pid_t started = 0;
  const int error = ::posix_spawn(&started, arguments.front(), &setup.actions, &setup.attributes,
                                  arguments.data(), environment.data());
  if (error != 0) return fail_errno(cat("can't start ", argv.front()), error);
  FileDescriptor fd(open_pidfd(started));
  if (!fd.valid()) {
    const int why = errno;
    ::kill(started, SIGKILL);
    ::waitpid(started, nullptr, 0);
    return fail_errno("can't watch a process (pidfd_open)", why);
  }
  pidfd_ = std::move(fd);
  pid = started;
  adopted = false;
  started_ = Clock::now();
  state = ChildState::running;
  restart_ordered = false;
  advice.clear();
  return {};
}

ChildEnd Child::reap() {
  ChildEnd end;
  if (!adopted) {
    siginfo_t info{};
    if (::waitid(P_PIDFD, static_cast<id_t>(pidfd_.get()), &info, WEXITED) == 0) {
      (info.si_code == CLD_EXITED ? end.code : end.signal) = info.si_status;
    }
  }
  pidfd_.reset();
  return end;
}

void Child::send_signal(int number) const {
  if (pidfd_.valid()) ::syscall(SYS_pidfd_send_signal, pidfd_.get(), number, nullptr, 0);
}

std::chrono::milliseconds Child::lived() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started_);
}

}  // namespace pollux
