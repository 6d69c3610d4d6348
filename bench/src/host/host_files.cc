#include "host/host_files.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

namespace pollux {

namespace {

// By name, with runs of digits compared as numbers.
bool before(const std::string& a, const std::string& b) {
  const auto digits_at = [](const std::string& name) {
    return std::min(name.find_first_of("0123456789"), name.size());
  };
  const auto at = digits_at(a);
  if (at != digits_at(b) || a.compare(0, at, b, 0, at) != 0) return a < b;
  const auto x = natural_in(a.substr(at)), y = natural_in(b.substr(at));
  return x && y && *x != *y ? *x < *y : a < b;
}

}  // namespace

std::filesystem::path HostFiles::at(const std::string& path) const {
  return root_ / std::filesystem::path(path).relative_path();
}

std::string HostFiles::text(const std::string& path) const {
  std::ifstream file(at(path), std::ios::binary);
  std::string text;
  char part[4096];
  while (file && text.size() < file_bytes_max) {
    file.read(part, sizeof part);
    text.append(part, static_cast<std::size_t>(file.gcount()));
  }
  return text;
}

std::string HostFiles::line(const std::string& path) const {
  const auto all = text(path);
  return trimmed(std::string_view(all).substr(0, all.find('\n')));
}

std::optional<std::uint64_t> HostFiles::number(const std::string& path) const {
  return natural_in(line(path));
}

bool HostFiles::exists(const std::string& path) const {
  std::error_code error;
  return std::filesystem::exists(at(path), error);
}

std::vector<std::string> HostFiles::names(const std::string& directory) const {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(at(directory), error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names, before);
  return names;
}

std::string HostFiles::link(const std::string& path) const {
  std::error_code error;
  return std::filesystem::read_symlink(at(path), error).string();
}

std::string HostFiles::resolved(const std::string& path) const {
  std::error_code error;
  const auto real = std::filesystem::canonical(at(path), error);
  if (error) return "";
  const auto root = std::filesystem::canonical(root_, error);
  if (error) return "";
  return "/" + real.lexically_relative(root).string();
}

std::string field_of(const std::string& text, std::string_view name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':');
    if (colon != std::string::npos && trimmed(line.substr(0, colon)) == name)
      return trimmed(line.substr(colon + 1));
  }
  return "";
}

std::string trimmed(std::string_view text) {
  // Texts of firmware and device trees end in NUL as often as in a space.
  constexpr std::string_view blank(" \t\r\n\0", 5);
  const auto begin = text.find_first_not_of(blank);
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(blank) - begin + 1));
}

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::optional<std::uint64_t> natural_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::size_t count_of_list(std::string_view list) {
  std::size_t count = 0;
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    const auto part = list.substr(0, comma);
    const auto dash = std::min(part.find('-'), part.size());
    const auto from = natural_in(part.substr(0, dash));
    const auto to = dash == part.size() ? from : natural_in(part.substr(dash + 1));
    if (!from || !to || *to < *from) return 0;
    count += *to - *from + 1;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return count;
}

}  // namespace pollux
