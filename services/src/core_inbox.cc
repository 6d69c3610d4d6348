#include "core_inbox.h"

#include <sys/eventfd.h>

#include <cerrno>

#include "pollux/core/check.h"

namespace pollux {

CoreInbox::CoreInbox() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  POLLUX_CHECK_WHY(wake_.valid(), "no eventfd: out of file descriptors; raise `ulimit -n`");
}

void CoreInbox::post(Input input) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    inputs_.push_back(std::move(input));
    wake = sleeping_ && !signalled_;
    signalled_ = signalled_ || wake;
  }
  if (wake) {
    const std::uint64_t one = 1;
    while (::write(wake_.get(), &one, sizeof one) < 0 && errno == EINTR) {
    }
  }
}

bool CoreInbox::begin_sleep() {
  const std::lock_guard lock(mutex_);
  sleeping_ = inputs_.empty();
  return sleeping_;
}

void CoreInbox::drain(std::vector<Input>& out) {
  POLLUX_CHECK(out.empty());
  const std::lock_guard lock(mutex_);
  sleeping_ = false;
  if (std::exchange(signalled_, false)) {
    // Under the lock: a post after this one must find the eventfd unread, or its wake-up is lost.
    std::uint64_t count = 0;
    while (::read(wake_.get(), &count, sizeof count) < 0 && errno == EINTR) {
    }
  }
  inputs_.swap(out);
}

}  // namespace pollux
