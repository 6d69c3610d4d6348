// One HTTP request at a time over a plain socket, as much as the tests need. A lost connection is status 0.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace pollux::testing {

struct HttpAnswer {
  int status = 0;  ///< 0: no answer, `body` says why
  std::string head, body;
};

class HttpClient {
 public:
  /// `address` as "127.0.0.1:8080".
  HttpClient(std::string address, std::string user, std::string password)
      : address_(std::move(address)), user_(std::move(user)), password_(std::move(password)) {}

  /// Connects, sends, reads to the end (Connection: close).
  [[nodiscard]] HttpAnswer send(const std::string& method, const std::string& path,
                                const std::string& body = "",
                                const std::vector<std::pair<std::string, std::string>>& headers = {}) const;

 private:
  std::string address_, user_, password_;
};

}  // namespace pollux::testing
