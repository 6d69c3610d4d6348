// A client that sends exactly the bytes it is told to.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace pollux::testing {

struct HttpAnswer {
  int status = 0;
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
  [[nodiscard]] std::string header(const std::string& name) const;
};

class HttpClient {
 public:
  /// `from`: a loopback address that the connection comes from.
  explicit HttpClient(std::uint16_t port, const char* from = "127.0.0.1");
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// False if the other end does not take it any more.
  bool send(std::string_view bytes);
  void finish_sending();
  /// The next answer; none if the connection ended before it was whole. `to_head`: it has no body.
  std::optional<HttpAnswer> receive(bool to_head = false);
  /// The connection was closed by the other end, with nothing more said.
  bool is_closed();

  /// One request with Host, Authorization (if `login`, "user:password") and Content-Length.
  HttpAnswer request(std::string_view method, std::string_view target, std::string_view headers = {},
                     std::string_view body = {});
  std::string login = "alice:wonder land";

 private:
  bool fill();
  int fd_;
  std::string buffer_;
};

std::string base64(std::string_view text);
std::string authorization(std::string_view login);  ///< the whole header line

}  // namespace pollux::testing
