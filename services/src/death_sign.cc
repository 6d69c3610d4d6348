#include "death_sign.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <system_error>

#include "file_io.h"
#include "pollux/core/check.h"
#include "text.h"
#include "thread_name.h"

namespace pollux {
namespace {

constexpr std::uint64_t sign_magic = 0x3130657669616c78;  // "xlaive01"
constexpr std::size_t sign_bytes = 4096;
constexpr const char* prefix = "alive-";

}  // namespace

struct DeathSignPage {
  std::uint64_t magic;
  RunId run;
  BootId boot;
  std::atomic<std::uint32_t> held;
  pthread_mutex_t mutex;
};
static_assert(sizeof(DeathSignPage) <= sign_bytes);

namespace {

DeathSignPage* map_sign(int fd) {
  void* mapped = ::mmap(nullptr, sign_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<DeathSignPage*>(mapped);
}

void remove_earlier_signs(const std::filesystem::path& directory) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    if (!entry->path().filename().native().starts_with(prefix)) continue;
    std::error_code ignored;  // one that stays costs a page
    std::filesystem::remove(entry->path(), ignored);
  }
}

void init_mutex(pthread_mutex_t* mutex) {
  pthread_mutexattr_t attributes;
  POLLUX_CHECK(pthread_mutexattr_init(&attributes) == 0);
  POLLUX_CHECK(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0);
  POLLUX_CHECK(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
  POLLUX_CHECK(pthread_mutex_init(mutex, &attributes) == 0);
  pthread_mutexattr_destroy(&attributes);
}

}  // namespace

Result<DeathSign> DeathSign::create(const std::filesystem::path& directory, const RunId& run, const BootId& boot) {
  remove_earlier_signs(directory);
  const auto file = directory / cat(prefix, to_string(run));
  const FileDescriptor fd(::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd.valid()) return fail_errno(cat("can't make ", file), errno);
  if (const int error = ::posix_fallocate(fd.get(), 0, sign_bytes); error != 0) {
    return fail_errno(cat("can't allocate ", file), error);
  }
  DeathSignPage* page = map_sign(fd.get());
  if (page == nullptr) return fail_errno(cat("can't map ", file), errno);
  init_mutex(&page->mutex);
  page->run = run;
  page->boot = boot;
  page->magic = sign_magic;
  return DeathSign(file, page);
}

DeathSign::DeathSign(DeathSign&& other) noexcept
    : file_(std::move(other.file_)), page_(std::exchange(other.page_, nullptr)) {}

DeathSign::~DeathSign() {
  if (page_ == nullptr) return;
  // The thread that held it has ended, so the kernel has let go of the mutex.
  ::munmap(page_, sign_bytes);
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

void DeathSign::hold() {
  POLLUX_CHECK(pthread_mutex_lock(&page_->mutex) == 0);
  page_->held.store(1, std::memory_order_release);
}

DeathWatch::DeathWatch(const BootId& boot, Died died, Say say)
    : boot_(boot), died_(std::move(died)), say_(std::move(say)) {}

DeathWatch::~DeathWatch() { stop(); }

void DeathWatch::start() {
  thread_ = std::thread([this] {
    name_this_thread("death watch");
    run();
  });
}

void DeathWatch::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void DeathWatch::watch(const WatchPeer& target) {
  {
    const std::lock_guard lock(mutex_);
    target_ = target;
    number_.fetch_add(1);
  }
  changed_.notify_all();
}

void DeathWatch::run() {
  std::uint64_t done = 0;  // of number_
  while (!stopping_) {
    WatchPeer target;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || number_.load() != done; });
      if (stopping_) return;
      done = number_.load();
      target = *target_;
    }
    if (target.death_sign.empty() || target.boot != boot_) continue;  // on another host: heartbeats must do
    const FileDescriptor fd(::open(target.death_sign.c_str(), O_RDWR | O_CLOEXEC));
    struct stat status {};
    // A shorter file would be a SIGBUS when read.
    const bool usable = fd.valid() && ::fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode) &&
                        status.st_size >= static_cast<off_t>(sign_bytes);
    DeathSignPage* page = usable ? map_sign(fd.get()) : nullptr;
    if (page == nullptr) {
      say_(cat("the peer's death sign ", target.death_sign, " can't be watched; its death will be seen by its silence"));
      continue;
    }
    const bool fits = page->magic == sign_magic && page->run == target.run && page->boot == boot_;
    if (fits && watch_page(page, done) == Seen::dead) died_(target.run, target.boot);
    ::munmap(page, sign_bytes);
  }
}

DeathWatch::Seen DeathWatch::watch_page(DeathSignPage* page, std::uint64_t number) {
  while (!stopping_ && number_.load() == number) {
    timespec due{};
    clock_gettime(CLOCK_MONOTONIC, &due);
    constexpr long ns_per_s = 1'000'000'000;
    due.tv_nsec += std::chrono::nanoseconds(slice).count();
    if (due.tv_nsec >= ns_per_s) {
      due.tv_nsec -= ns_per_s;
      ++due.tv_sec;
    }
    switch (pthread_mutex_clocklock(&page->mutex, CLOCK_MONOTONIC, &due)) {
      case ETIMEDOUT: continue;
      case EOWNERDEAD:
        // Not made consistent: whoever else watches learns it too (ENOTRECOVERABLE).
        pthread_mutex_unlock(&page->mutex);
        return Seen::dead;
      case ENOTRECOVERABLE: return Seen::dead;
      case 0:
        // Nobody holds it, so it tells nothing: its owner has not begun, or let go against the rules.
        pthread_mutex_unlock(&page->mutex);
        if (page->held.load(std::memory_order_acquire) != 0) return Seen::nothing;
        {
          std::unique_lock lock(mutex_);
          changed_.wait_for(lock, slice, [&] { return stopping_ || number_.load() != number; });
        }
        continue;
      default: return Seen::nothing;
    }
  }
  return Seen::other_target;
}

}  // namespace pollux
