// TCP to a server under test on this host.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/http_reader.h"
#include "pollux/core/result.h"

namespace pollux {

/// A socket that is not waited for, on its way to "127.0.0.1:8080"; Nagle's algorithm is off.
/// `buffer_bytes`: asked for as SO_SNDBUF and SO_RCVBUF before it connects; 0: left to the kernel.
Result<int> begin_connect(const std::string& address, std::uint32_t buffer_bytes = 0);
/// A loopback port that was free a moment ago.
Result<std::uint16_t> free_loopback_port();
/// The header line of Basic authentication (RFC 7617), line end included.
std::string basic_authorization(std::string_view user, std::string_view password);
/// Raises the number of files that this process may have open.
Result<void> allow_open_files(std::size_t count);

struct HttpAnswer {
  HttpHead head;
  std::string body;
  std::int64_t time_ns = 0;  ///< from before the request was sent until the answer was complete
};

/// One request after the other, on one connection as long as the server keeps it.
class HttpConnection {
 public:
  explicit HttpConnection(std::string address, std::uint32_t buffer_bytes = 0)
      : address_(std::move(address)), buffer_bytes_(buffer_bytes) {}
  ~HttpConnection() { close(); }
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  /// Sends a whole request and waits for its answer. Connects if there is no connection; a kept one that the
  /// server has closed in the meantime is replaced once.
  Result<HttpAnswer> call(std::string_view request,
                          std::chrono::milliseconds limit = std::chrono::seconds(60));
  [[nodiscard]] bool open() const { return fd_ >= 0; }
  void close();
  [[nodiscard]] int descriptor() const { return fd_; }

 private:
  Result<HttpAnswer> call_once(std::string_view request, std::int64_t until_ns);
  [[nodiscard]] Result<void> wait_for(short events, std::int64_t until_ns) const;
  std::string address_;
  std::uint32_t buffer_bytes_;
  HttpReader reader_;
  int fd_ = -1;
};

}  // namespace pollux
