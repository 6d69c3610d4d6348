// An operator's orders on their way to core and back: the control socket's threads wait here for the answer.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "pollux/core/result.h"

namespace pollux {

class OrderDesk {
 public:
  /// A new ticket, which must be waited for.
  std::uint64_t open() {
    const std::lock_guard lock(mutex_);
    return answers_.emplace(++last_, std::nullopt).first->first;
  }
  /// Called by core's thread.
  void answer(std::uint64_t ticket, Error answer) {
    {
      const std::lock_guard lock(mutex_);
      const auto found = answers_.find(ticket);
      if (found == answers_.end()) return;  // its caller gave up
      found->second = std::move(answer);
    }
    answered_.notify_all();
  }
  /// Core has stopped: nobody waits in vain.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    answered_.notify_all();
  }
  /// The answer (its code may be ok), or none after `patience` or when the desk is closed.
  std::optional<Error> wait(std::uint64_t ticket, std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    answered_.wait_for(lock, patience, [&] { return closed_ || answers_[ticket].has_value(); });
    std::optional<Error> answer = std::move(answers_[ticket]);
    answers_.erase(ticket);
    return answer;
  }

 private:
  std::mutex mutex_;
  std::condition_variable answered_;
  std::map<std::uint64_t, std::optional<Error>> answers_;
  std::uint64_t last_ = 0;
  bool closed_ = false;
};

}  // namespace pollux
