#include "run/interrupt.h"

namespace pollux {

namespace {
std::atomic<bool> interrupted_flag = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler may set it
}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted_flag = false;
  struct sigaction action{};
  action.sa_handler = [](int) { interrupted_flag = true; };
  sigaction(SIGINT, &action, &before_int_);
  sigaction(SIGTERM, &action, &before_term_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &before_int_, nullptr);
  sigaction(SIGTERM, &before_term_, nullptr);
  interrupted_flag = false;
}

const std::atomic<bool>& InterruptGuard::flag() { return interrupted_flag; }

}  // namespace pollux
