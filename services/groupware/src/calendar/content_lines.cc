#include "calendar/content_lines.h"

#include <algorithm>

namespace pollux {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_name_character(char c) {
  return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

bool continues(std::string_view rest) {
  return !rest.empty() && (rest.front() == ' ' || rest.front() == '\t');
}

}  // namespace

ContentLines::ContentLines(std::string_view text) : rest_(text) {
  if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
}

std::string_view ContentLines::physical() {
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  ++number_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::optional<ContentLine> ContentLines::next() {
  std::string_view line;
  const char* begin = nullptr;
  while (line.empty()) {
    if (rest_.empty()) return std::nullopt;
    begin = rest_.data();
    line = physical();
  }
  const auto octets = [&] { return std::string_view(begin, static_cast<std::size_t>(rest_.data() - begin)); };
  const std::size_t number = number_;
  if (!continues(rest_)) return ContentLine{number, line, octets(), false};
  unfolded_.assign(line);
  while (continues(rest_)) unfolded_.append(physical().substr(1));
  return ContentLine{number, unfolded_, octets(), true};
}

std::optional<LineParts> split_line(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() && is_name_character(line[end])) ++end;
  if (end == 0 || end == line.size()) return std::nullopt;
  LineParts parts{.name = line.substr(0, end), .parameters = {}, .value = {}};
  if (line[end] == ':') {
    parts.value = line.substr(end + 1);
    return parts;
  }
  if (line[end] != ';') return std::nullopt;
  bool quoted = false;
  for (std::size_t at = end; at < line.size(); ++at) {
    if (line[at] == '"') quoted = !quoted;
    if (line[at] != ':' || quoted) continue;
    parts.parameters = line.substr(end, at - end);
    parts.value = line.substr(at + 1);
    return parts;
  }
  return std::nullopt;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace pollux
