#include "executing_mark.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>

#include "clocks.h"
#include "file_io.h"
#include "pollux/core/check.h"
#include "text.h"

namespace pollux {
namespace {

constexpr std::uint64_t page_magic = 0x31306b72616d7870;  // "pxmark01"
constexpr std::size_t page_bytes = 4096;
constexpr std::size_t signal_stack_bytes = 64u << 10;
constexpr std::array crash_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

enum State : std::uint32_t { idle = 0, executing = 1, guilty = 2 };

}  // namespace

struct ExecutingMark::Page {
  std::uint64_t magic;
  std::array<std::uint8_t, 16> boot;
  std::array<std::uint8_t, 16> session;
  std::uint64_t seq;
  std::atomic<std::int64_t> since_ns;
  std::atomic<std::uint32_t> state;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);

namespace {

/// The page of the executor that runs on this thread. Read by the signal handler.
thread_local ExecutingMark::Page* page_of_thread = nullptr;
thread_local std::unique_ptr<char[]> signal_stack;
std::array<struct sigaction, crash_signals.size()> earlier_handlers;
std::once_flag handlers_installed;

void on_crash(int number, siginfo_t* info, void*) {
  if (page_of_thread != nullptr) {
    std::uint32_t expected = executing;
    page_of_thread->state.compare_exchange_strong(expected, guilty);
  }
  // Back to what was there before. A fault happens again when this handler returns; abort() goes on; a
  // signal that somebody sent has to be sent again.
  for (std::size_t i = 0; i < crash_signals.size(); ++i) {
    if (crash_signals[i] == number) sigaction(number, &earlier_handlers[i], nullptr);
  }
  if (info->si_code <= 0 && number != SIGABRT) raise(number);
}

void install_handlers() {
  for (std::size_t i = 0; i < crash_signals.size(); ++i) {
    struct sigaction action {};
    action.sa_sigaction = on_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(crash_signals[i], &action, &earlier_handlers[i]);
  }
}

}  // namespace

Result<ExecutingMark> ExecutingMark::open(const std::filesystem::path& directory, const BootId& boot) {
  const auto file = directory / "executing";
  const FileDescriptor fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd.valid()) return fail_errno(cat("can't open ", file), errno);
  // Allocated, not only sized: a store into a hole of a full disk would be a SIGBUS.
  if (const int error = ::posix_fallocate(fd.get(), 0, page_bytes); error != 0) {
    return fail_errno(cat("can't allocate ", file), error);
  }
  void* mapped = ::mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (mapped == MAP_FAILED) return fail_errno(cat("can't map ", file), errno);
  auto* page = static_cast<Page*>(mapped);

  std::optional<InterruptedRequest> found;
  const std::uint32_t state = page->state.load();
  if (page->magic == page_magic && page->boot == boot.bytes && (state == executing || state == guilty)) {
    found = InterruptedRequest{.sync = {.session = {page->session}, .seq = page->seq}, .guilty = state == guilty};
  }
  page->state.store(idle);
  page->magic = page_magic;
  page->boot = boot.bytes;
  return ExecutingMark(page, found);
}

ExecutingMark::ExecutingMark(ExecutingMark&& other) noexcept
    : page_(std::exchange(other.page_, nullptr)), found_(other.found_) {}

ExecutingMark::~ExecutingMark() {
  if (page_ != nullptr) ::munmap(page_, page_bytes);
}

void ExecutingMark::begin(const SyncId& sync) {
  POLLUX_CHECK(page_->state.load(std::memory_order_relaxed) == idle);
  page_->session = sync.session.bytes;
  page_->seq = sync.seq;
  page_->since_ns.store(steady_now().time_since_epoch().count(), std::memory_order_relaxed);
  page_->state.store(executing, std::memory_order_release);
}

void ExecutingMark::end() { page_->state.store(idle, std::memory_order_release); }

bool ExecutingMark::give_up(Duration limit) {
  const Instant since{Duration(page_->since_ns.load(std::memory_order_relaxed))};
  if (steady_now() - since < limit) return false;
  std::uint32_t expected = executing;
  return page_->state.compare_exchange_strong(expected, guilty);
}

void ExecutingMark::guard_this_thread() {
  std::call_once(handlers_installed, install_handlers);
  signal_stack = std::make_unique<char[]>(signal_stack_bytes);
  stack_t stack{};
  stack.ss_sp = signal_stack.get();
  stack.ss_size = signal_stack_bytes;
  POLLUX_CHECK(sigaltstack(&stack, nullptr) == 0);
  page_of_thread = page_;
}

void ExecutingMark::unguard_this_thread() {
  page_of_thread = nullptr;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  signal_stack.reset();
}

}  // namespace pollux
