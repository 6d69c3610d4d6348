#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "peer/line_socket.h"

namespace pollux {

namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Result<Addresses> look_up(const std::string& host, const std::string& port, bool to_listen) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (to_listen ? AI_PASSIVE : 0);
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found); error != 0) {
    return fail(Code::invalid_argument,
                "no such host or port: " + host + ":" + port + ": " + gai_strerror(error));
  }
  return Addresses(found, &freeaddrinfo);
}

std::unexpected<Error> failed(const std::string& what, int fd) {
  const int error = errno;
  if (fd >= 0) close(fd);
  return fail(Code::unreachable, "can't " + what + ": " + std::strerror(error));
}

Result<sockaddr_un> unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return fail(Code::invalid_argument,
                "the path of a socket is too long: " + path + "; use a shorter --directory");
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

}  // namespace

Result<std::pair<std::string, std::string>> host_and_port(const std::string& address) {
  const auto colon = address.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == address.size() ||
      address.find_first_not_of("0123456789", colon + 1) != std::string::npos) {
    return fail(Code::invalid_argument, "'" + address + "' is no HOST:PORT, such as 192.0.2.7:7400");
  }
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return std::pair{host, address.substr(colon + 1)};
}

Result<int> connect_tcp(const std::string& host, const std::string& port, std::chrono::milliseconds limit,
                        const std::function<void(int)>& prepare) {
  const auto addresses = look_up(host, port, false);
  if (!addresses) return std::unexpected(addresses.error());
  const auto what = "connect to " + host + ":" + port;
  const auto* const address = addresses->get();
  const int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return failed(what, fd);
  if (prepare) prepare(fd);
  if (connect(fd, address->ai_addr, address->ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return failed(what, fd);
    pollfd ready{.fd = fd, .events = POLLOUT, .revents = 0};
    int error = ETIMEDOUT;
    socklen_t size = sizeof error;
    if (poll(&ready, 1, static_cast<int>(limit.count())) > 0)
      getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    errno = error;
    if (error != 0) return failed(what, fd);
  }
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return fd;
}

Result<int> listen_tcp(const std::string& host, const std::string& port) {
  const auto addresses = look_up(host, port, true);
  if (!addresses) return std::unexpected(addresses.error());
  const auto what = "listen on " + host + ":" + port;
  const auto* const address = addresses->get();
  const int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return failed(what, fd);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, address->ai_addr, address->ai_addrlen) != 0 || listen(fd, SOMAXCONN) != 0)
    return failed(what, fd);
  return fd;
}

Result<int> connect_unix(const std::string& path) {
  const auto address = unix_address(path);
  if (!address) return std::unexpected(address.error());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0) {
    return failed("connect to " + path, fd);
  }
  return fd;
}

Result<int> listen_unix(const std::string& path) {
  const auto address = unix_address(path);
  if (!address) return std::unexpected(address.error());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || bind(fd, reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0 ||
      listen(fd, SOMAXCONN) != 0) {
    return failed("listen on " + path, fd);
  }
  return fd;
}

Result<std::pair<std::string, std::string>> local_address(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  char host[NI_MAXHOST], port[NI_MAXSERV];
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      getnameinfo(reinterpret_cast<sockaddr*>(&address), size, host, sizeof host, port, sizeof port,
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return failed("tell the address of a socket", -1);
  }
  return std::pair<std::string, std::string>{host, port};
}

}  // namespace pollux
