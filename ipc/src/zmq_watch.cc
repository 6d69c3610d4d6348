#include "zmq_watch.h"

#include <zmq.h>

#include <algorithm>

#include "pollux/core/check.h"

namespace pollux {

void ZmqWatch::add(void* socket) {
  int fd = -1;
  std::size_t size = sizeof fd;
  POLLUX_CHECK_WHY(zmq_getsockopt(socket, ZMQ_FD, &fd, &size) == 0, "a socket's descriptor");
  if (fds_.empty()) fds_.push_back({-1, POLLIN, 0});
  fds_.back().fd = fd;
  fds_.push_back({-1, POLLIN, 0});
  look_.push_back(true);
}

bool ZmqWatch::wait(int timeout_ms, int wake_fd) {
  POLLUX_CHECK(!fds_.empty());
  const bool news = std::ranges::find(look_, true) != look_.end();
  fds_.back().fd = wake_fd;
  // Interrupted by a signal: as if it had waited to the end, which every caller bears.
  if (::poll(fds_.data(), fds_.size(), news ? 0 : timeout_ms) > 0) {
    for (std::size_t i = 0; i < look_.size(); ++i) {
      if (fds_[i].revents != 0) look_[i] = true;
    }
  }
  return !news;
}

}  // namespace pollux
