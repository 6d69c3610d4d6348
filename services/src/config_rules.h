// The keys of the configuration file, as tables of rules: name, kind, range, and where the value goes. The
// parser, `config_keys()` and the documentation's test all read these, so that none can know a key the others
// do not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config_tree.h"
#include "pollux/services/config.h"

namespace pollux {

/// Where a value goes.
using ConfigSlot = std::variant<std::uint32_t*, std::uint64_t*, double*, std::string*, std::filesystem::path*,
                                Duration*, std::vector<int>*, ReadMode*, GatewayReads*,
                                RetentionMode*>;

/// What may stand there, and how it is read and shown. Not a template, so that a table of rules compiles
/// fast.
struct KeyKind {
  std::string type;  ///< and unit
  std::string allowed;
  std::function<std::string(const ConfigNode& node, const ConfigSlot& into)>
      set;                                                 ///< what is wrong, or nothing
  std::function<std::string(const ConfigSlot& from)> get;  ///< as one would write it
};

template <class T>
struct KeyRule {
  std::string name;
  KeyKind kind;
  ConfigSlot (*slot)(T& of);
};
template <class T>
using KeyRules = std::vector<KeyRule<T>>;

const KeyRules<Config>& top_rules();
const KeyRules<NodeConfig>& node_rules();
const KeyRules<PairConfig>& pair_rules();
const KeyRules<MemberConfig>& member_rules();
const KeyRules<RetentionOptions>& retention_rules();
const KeyRules<GatewayConfig>& gateway_rules();

/// Letters a to z, digits, - and _, beginning with a letter or digit; it becomes part of file names.
inline constexpr std::size_t name_length_max = 32;
bool is_name(std::string_view text);

/// The nearest of `known` to `word`, or empty if none is near (Levenshtein distance).
std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace pollux
