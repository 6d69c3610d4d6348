#include "noise/wakeup.h"

#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>

namespace pollux {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

timespec moment(std::int64_t ns) { return {.tv_sec = ns / second_ns, .tv_nsec = ns % second_ns}; }

using SleepUntil = std::function<void(std::int64_t until_ns)>;

Histogram lateness(const SleepUntil& sleep_until, const WakeupOptions& options) {
  Histogram late;
  auto due = monotonic_ns();
  for (std::uint64_t i = 0; i < options.times; ++i) {
    if (options.stop != nullptr && *options.stop) break;
    due += options.period.count();
    sleep_until(due);
    late.record_ns(monotonic_ns() - due);
  }
  return late;
}

Histogram by_nanosleep(const WakeupOptions& options) {
  return lateness(
      [](std::int64_t until_ns) {
        const auto until = moment(until_ns);
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
        }
      },
      options);
}

// Nobody notifies: what wakes the thread is the futex's time-out, as in a queue that waits for work or a
// deadline.
Histogram by_condition(const WakeupOptions& options) {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  return lateness(
      [&](std::int64_t until_ns) {
        const std::chrono::steady_clock::time_point until{std::chrono::nanoseconds(until_ns)};
        while (never.wait_until(lock, until) != std::cv_status::timeout) {
        }
      },
      options);
}

Result<Histogram> by_timer_fd(const WakeupOptions& options) {
  const int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  if (fd < 0)
    return fail(Code::unsupported, std::string("this host has no timerfd: ") + std::strerror(errno));
  int broken = 0;
  auto late = lateness(
      [fd, &broken](std::int64_t until_ns) {
        const itimerspec until{.it_interval = {}, .it_value = moment(until_ns)};
        std::uint64_t expired = 0;
        if (timerfd_settime(fd, TFD_TIMER_ABSTIME, &until, nullptr) != 0) broken = errno;
        while (broken == 0 && read(fd, &expired, sizeof expired) < 0) {
          if (errno != EINTR) broken = errno;
        }
      },
      options);
  close(fd);
  if (broken != 0) return fail(Code::io_error, std::string("timerfd failed: ") + std::strerror(broken));
  return late;
}

}  // namespace

std::string_view to_string(WakeupBy by) {
  switch (by) {
    case WakeupBy::clock_nanosleep:
      return "clock_nanosleep";
    case WakeupBy::timer_fd:
      return "timerfd";
    case WakeupBy::condition_variable:
      return "condition variable";
  }
  return "?";
}

Result<Histogram> measure_wakeup(WakeupBy by, const WakeupOptions& options) {
  switch (by) {
    case WakeupBy::clock_nanosleep:
      return by_nanosleep(options);
    case WakeupBy::timer_fd:
      return by_timer_fd(options);
    case WakeupBy::condition_variable:
      return by_condition(options);
  }
  return fail(Code::invalid_argument, "there is no such way to sleep");
}

}  // namespace pollux
