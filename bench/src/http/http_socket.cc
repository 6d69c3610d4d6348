#include "http/http_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sodium.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <vector>

#include "peer/socket_settings.h"
#include "run/interrupt.h"
#include "pollux/bench/histogram.h"

namespace pollux {

namespace {

constexpr std::int64_t ms_ns = 1'000'000;
constexpr std::int64_t look_every_ms = 200;  // at Ctrl-C
constexpr std::size_t read_bytes = 256u << 10;

std::string base64(std::string_view text) {
  std::string out(sodium_base64_encoded_len(text.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(out.data(), out.size(), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                    sodium_base64_VARIANT_ORIGINAL);
  out.pop_back();  // the zero at its end
  return out;
}

Error socket_error(const std::string& what) { return {Code::io_error, what + ": " + std::strerror(errno)}; }

}  // namespace

Result<int> begin_connect(const std::string& address, std::uint32_t buffer_bytes) {
  const auto colon = address.rfind(':');
  sockaddr_in to{};
  to.sin_family = AF_INET;
  std::uint16_t port = 0;
  const bool good =
      colon != std::string::npos && inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr) == 1 &&
      std::from_chars(address.data() + colon + 1, address.data() + address.size(), port).ec == std::errc{};
  if (!good) return fail(Code::invalid_argument, address + " is no address like 127.0.0.1:8080");
  to.sin_port = htons(port);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return std::unexpected(socket_error("can't make a socket"));
  apply_settings(fd, {.buffer_bytes = buffer_bytes});
  if (connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0 && errno != EINPROGRESS) {
    const auto error = socket_error("can't connect to " + address);
    close(fd);
    return std::unexpected(error);
  }
  return fd;
}

Result<std::uint16_t> free_loopback_port() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return std::unexpected(socket_error("can't make a socket"));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  const bool bound = bind(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0 &&
                     getsockname(fd, reinterpret_cast<sockaddr*>(&at), &size) == 0;
  const auto error = socket_error("no loopback port is free");
  close(fd);
  if (!bound) return std::unexpected(error);
  return ntohs(at.sin_port);
}

std::string basic_authorization(std::string_view user, std::string_view password) {
  return "Authorization: Basic " + base64(std::string(user) + ":" + std::string(password)) + "\r\n";
}

Result<void> allow_open_files(std::size_t count) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= count) return {};
  if (limit.rlim_max < count) {
    return fail(Code::bad_config, "this needs " + std::to_string(count) + " open files, and the limit is " +
                                      std::to_string(limit.rlim_max) + ": raise it (ulimit -n)");
  }
  limit.rlim_cur = count;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
    return std::unexpected(socket_error("can't raise the limit of open files"));
  return {};
}

void HttpConnection::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Result<void> HttpConnection::wait_for(short events, std::int64_t until_ns) const {
  for (;;) {
    const auto left = (until_ns - monotonic_ns()) / ms_ns;
    if (left <= 0) return fail(Code::unreachable, address_ + " does not answer");
    if (InterruptGuard::interrupted()) return fail(Code::stopping, "interrupted");
    pollfd waited{fd_, events, 0};
    if (poll(&waited, 1, static_cast<int>(std::min(left, look_every_ms))) == 1) return {};
  }
}

Result<HttpAnswer> HttpConnection::call(std::string_view request, std::chrono::milliseconds limit) {
  const auto until = monotonic_ns() + limit.count() * ms_ns;
  const bool kept = open();
  auto answer = call_once(request, until);
  if (!answer && kept && !reader_.begun() && answer.error().code == Code::io_error) {
    return call_once(request, until);
  }
  return answer;
}

Result<HttpAnswer> HttpConnection::call_once(std::string_view request, std::int64_t until_ns) {
  reader_.begin(true);
  const auto give_up = [this](Error error) -> Result<HttpAnswer> {
    close();
    return std::unexpected(std::move(error));
  };
  const auto begin = monotonic_ns();
  if (!open()) {
    const auto fd = begin_connect(address_, buffer_bytes_);
    if (!fd) return std::unexpected(fd.error());
    fd_ = *fd;
  }
  for (std::size_t sent = 0; sent < request.size();) {
    if (auto ready = wait_for(POLLOUT, until_ns); !ready) return give_up(ready.error());
    const auto count = ::send(fd_, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno != EAGAIN && errno != EINTR)
      return give_up(socket_error("can't send to " + address_));
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
  std::vector<char> bytes(read_bytes);
  while (!reader_.done()) {
    if (auto ready = wait_for(POLLIN, until_ns); !ready) return give_up(ready.error());
    const auto count = recv(fd_, bytes.data(), bytes.size(), 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (count < 0) return give_up(socket_error("can't read from " + address_));
    if (count == 0) {
      reader_.closed();
    } else {
      reader_.take({bytes.data(), static_cast<std::size_t>(count)});
    }
    if (!reader_.wrong().empty()) return give_up({Code::io_error, address_ + ": " + reader_.wrong()});
  }
  HttpAnswer answer{reader_.head(), reader_.body(), monotonic_ns() - begin};
  if (!answer.head.keep_alive) close();
  return answer;
}

}  // namespace pollux
