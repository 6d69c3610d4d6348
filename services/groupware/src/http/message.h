// An HTTP request and its answer as the methods see them: no socket, no Beast.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pollux {

struct HttpRequest {
  std::string_view method, target;
  unsigned version = 11;  ///< 10 or 11
  std::vector<std::pair<std::string_view, std::string_view>> headers;
  std::string body;

  /// The first header of that name (any case), trimmed.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
  /// All headers of that name, joined by commas (RFC 9110, 5.3); none if there is none.
  [[nodiscard]] std::optional<std::string> header_list(std::string_view name) const;
};

struct HttpResponse {
  unsigned status = 200;
  std::string headers;  ///< whole lines: "Name: value\r\n"
  std::string body;
  /// What HEAD says instead of the body's size.
  std::optional<std::uint64_t> length;
  bool close = false;  ///< the connection can't go on after this answer

  HttpResponse& add(std::string_view name, std::string_view value);
  /// The value of the first header of that name (any case).
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
};

std::string_view reason_phrase(unsigned status);
/// An answer with one sentence for a person.
HttpResponse plain_response(unsigned status, std::string_view sentence);
/// IMF-fixdate of RFC 9110, 5.6.7.
std::string http_date(std::int64_t seconds);
/// None if it is no IMF-fixdate (others are obsolete, and ignored).
std::optional<std::int64_t> parse_http_date(std::string_view text);

bool equal_header(std::string_view a, std::string_view b);
std::string_view trim_blanks(std::string_view text);

}  // namespace pollux
