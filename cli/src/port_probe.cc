#include "port_probe.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace pollux {

Result<void> probe_port(const std::string& listen) {
  const std::size_t colon = listen.rfind(':');
  if (colon == std::string::npos) return {};
  const auto port = static_cast<std::uint16_t>(std::atoi(listen.c_str() + colon + 1));
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  const bool six = listen.starts_with('[');
  const std::string address = six ? listen.substr(1, colon - 2) : listen.substr(0, colon);
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port);
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  const bool parsed = six ? ::inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) == 1
                          : ::inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1;
  if (!parsed) return {};  // the gateway says it better
  const int fd = ::socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return {};
  const int yes = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const int bound = six ? ::bind(fd, reinterpret_cast<const sockaddr*>(&v6), sizeof v6)
                        : ::bind(fd, reinterpret_cast<const sockaddr*>(&v4), sizeof v4);
  const int why = bound == 0 && ::listen(fd, 1) != 0 ? errno : bound == 0 ? 0 : errno;
  ::close(fd);
  if (why == 0) return {};
  return fail(why == EADDRINUSE ? Code::in_use : Code::bad_config,
              listen + ": " + std::strerror(why) +
                  "; choose another address for the gateway: --listen 127.0.0.1:8081, or gateway.listen in "
                  "the configuration");
}

}  // namespace pollux
