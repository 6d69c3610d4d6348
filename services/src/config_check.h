// What goes beyond single keys: defaults that depend on others, and combinations that would be unsafe.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config_tree.h"
#include "pollux/services/config.h"

namespace pollux {

/// sun_path of a Unix socket holds 108 bytes, the last of them a NUL.
inline constexpr std::size_t socket_path_max = 107;

struct ConfigFault {
  int line = 0;
  std::string text;  ///< "key: what is wrong, what is allowed"
};
class ConfigFaults {
 public:
  void add(int line, std::string_view key, std::string_view what) {
    all_.push_back({line, std::string(key) + ": " + std::string(what)});
  }
  [[nodiscard]] bool empty() const { return all_.empty(); }
  /// In the order of the file's lines.
  [[nodiscard]] std::vector<ConfigFault> sorted() const;

 private:
  std::vector<ConfigFault> all_;
};

/// Names reserved for our own entries of a data directory.
bool is_reserved_name(std::string_view name);
/// Is `number` in a list as the kernel writes it ("0-3,6")?
bool is_in_ranges(std::string_view ranges, int number);
/// Fills in what was left out: the members, directories, sockets.
void complete_config(Config& config);
/// Makes relative paths absolute, counting from `base`.
void absolute_paths(Config& config, const std::filesystem::path& base);
/// Combinations. `root` is the tree `config` was read from; it gives the lines.
void check_combinations(const Config& config, const ConfigNode& root, ConfigFaults& faults);

}  // namespace pollux
