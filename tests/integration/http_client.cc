#include "integration/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sodium.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace pollux::testing {

namespace {

std::string base64(const std::string& text) {
  std::string out(sodium_base64_encoded_len(text.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(out.data(), out.size(), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                    sodium_base64_VARIANT_ORIGINAL);
  out.pop_back();  // the zero at its end
  return out;
}

int connect_to(const std::string& address) {
  const auto colon = address.rfind(':');
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::atoi(address.c_str() + colon + 1)));
  inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    close(fd);
    return -1;
  }
  const timeval limit{120, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  return fd;
}

}  // namespace

HttpAnswer HttpClient::send(const std::string& method, const std::string& path, const std::string& body,
                            const std::vector<std::pair<std::string, std::string>>& headers) const {
  const int fd = connect_to(address_);
  if (fd < 0) return {0, "", std::string("can't connect: ") + std::strerror(errno)};
  std::string request = method + " " + path + " HTTP/1.1\r\nHost: " + address_ +
                        "\r\nConnection: close\r\nAuthorization: Basic " + base64(user_ + ":" + password_) +
                        "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  for (const auto& [name, value] : headers) request.append(name).append(": ").append(value).append("\r\n");
  request.append("\r\n").append(body);
  std::string all;
  if (::send(fd, request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size())) {
    char bytes[16384];
    for (ssize_t count = 0; (count = recv(fd, bytes, sizeof bytes, 0)) > 0;) {
      all.append(bytes, static_cast<std::size_t>(count));
    }
  }
  close(fd);
  const auto end = all.find("\r\n\r\n");
  if (end == std::string::npos || !all.starts_with("HTTP/1.1 "))
    return {0, "", "the connection was lost: " + all};
  return {std::atoi(all.c_str() + 9), all.substr(0, end), all.substr(end + 4)};
}

}  // namespace pollux::testing
