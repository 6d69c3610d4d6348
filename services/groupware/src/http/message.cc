#include "http/message.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <ctime>

#include "calendar/content_lines.h"

namespace pollux {
namespace {

constexpr std::array<std::string_view, 7> days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

template <std::size_t count>
int index_of(const std::array<std::string_view, count>& words, std::string_view word) {
  const auto* found = std::ranges::find(words, word);
  return found == words.end() ? -1 : static_cast<int>(found - words.begin());
}

int number(std::string_view text) {
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : -1;
}

void append_padded(std::string* out, int value, int width) {
  const std::string digits = std::to_string(value);
  for (int have = static_cast<int>(digits.size()); have < width; ++have) out->push_back('0');
  out->append(digits);
}

}  // namespace

bool equal_header(std::string_view a, std::string_view b) { return equal_ignoring_case(a, b); }

std::string_view trim_blanks(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

std::optional<std::string_view> HttpRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key.size() == name.size() && equal_header(key, name)) return trim_blanks(value);
  }
  return std::nullopt;
}

std::optional<std::string> HttpRequest::header_list(std::string_view name) const {
  std::optional<std::string> joined;
  for (const auto& [key, value] : headers) {
    if (key.size() != name.size() || !equal_header(key, name)) continue;
    if (joined) joined->append(", ");
    if (!joined) joined.emplace();
    joined->append(trim_blanks(value));
  }
  return joined;
}

HttpResponse& HttpResponse::add(std::string_view name, std::string_view value) {
  headers.reserve(headers.size() + name.size() + value.size() + 4);
  headers.append(name).append(": ").append(value).append("\r\n");
  return *this;
}

std::optional<std::string_view> HttpResponse::header(std::string_view name) const {
  for (std::string_view rest = headers; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find("\r\n"));
    rest.remove_prefix(std::min(rest.size(), line.size() + 2));
    if (line.size() > name.size() && line[name.size()] == ':' &&
        equal_header(line.substr(0, name.size()), name)) {
      return trim_blanks(line.substr(name.size() + 1));
    }
  }
  return std::nullopt;
}

std::string_view reason_phrase(unsigned status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 204:
      return "No Content";
    case 207:
      return "Multi-Status";
    case 301:
      return "Moved Permanently";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 422:
      return "Unprocessable Content";
    case 423:
      return "Locked";
    case 424:
      return "Failed Dependency";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    case 507:
      return "Insufficient Storage";
    default:
      return "Unknown";
  }
}

HttpResponse plain_response(unsigned status, std::string_view sentence) {
  HttpResponse response{.status = status,
                        .headers = "Content-Type: text/plain; charset=utf-8\r\n",
                        .body = {},
                        .length = {},
                        .close = false};
  response.body.append(sentence).append("\n");
  return response;
}

std::string http_date(std::int64_t seconds) {
  // Not gmtime_r, which takes a lock that all threads share.
  const std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::string out;
  out.reserve(29);
  out.append(days[std::chrono::weekday(day).c_encoding()]).append(", ");
  append_padded(&out, static_cast<int>(static_cast<unsigned>(date.day())), 2);
  out.append(" ").append(months[static_cast<unsigned>(date.month()) - 1]).append(" ");
  append_padded(&out, static_cast<int>(date.year()), 4);
  for (const auto& [value, before] : {std::pair{clock.hours().count(), ' '},
                                      {clock.minutes().count(), ':'},
                                      {clock.seconds().count(), ':'}}) {
    out.push_back(before);
    append_padded(&out, static_cast<int>(value), 2);
  }
  return out.append(" GMT");
}

// "Sun, 06 Nov 1994 08:49:37 GMT": fixed columns.
std::optional<std::int64_t> parse_http_date(std::string_view text) {
  if (text.size() != 29 || text.substr(3, 2) != ", " || !text.ends_with(" GMT")) return std::nullopt;
  std::tm parts{};
  parts.tm_mday = number(text.substr(5, 2));
  parts.tm_mon = index_of(months, text.substr(8, 3));
  parts.tm_year = number(text.substr(12, 4)) - 1900;
  parts.tm_hour = number(text.substr(17, 2));
  parts.tm_min = number(text.substr(20, 2));
  parts.tm_sec = number(text.substr(23, 2));
  if (index_of(days, text.substr(0, 3)) < 0 || parts.tm_mon < 0 || parts.tm_mday < 1 || parts.tm_mday > 31 ||
      parts.tm_year < 0 || parts.tm_hour < 0 || parts.tm_hour > 23 || parts.tm_min < 0 || parts.tm_min > 59 ||
      parts.tm_sec < 0 || parts.tm_sec > 60) {
    return std::nullopt;
  }
  return timegm(&parts);
}

}  // namespace pollux
