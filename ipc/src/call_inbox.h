// Where callers of any thread leave their calls for the requester's thread. No lock; the thread is woken only
// when it sleeps, and once for however many calls.
#pragma once

#include <atomic>
#include <memory>

#include "call.h"
#include "files.h"

namespace pollux {

class CallInbox {
 public:
  CallInbox();
  ~CallInbox();

  /// Any thread.
  void push(std::unique_ptr<Call> call);
  /// Any thread: wakes the loop without a call.
  void wake();

  // The loop's thread.

  /// All calls so far, oldest first, linked by `inbox_next`.
  [[nodiscard]] Call* take();
  [[nodiscard]] bool empty() const { return head_.load() == nullptr; }
  [[nodiscard]] int fd() const { return event_.get(); }
  /// Between these the loop waits for fd(). If `begin_sleep` returns false there is work already.
  [[nodiscard]] bool begin_sleep();
  void end_sleep();

 private:
  std::atomic<Call*> head_{nullptr};  ///< newest first
  std::atomic<bool> sleeping_{false};
  std::atomic<bool> woken_{false};  ///< by `wake`
  UniqueFd event_;
};

}  // namespace pollux
