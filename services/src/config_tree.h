// A configuration file as a tree of plain values, each with the line it stands on. Keeps toml++ in one file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pollux/core/result.h"

namespace pollux {

struct ConfigNode;
struct ConfigEntry;
struct ConfigDate {};  ///< TOML dates and times: no key of ours has one
using ConfigArray = std::vector<ConfigNode>;
using ConfigTable = std::vector<ConfigEntry>;  ///< in the order of the file

struct ConfigNode {
  int line = 0;
  std::variant<bool, std::int64_t, double, std::string, ConfigDate, ConfigArray, ConfigTable> value;

  [[nodiscard]] const ConfigTable* table() const { return std::get_if<ConfigTable>(&value); }
  [[nodiscard]] const ConfigArray* array() const { return std::get_if<ConfigArray>(&value); }
  [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&value); }
  /// The entry `key` of a table, or null.
  [[nodiscard]] const ConfigNode* find(std::string_view key) const;
};

struct ConfigEntry {
  std::string key;
  ConfigNode node;
};

inline const ConfigNode* ConfigNode::find(std::string_view key) const {
  if (const ConfigTable* entries = table()) {
    for (const auto& entry : *entries) {
      if (entry.key == key) return &entry.node;
    }
  }
  return nullptr;
}

/// A file of ours is a few kilobytes: a larger one is a mistake (a wrong path), and is not read.
inline constexpr std::uintmax_t config_bytes_max = 1u << 20;

/// `bad_config` with `FILE:LINE: ...` if the file can't be read or is no TOML.
Result<ConfigNode> parse_config_file(const std::filesystem::path& file);

}  // namespace pollux
