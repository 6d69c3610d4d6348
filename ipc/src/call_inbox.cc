#include "call_inbox.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "pollux/core/check.h"

namespace pollux {

CallInbox::CallInbox() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  POLLUX_CHECK_WHY(static_cast<bool>(event_), "no eventfd: raise the limit of open files");
}

CallInbox::~CallInbox() {
  for (Call* call = take(); call != nullptr;) delete std::exchange(call, call->inbox_next);
}

// The order that matters: a pusher stores, then looks whether the loop sleeps; the loop says that it sleeps,
// then looks whether something was stored. Both are sequentially consistent, so one of them sees the other.

void CallInbox::push(std::unique_ptr<Call> call) {
  Call* added = call.release();
  added->inbox_next = head_.load(std::memory_order_relaxed);
  while (!head_.compare_exchange_weak(added->inbox_next, added)) {
  }
  if (sleeping_.load() && sleeping_.exchange(false)) {
    const std::uint64_t one = 1;
    static_cast<void>(!::write(event_.get(), &one, sizeof one));
  }
}

void CallInbox::wake() {
  woken_.store(true);
  const std::uint64_t one = 1;
  static_cast<void>(!::write(event_.get(), &one, sizeof one));
}

Call* CallInbox::take() {
  if (head_.load(std::memory_order_relaxed) == nullptr) return nullptr;
  Call* newest = head_.exchange(nullptr);
  Call* oldest = nullptr;
  while (newest != nullptr) {
    Call* next = newest->inbox_next;
    newest->inbox_next = oldest;
    oldest = newest;
    newest = next;
  }
  return oldest;
}

bool CallInbox::begin_sleep() {
  sleeping_.store(true);
  if (empty() && !woken_.load()) return true;
  end_sleep();
  return false;
}

void CallInbox::end_sleep() {
  sleeping_.store(false);
  woken_.store(false);
  std::uint64_t count = 0;
  static_cast<void>(!::read(event_.get(), &count, sizeof count));
}

}  // namespace pollux
