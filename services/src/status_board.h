// Where core's thread hangs out its status, for the threads that are asked about it.
#pragma once

#include <atomic>
#include <mutex>

#include "pollux/core/pair.h"
#include "pollux/ipc/member_socket.h"

namespace pollux {

class StatusBoard {
 public:
  struct Notice {
    PairStatus pair;
    MemberSocketCounters socket;
    Instant at{};
  };
  void publish(Notice notice) {
    solo_.store(notice.pair.solo, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    notice_ = std::move(notice);
  }
  [[nodiscard]] Notice read() const {
    const std::lock_guard lock(mutex_);
    return notice_;
  }
  [[nodiscard]] bool solo() const { return solo_.load(std::memory_order_relaxed); }

 private:
  mutable std::mutex mutex_;
  Notice notice_;
  std::atomic<bool> solo_{true};
};

}  // namespace pollux
