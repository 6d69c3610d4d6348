#include "peer/stall_guard.h"

#include <signal.h>

#include "pollux/bench/histogram.h"

namespace pollux {

namespace {

constexpr int wake_signal = SIGUSR2;
constexpr std::chrono::milliseconds look_every(100);

// Does nothing, and without SA_RESTART: a system call that it interrupts ends with EINTR.
void install_handler() {
  struct sigaction action{};
  action.sa_handler = [](int) {};
  sigemptyset(&action.sa_mask);
  sigaction(wake_signal, &action, nullptr);
}

}  // namespace

StallGuard::StallGuard(std::chrono::milliseconds limit, std::function<bool()> also)
    : limit_(limit), also_(std::move(also)), watched_(pthread_self()) {
  install_handler();
  thread_ = std::thread([this] { watch(); });
}

StallGuard::~StallGuard() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  end_.notify_all();
  thread_.join();
}

void StallGuard::watch() {
  std::uint64_t seen = 0;
  auto moved_at = monotonic_ns();
  std::unique_lock lock(mutex_);
  while (!end_.wait_for(lock, look_every, [this] { return done_; })) {
    const auto now = monotonic_ns();
    if (const auto progress = progress_.load(std::memory_order_relaxed); progress != seen) {
      seen = progress;
      moved_at = now;
    }
    if (now - moved_at > std::chrono::nanoseconds(limit_).count() || (also_ && also_())) given_up_ = true;
    // Again and again: the signal may come just before the call that it is to interrupt.
    if (given_up_) pthread_kill(watched_, wake_signal);
  }
}

}  // namespace pollux
