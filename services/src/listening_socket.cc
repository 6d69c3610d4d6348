#include "listening_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "text.h"

namespace pollux {

namespace {

/// Length of the address in `storage`, 0 if the text is none.
socklen_t parse_address(const std::string& text, sockaddr_storage& storage) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return 0;
  std::string host = text.substr(0, colon);
  std::uint16_t port = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + colon + 1, end, port);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return 0;
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (::inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&storage, &v4, sizeof v4);
    return sizeof v4;
  }
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  if (::inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) != 1) return 0;
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  std::memcpy(&storage, &v6, sizeof v6);
  return sizeof v6;
}

}  // namespace

Result<FileDescriptor> open_listening_socket(const std::string& address) {
  sockaddr_storage storage{};
  const socklen_t length = parse_address(address, storage);
  if (length == 0) return fail(Code::bad_config, cat("\"", address, "\" is no address with a port"));
  FileDescriptor fd(::socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return fail_errno("can't make a socket", errno);
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&storage), length) != 0 || ::listen(fd.get(), SOMAXCONN) != 0) {
    if (errno == EADDRINUSE) return fail(Code::in_use, cat(address, " is in use by another program"));
    return fail_errno(cat("can't listen on ", address), errno);
  }
  return fd;
}

}  // namespace pollux
