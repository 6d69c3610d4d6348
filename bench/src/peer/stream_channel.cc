#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "peer/channel.h"

namespace pollux {

namespace {

class StreamChannel : public Channel {
 public:
  StreamChannel(int read_fd, int write_fd, StallGuard& guard)
      : read_(read_fd), write_(write_fd), guard_(guard) {}
  ~StreamChannel() override {
    close(read_);
    if (write_ != read_) close(write_);
  }
  StreamChannel(const StreamChannel&) = delete;
  StreamChannel& operator=(const StreamChannel&) = delete;

  bool send(ConstBytes message) override {
    while (!message.empty()) {
      // write(), for pipes too; SIGPIPE is ignored by the program.
      const auto sent = write(write_, message.data(), message.size());
      if (sent < 0 && !go_on("send")) return false;
      if (sent > 0) message = message.subspan(static_cast<std::size_t>(sent));
    }
    guard_.progress();
    return true;
  }

  bool receive(Bytes message) override {
    while (!message.empty()) {
      const auto got = read(read_, message.data(), message.size());
      if (got == 0) return fail_with("the other end closed the connection");
      if (got < 0 && !go_on("receive")) return false;
      if (got > 0) message = message.subspan(static_cast<std::size_t>(got));
    }
    guard_.progress();
    return true;
  }

 private:
  bool go_on(const char* what) {
    if (errno != EINTR) return fail_with(std::string("can't ") + what + ": " + std::strerror(errno));
    return !guard_.given_up() || fail_with("the other end did not answer in time");
  }
  const int read_, write_;
  StallGuard& guard_;
};

}  // namespace

std::unique_ptr<Channel> stream_channel(int read_fd, int write_fd, StallGuard& guard) {
  return std::make_unique<StreamChannel>(read_fd, write_fd, guard);
}

}  // namespace pollux
