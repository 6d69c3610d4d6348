// Control sockets: lines of JSON over a Unix socket. What the lines mean is the handler's affair.
#include "pollux/services/control.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <atomic>
#include <boost/json.hpp>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <list>
#include <mutex>
#include <thread>

#include "file_io.h"
#include "pollux/core/check.h"
#include "text.h"
#include "thread_name.h"

namespace pollux {
namespace {

constexpr std::size_t answer_line_bytes_max = 128u << 20;
/// A caller that does not read what it asked for, or does not finish its line, is hung up on after this.
constexpr int stuck_caller_s = 30;
constexpr int backlog = 64;
/// How long to wait to be accepted by a process that has the socket already: hanging, it has it all the same.
constexpr std::chrono::milliseconds occupied_timeout{1000};

Result<sockaddr_un> address_of(const std::filesystem::path& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string& path = socket.native();
  if (path.empty() || path.size() > control_path_bytes_max) {
    return fail(Code::bad_config, cat("the control socket's path has ", path.size(), " bytes, and the system allows ",
                                      control_path_bytes_max, ": ", path, "; choose a shorter directory"));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

Error silent(const std::filesystem::path& socket, std::chrono::milliseconds timeout) {
  return {Code::deadline_exceeded, cat(socket, " did not answer within ", timeout.count(), " ms")};
}

Result<FileDescriptor> connect_to(const std::filesystem::path& socket, std::chrono::milliseconds timeout) {
  const auto address = address_of(socket);
  if (!address) return std::unexpected(address.error());
  FileDescriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return fail_errno("can't make a socket", errno);
  // A stopped process accepts nobody: once its backlog is full, connect() waits as send() does, by default
  // for ever. Zero means no limit here and there.
  const timeval patience{.tv_sec = timeout.count() / 1000, .tv_usec = timeout.count() % 1000 * 1000};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  while (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0) {
    if (errno == EINTR) continue;
    if (errno == EAGAIN) return std::unexpected(silent(socket, timeout));
    return fail(Code::unreachable, cat("nobody answers at ", socket, ": ", std::strerror(errno), "; is it running?"));
  }
  return fd;
}

bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

/// Bytes of a socket as lines.
class LineReader {
 public:
  LineReader(int fd, std::size_t line_bytes_max) : fd_(fd), line_bytes_max_(line_bytes_max) {}

  enum class Got : std::uint8_t { line, end, too_long, timeout };
  /// `timeout_ms` < 0: no limit.
  Got next(std::string& line, int timeout_ms) {
    for (;;) {
      const std::size_t end = buffer_.find('\n', searched_);
      if (end != std::string::npos) {
        line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        searched_ = 0;
        return Got::line;
      }
      searched_ = buffer_.size();
      if (buffer_.size() > line_bytes_max_) return Got::too_long;
      pollfd poll{.fd = fd_, .events = POLLIN, .revents = 0};
      const int ready = ::poll(&poll, 1, timeout_ms);
      if (ready < 0 && errno == EINTR) continue;
      if (ready == 0) return Got::timeout;
      char part[16384];
      const ssize_t count = ::recv(fd_, part, sizeof part, 0);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return Got::end;
      buffer_.append(part, static_cast<std::size_t>(count));
    }
  }

 private:
  const int fd_;
  const std::size_t line_bytes_max_;
  std::string buffer_;
  std::size_t searched_ = 0;
};

bool is_last(const std::string& line) {
  boost::json::error_code error;
  const auto value = boost::json::parse(line, error);
  if (error || !value.is_object()) return true;
  const auto* done = value.as_object().if_contains("done");
  return done != nullptr && done->is_bool() && done->as_bool();
}

bool hung_up(int fd) {
  pollfd poll{.fd = fd, .events = POLLRDHUP, .revents = 0};
  return ::poll(&poll, 1, 0) > 0;
}

}  // namespace

std::string control_error_line(const Error& error) {
  const boost::json::object line{{"error", {{"code", to_string(error.code)}, {"text", error.text}}}, {"done", true}};
  return boost::json::serialize(line);
}

Result<void> control_call(const std::filesystem::path& socket, const std::string& command,
                          std::chrono::milliseconds timeout, const std::function<bool(const std::string& line)>& line) {
  auto fd = connect_to(socket, timeout);
  if (!fd) return std::unexpected(fd.error());
  if (!send_all(fd->get(), command + "\n")) return fail(Code::unreachable, cat(socket, " hung up"));
  LineReader reader(fd->get(), answer_line_bytes_max);
  const int patience = timeout.count() > 0 ? static_cast<int>(timeout.count()) : -1;
  for (std::string answer;;) {
    switch (reader.next(answer, patience)) {
      case LineReader::Got::end: return fail(Code::unreachable, cat(socket, " hung up before it had answered"));
      case LineReader::Got::timeout: return std::unexpected(silent(socket, timeout));
      case LineReader::Got::too_long: return fail(Code::malformed, cat(socket, " sends a line without an end"));
      case LineReader::Got::line: break;
    }
    const bool last = is_last(answer);
    if (!line(answer) || last) return {};
  }
}

struct ControlServer::Impl {
  struct Connection {
    FileDescriptor fd;
    std::thread thread;
    std::atomic<bool> ended{false};
  };

  void accept_all();
  void serve(Connection& connection);
  void serve_lines(const Connection& connection);
  void bury_ended();

  std::filesystem::path socket;
  Handler handler;
  FileDescriptor listening;
  std::atomic<bool> stopping{false};
  std::mutex mutex;
  std::condition_variable ended;
  std::list<Connection> connections;
  std::thread acceptor;
};

void ControlServer::Impl::accept_all() {
  while (!stopping) {
    {
      std::unique_lock lock(mutex);
      bury_ended();
      ended.wait(lock, [&] {
        bury_ended();
        return stopping || connections.size() < control_connections_max;
      });
    }
    FileDescriptor fd(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (stopping) return;
    if (!fd.valid()) {
      // Out of descriptors, most likely: the next one may find some.
      if (errno != EINTR && errno != ECONNABORTED) std::this_thread::sleep_for(std::chrono::milliseconds(100));
      continue;
    }
    const timeval patience{.tv_sec = stuck_caller_s, .tv_usec = 0};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    const std::lock_guard lock(mutex);
    Connection& connection = connections.emplace_back();
    connection.fd = std::move(fd);
    connection.thread = std::thread([this, &connection] {
      name_this_thread("control");
      serve(connection);
    });
  }
}

void ControlServer::Impl::bury_ended() {
  std::erase_if(connections, [](Connection& connection) {
    if (!connection.ended) return false;
    connection.thread.join();
    return true;
  });
}

void ControlServer::Impl::serve(Connection& connection) {
  serve_lines(connection);
  ::shutdown(connection.fd.get(), SHUT_RDWR);
  {
    const std::lock_guard lock(mutex);
    connection.ended = true;
  }
  ended.notify_one();
}

void ControlServer::Impl::serve_lines(const Connection& connection) {
  const int fd = connection.fd.get();
  const Reply reply = [&](const std::string& line) {
    if (stopping) return false;
    if (line.empty()) return !hung_up(fd);
    return send_all(fd, line + "\n");
  };
  LineReader reader(fd, control_line_bytes_max);
  for (std::string command; !stopping;) {
    switch (reader.next(command, stuck_caller_s * 1000)) {
      case LineReader::Got::line: handler(command, reply); continue;
      case LineReader::Got::too_long:
        reply(control_error_line({Code::too_large, cat("a command has at most ", control_line_bytes_max, " bytes")}));
        return;
      case LineReader::Got::end:
      case LineReader::Got::timeout: return;
    }
  }
}

ControlServer::ControlServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<ControlServer>> ControlServer::open(const std::filesystem::path& socket, Handler handler) {
  const auto address = address_of(socket);
  if (!address) return std::unexpected(address.error());
  if (const auto other = connect_to(socket, occupied_timeout);
      other || other.error().code == Code::deadline_exceeded) {
    return fail(Code::in_use, cat("another process answers at ", socket, "; stop that process first"));
  }
  struct stat status {};
  if (::lstat(socket.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode)) {
      return fail(Code::bad_config, cat(socket, " is there and is no socket; move it away"));
    }
    ::unlink(socket.c_str());
  }
  auto impl = std::make_unique<Impl>();
  impl->socket = socket;
  impl->handler = std::move(handler);
  impl->listening = FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!impl->listening.valid()) return fail_errno("can't make a socket", errno);
  // On Linux the mode of the socket before bind() is the mode its file gets: it is never open to others.
  ::fchmod(impl->listening.get(), 0600);
  if (::bind(impl->listening.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0) {
    return fail_errno(cat("can't bind ", socket), errno);
  }
  ::chmod(socket.c_str(), 0600);
  if (::listen(impl->listening.get(), backlog) != 0) return fail_errno(cat("can't listen on ", socket), errno);
  impl->acceptor = std::thread([raw = impl.get()] {
    name_this_thread("control accept");
    raw->accept_all();
  });
  return std::unique_ptr<ControlServer>(new ControlServer(std::move(impl)));
}

ControlServer::~ControlServer() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stopping = true;
    for (const auto& connection : impl_->connections) ::shutdown(connection.fd.get(), SHUT_RDWR);
  }
  ::shutdown(impl_->listening.get(), SHUT_RDWR);
  impl_->ended.notify_all();
  impl_->acceptor.join();
  for (auto& connection : impl_->connections) {
    ::shutdown(connection.fd.get(), SHUT_RDWR);  // one accepted in the meantime
    connection.thread.join();
  }
  ::unlink(impl_->socket.c_str());
}

}  // namespace pollux
