#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "load/load_counts.h"
#include "pollux/bench/load.h"
#include "pollux/core/check.h"

namespace pollux {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

void sleep_until_ns(std::int64_t moment) {
  const timespec until{moment / second_ns, moment % second_ns};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
  }
}

}  // namespace

struct OpenLoad::Shared {
  LoadTarget target;
  std::int64_t interval_ns = 0;

  mutable std::mutex mutex;
  std::condition_variable changed;
  bool sending = true;
  std::size_t outstanding = 0;
  struct Call {
    std::int64_t due = 0;
    std::int64_t answered = 0;  // 0: not yet
  };
  std::deque<Call> calls;
  std::int64_t latest_send = 0;
  LoadCounts counts;
  Histogram latency;

  void finish(std::size_t number, const CallResult& result) {
    const auto now = monotonic_ns();
    const std::scoped_lock lock(mutex);
    auto& call = calls[number];
    POLLUX_CHECK(call.answered == 0 && outstanding > 0);
    call.answered = now;
    --outstanding;
    count_call(result, counts);
    latency.record_ns(now - call.due);
    if (!sending) changed.notify_all();
  }
};

struct OpenLoad::Thread {
  std::thread thread;
};

OpenLoad::OpenLoad(LoadTarget target, unsigned per_second)
    : shared_(std::make_shared<Shared>()), thread_(std::make_unique<Thread>()) {
  POLLUX_CHECK(per_second > 0);
  shared_->target = std::move(target);
  shared_->interval_ns = second_ns / per_second;
  thread_->thread = std::thread([this] { run(); });
}

OpenLoad::~OpenLoad() {
  if (thread_->thread.joinable()) stop(std::chrono::nanoseconds(0));
}

void OpenLoad::run() {
  auto due = monotonic_ns();
  for (;; due += shared_->interval_ns) {
    sleep_until_ns(due);
    std::size_t number = 0;
    std::string payload;
    {
      const std::scoped_lock lock(shared_->mutex);
      if (!shared_->sending) return;
      number = shared_->calls.size();
      shared_->calls.push_back({.due = due});
      ++shared_->outstanding;
      shared_->latest_send = std::max(shared_->latest_send, monotonic_ns() - due);
      payload = shared_->target.payload(number);
    }
    shared_->target.send(std::move(payload), [shared = shared_, number](const CallResult& result) {
      shared->finish(number, result);
    });
  }
}

std::int64_t OpenLoad::longest_wait_ns(std::int64_t from_ns, std::int64_t to_ns) const {
  const auto now = monotonic_ns();
  const std::scoped_lock lock(shared_->mutex);
  std::int64_t longest = 0;
  for (const auto& call : shared_->calls) {
    const auto ended = call.answered == 0 ? now : call.answered;
    if (call.due <= to_ns && ended >= from_ns) longest = std::max(longest, ended - call.due);
  }
  return longest;
}

bool OpenLoad::stop(std::chrono::nanoseconds drain_limit) {
  {
    const std::scoped_lock lock(shared_->mutex);
    shared_->sending = false;
  }
  if (thread_->thread.joinable()) thread_->thread.join();
  std::unique_lock lock(shared_->mutex);
  return shared_->changed.wait_for(lock, drain_limit, [this] { return shared_->outstanding == 0; });
}

LoadCounts OpenLoad::counts() const {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->counts;
}

Histogram OpenLoad::latency() const {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->latency;
}

std::int64_t OpenLoad::latest_send_ns() const {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->latest_send;
}

}  // namespace pollux
