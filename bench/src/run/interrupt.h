// Ctrl-C during a measurement: everything that waits looks at the flag, so that children are ended and
// temporary directories removed on the way out.
#pragma once

#include <signal.h>

#include <atomic>

namespace pollux {

/// While one of these lives, SIGINT and SIGTERM only set the flag. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  static const std::atomic<bool>& flag();
  static bool interrupted() { return flag(); }

 private:
  struct sigaction before_int_{}, before_term_{};
};

}  // namespace pollux
