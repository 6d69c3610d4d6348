#include "http_client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sodium.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <charconv>

namespace pollux::testing {

std::string HttpAnswer::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

HttpClient::HttpClient(std::uint16_t port, const char* from)
    : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  EXPECT_EQ(::inet_pton(AF_INET, from, &address.sin_addr), 1);
  EXPECT_EQ(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  timeval limit{.tv_sec = 30, .tv_usec = 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  const int on = 1;
  ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

HttpClient::~HttpClient() { ::close(fd_); }

bool HttpClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void HttpClient::finish_sending() { ::shutdown(fd_, SHUT_WR); }

bool HttpClient::fill() {
  std::array<char, 65536> bytes;
  const ssize_t count = ::recv(fd_, bytes.data(), bytes.size(), 0);
  if (count <= 0) return false;
  buffer_.append(bytes.data(), static_cast<std::size_t>(count));
  return true;
}

std::optional<HttpAnswer> HttpClient::receive(bool to_head) {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) return std::nullopt;
  }
  HttpAnswer answer;
  std::string_view head = std::string_view(buffer_).substr(0, end + 2);
  std::from_chars(head.data() + 9, head.data() + 12, answer.status);
  for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
    const std::size_t next = head.find("\r\n", at);
    const std::string_view line = head.substr(at, next - at);
    const std::size_t colon = line.find(": ");
    std::string name(line.substr(0, colon));
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    answer.headers[name] = line.substr(colon + 2);
    at = next + 2;
  }
  buffer_.erase(0, end + 4);
  if (to_head || answer.status == 100 || answer.status == 204 || answer.status == 304) return answer;
  const std::size_t length = std::stoul("0" + answer.header("content-length"));
  while (buffer_.size() < length) {
    if (!fill()) return std::nullopt;
  }
  answer.body = buffer_.substr(0, length);
  buffer_.erase(0, length);
  return answer;
}

bool HttpClient::is_closed() { return buffer_.empty() && !fill(); }

HttpAnswer HttpClient::request(std::string_view method, std::string_view target, std::string_view headers,
                               std::string_view body) {
  std::string text;
  text.append(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: localhost\r\n");
  if (!login.empty()) text.append(authorization(login));
  text.append(headers);
  if (!body.empty()) text.append("Content-Length: " + std::to_string(body.size()) + "\r\n");
  text.append("\r\n").append(body);
  send(text);
  auto answer = receive(method == "HEAD");
  EXPECT_TRUE(answer.has_value()) << "no answer to " << method << " " << target;
  return answer.value_or(HttpAnswer());
}

std::string base64(std::string_view text) {
  std::string out(sodium_base64_ENCODED_LEN(text.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(out.data(), out.size(), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                    sodium_base64_VARIANT_ORIGINAL);
  out.pop_back();
  return out;
}

std::string authorization(std::string_view login) { return "Authorization: Basic " + base64(login) + "\r\n"; }

}  // namespace pollux::testing
