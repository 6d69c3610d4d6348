// A member as a process: CPUs, memory, signals, exit codes.
#include "pollux/services/member.h"

#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "member_process.h"
#include "text.h"

namespace pollux {
namespace {

/// Fewer arenas than threads: what one thread frees, another uses again, and less memory lies idle.
constexpr int malloc_arenas = 2;
constexpr int malloc_trim_bytes = 1 << 20;

int exit_code(Code code) {
  switch (code) {
    case Code::in_use: return MemberExit::in_use;
    case Code::damaged:
    case Code::unsupported: return MemberExit::damaged;
    case Code::io_error:
    case Code::disk_full: return MemberExit::storage_failed;
    default: return MemberExit::bad_config;
  }
}

Result<void> place_on(const std::vector<int>& cpus) {
  if (cpus.empty()) return {};
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) {
    if (cpu < 0 || cpu >= CPU_SETSIZE) return fail(Code::bad_config, cat("cpus: there is no CPU ", cpu));
    CPU_SET(static_cast<std::size_t>(cpu), &set);
  }
  if (::sched_setaffinity(0, sizeof set, &set) != 0) {
    return fail(Code::bad_config, errno_text("cpus: the member can't run there", errno));
  }
  return {};
}

/// For benchmarks: the kernel takes the longer to end a process the more memory it has, and callers must not feel
/// that. POLLUX_TEST_RESIDENT_BYTES makes this member so large, in small pages, the dearest kind to give back.
void grow_as_ordered() {
  const char* text = std::getenv("POLLUX_TEST_RESIDENT_BYTES");
  const std::size_t bytes = text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
  if (bytes == 0) return;
  constexpr std::size_t page_bytes = 4096;
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  ::madvise(memory, bytes, MADV_NOHUGEPAGE);
  auto* pages = static_cast<volatile char*>(memory);
  for (std::size_t at = 0; at < bytes; at += page_bytes) pages[at] = 1;
}

/// SIGTERM and SIGINT order a stop, SIGUSR1 one of this member alone; SIGHUP is ignored. Blocked in every thread but read here, so that no call is
/// interrupted by them.
class Signals {
 public:
  /// Before any thread is started: they inherit what is blocked.
  static void block() {
    const sigset_t set = ours();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
  }
  explicit Signals(MemberProcess& member) : thread_([this, &member] { wait_for_them(member); }) {}
  ~Signals() {
    done_ = true;
    pthread_kill(thread_.native_handle(), SIGTERM);
    thread_.join();
  }

 private:
  static sigset_t ours() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGHUP}) sigaddset(&set, number);
    return set;
  }
  void wait_for_them(MemberProcess& member) {
    const sigset_t set = ours();
    while (!done_) {
      int number = 0;
      if (sigwait(&set, &number) != 0 || done_ || number == SIGHUP) continue;
      member.order_stop(number == SIGUSR1);
    }
  }
  std::atomic<bool> done_{false};
  std::thread thread_;
};

int refuse(const PairConfig& pair, const MemberConfig& member, const Error& error) {
  const std::string line = cat("pollux: member ", member.name, " of pair ", pair.name, " can't start: ", error.text, "\n");
  static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
  return exit_code(error.code);
}

}  // namespace

int run_member(const Config& config, const PairConfig& pair, const MemberConfig& member,
               const ServiceFactory& service) {
  Signals::block();
  ::mallopt(M_ARENA_MAX, malloc_arenas);
  ::mallopt(M_TRIM_THRESHOLD, malloc_trim_bytes);
  if (auto placed = place_on(member.cpus); !placed) return refuse(pair, member, placed.error());
  grow_as_ordered();
  auto process = MemberProcess::start(config, pair, member, service);
  if (!process) return refuse(pair, member, process.error());
  int code = 0;
  {
    const Signals signals(**process);
    code = (*process)->wait();
  }
  return code;
}

}  // namespace pollux
