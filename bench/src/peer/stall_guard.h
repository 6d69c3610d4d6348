// Ends waits that would never end: the far end of a connection may die, be stopped, or be cut off, and a
// blocking read, a spinning loop or a futex would wait for ever.
//
// A thread looks ten times a second whether the watched one made progress. If it made none for `limit`, or if
// told to give up, it sets the flag that spinning loops look at, and interrupts system calls with a signal
// until the watched thread says that it is out. Costs the watched thread one store a message.
#pragma once

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace pollux {

class StallGuard {
 public:
  /// Watches the thread that constructs it. `also`: asked now and then; true: give up now.
  explicit StallGuard(std::chrono::milliseconds limit, std::function<bool()> also = {});
  ~StallGuard();
  StallGuard(const StallGuard&) = delete;
  StallGuard& operator=(const StallGuard&) = delete;

  void progress() { progress_.fetch_add(1, std::memory_order_relaxed); }
  /// True: stop waiting. System calls of the watched thread then end with EINTR.
  [[nodiscard]] bool given_up() const { return given_up_.load(std::memory_order_relaxed); }

 private:
  void watch();
  const std::chrono::milliseconds limit_;
  const std::function<bool()> also_;
  const pthread_t watched_;
  std::atomic<std::uint64_t> progress_ = 0;
  std::atomic<bool> given_up_ = false;
  std::mutex mutex_;
  std::condition_variable end_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace pollux
