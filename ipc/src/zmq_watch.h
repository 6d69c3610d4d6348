// Waits for several sockets of one thread at once, and knows which of them are worth a look.
//
// zmq_poll and a receive that finds nothing ask the kernel once for each socket, which costs more than the
// messages themselves when there are few in a round. Here one poll(2) asks for all of them.
//
// libzmq's rule (ZMQ_FD in zmq_getsockopt(3)): a socket's descriptor is readable when there is news for the
// socket, not when there is a message; and any call on the socket may take that news in. So a socket is
// looked at until a receive finds nothing, and then again only after its descriptor was readable or it was
// sent on.
#pragma once

#include <poll.h>

#include <cstddef>
#include <vector>

namespace pollux {

class ZmqWatch {
 public:
  /// Sockets are numbered from 0 in the order they are added.
  void add(void* socket);

  /// A message was sent, or an option was asked for: it may have taken in the news of one that came.
  void touched(std::size_t socket) { look_[socket] = true; }
  /// A receive found nothing.
  void found_empty(std::size_t socket) { look_[socket] = false; }
  /// May there be a message?
  [[nodiscard]] bool worth_a_look(std::size_t socket) const { return look_[socket]; }

  /// Waits up to `timeout_ms` (-1: for ever) for news for a socket, or for `wake_fd` to become readable (-1:
  /// none). If a socket is worth a look already it asks for news without waiting, and returns false.
  bool wait(int timeout_ms, int wake_fd);

 private:
  std::vector<pollfd> fds_;  ///< of the sockets, and one more for `wake_fd`
  std::vector<bool> look_;
};

}  // namespace pollux
