#include "watchdog.h"

#include "pollux/services/member.h"
#include "thread_name.h"

namespace pollux {

void Watchdog::start() {
  thread_ = std::thread([this] {
    name_this_thread("watchdog");
    run();
  });
}

void Watchdog::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Watchdog::end_within(std::chrono::milliseconds after, int code) {
  code_ = code;
  rounds_left_ = (after + options_.round - std::chrono::milliseconds(1)) / options_.round;
}

void Watchdog::run() {
  const auto rounds_max = options_.limit / options_.round;
  std::uint64_t seen = progress_.core.load();
  std::int64_t idle_rounds = 0;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, options_.round, [this] { return stopping_; })) {
    if (rounds_left_ > 0 && --rounds_left_ == 0) end_(code_, "a thread does not end");
    const std::uint64_t now = progress_.core.load(std::memory_order_relaxed);
    idle_rounds = now == seen ? idle_rounds + 1 : 0;
    seen = now;
    if (rounds_left_ < 0 && idle_rounds >= rounds_max) {
      end_(MemberExit::hung, "the thread that speaks ZeroMQ and runs core makes no progress");
    }
  }
}

}  // namespace pollux
