// The files in which a kernel tells what the host is: /proc, /sys, /etc. Under a root, so that a test can
// show a host that is made up.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pollux {

class HostFiles {
 public:
  static constexpr std::size_t file_bytes_max = 1u << 20;  ///< of one file; more is left unread

  explicit HostFiles(std::filesystem::path root = "/") : root_(std::move(root)) {}

  /// Paths are absolute, as on the host. What can't be read is empty.
  [[nodiscard]] std::string text(const std::string& path) const;
  /// The first line, without spaces at its ends.
  [[nodiscard]] std::string line(const std::string& path) const;
  [[nodiscard]] std::optional<std::uint64_t> number(const std::string& path) const;
  [[nodiscard]] bool exists(const std::string& path) const;
  /// Names in a directory, sorted as people do: cpu2 before cpu10.
  [[nodiscard]] std::vector<std::string> names(const std::string& directory) const;
  /// Where a symbolic link points, as it is written there.
  [[nodiscard]] std::string link(const std::string& path) const;
  /// The path without any symbolic links, again as on the host.
  [[nodiscard]] std::string resolved(const std::string& path) const;

 private:
  [[nodiscard]] std::filesystem::path at(const std::string& path) const;
  std::filesystem::path root_;
};

/// The value of the first line "NAME : VALUE" in a text such as /proc/cpuinfo; empty if there is none.
std::string field_of(const std::string& text, std::string_view name);
std::string trimmed(std::string_view text);
std::vector<std::string> words_of(std::string_view text);
std::optional<std::uint64_t> natural_in(std::string_view text);
/// How many numbers "0-3,8" names; 0 if it is no such list.
std::size_t count_of_list(std::string_view list);

}  // namespace pollux
