// Reading a configuration: the tree of the file, turned into a Config by the tables of rules.
#include "pollux/services/config.h"

#include <algorithm>

#include "config_check.h"
#include "config_rules.h"
#include "config_tree.h"

namespace pollux {

namespace {

/// Reads the tables of one file; goes on after a fault, so that `config check` can show them all.
class Reader {
 public:
  explicit Reader(ConfigFaults& faults) : faults_(faults) {}

  /// Applies the rules to a table's keys. `nested` are keys that hold tables and are read elsewhere.
  template <class T>
  void read(const ConfigNode& node, const std::string& prefix, const KeyRules<T>& rules, T& into,
            const std::vector<std::string>& nested = {}) {
    if (!node.table()) return;
    for (const auto& [key, value] : *node.table()) {
      if (std::ranges::find(nested, key) != nested.end()) continue;
      const auto rule = std::ranges::find(rules, key, &KeyRule<T>::name);
      if (rule == rules.end()) {
        unknown(value.line, prefix, key, rules, nested);
      } else if (std::string wrong = rule->kind.set(value, rule->slot(into)); !wrong.empty()) {
        faults_.add(value.line, prefix + key, wrong);
      }
    }
  }

  /// The tables of `[[key]]`, or none if it was left out or is something else.
  std::vector<const ConfigNode*> tables(const ConfigNode& node, const std::string& prefix,
                                        const std::string& key) {
    std::vector<const ConfigNode*> out;
    const ConfigNode* list = node.find(key);
    if (!list) return out;
    const ConfigArray* items = list->array();
    if (!items ||
        !std::ranges::all_of(*items, [](const ConfigNode& item) { return item.table() != nullptr; })) {
      faults_.add(list->line, prefix + key, "must be tables; write [[" + prefix + key + "]]");
      return out;
    }
    for (const ConfigNode& item : *items) out.push_back(&item);
    return out;
  }

  /// The table of `[key]`, or null.
  const ConfigNode* table(const ConfigNode& node, const std::string& prefix, const std::string& key) {
    const ConfigNode* found = node.find(key);
    if (!found || found->table()) return found;
    faults_.add(found->line, prefix + key, "must be one table; write [" + prefix + key + "]");
    return nullptr;
  }

  void require(const ConfigNode& node, const std::string& prefix, const std::string& key,
               const std::string& why) {
    if (!node.find(key)) faults_.add(node.line, prefix + key, "is missing; " + why);
  }

  [[nodiscard]] ConfigFaults& faults() { return faults_; }

 private:
  template <class T>
  void unknown(int line, const std::string& prefix, const std::string& key, const KeyRules<T>& rules,
               const std::vector<std::string>& nested) {
    std::vector<std::string> known = nested;
    for (const KeyRule<T>& rule : rules) known.push_back(rule.name);
    std::string hint;
    if (const std::string near = nearest(key, known); !near.empty()) {
      hint = "did you mean " + near + "?";
    } else if (known.size() <= 8) {
      hint = "allowed:";
      for (const std::string& name : known) hint += ' ' + name;
    } else {
      hint = "docs/configuration.md lists what is allowed";
    }
    faults_.add(line, prefix + key, "unknown key; " + hint);
  }

  ConfigFaults& faults_;
};

void read_members(Reader& reader, const ConfigNode& node, PairConfig& pair) {
  for (const ConfigNode* item : reader.tables(node, "pair.", "member")) {
    MemberConfig member;
    reader.read(*item, "pair.member.", member_rules(), member);
    reader.require(*item, "pair.member.", "name", "allowed: \"a\" or \"b\"");
    if (member.name.empty()) continue;
    if (std::ranges::find(pair.members, member.name, &MemberConfig::name) != pair.members.end()) {
      reader.faults().add(
          item->line, "pair.member.name",
          "member \"" + member.name + "\" stands there twice; a pair has one \"a\" and one \"b\"");
      continue;
    }
    pair.members.push_back(std::move(member));
  }
}

void read_pair(Reader& reader, const ConfigNode& node, const LoadOptions& options, PairConfig& pair) {
  reader.read(node, "pair.", pair_rules(), pair, {"member", "retention"});
  reader.require(node, "pair.", "name", "every pair needs one, e.g. name = \"ledger\"");
  reader.require(node, "pair.", "service",
                 "name the service that runs as this pair, e.g. service = \"ledger\"");
  if (!pair.service.empty() && !options.services.empty() &&
      std::ranges::find(options.services, pair.service) == options.services.end()) {
    std::string allowed;
    for (const std::string& name : options.services)
      allowed += (allowed.empty() ? "\"" : " or \"") + name + '"';
    reader.faults().add(node.find("service")->line, "pair.service",
                        "\"" + pair.service + "\" is unknown; allowed: " + allowed);
  }
  read_members(reader, node, pair);
  if (const ConfigNode* retention = reader.table(node, "pair.", "retention")) {
    reader.read(*retention, "pair.retention.", retention_rules(), pair.retention);
  }
}

void read_config(Reader& reader, const ConfigNode& root, const LoadOptions& options, Config& config) {
  reader.read(root, "", top_rules(), config, {"node", "pair", "gateway"});
  if (const ConfigNode* node = reader.table(root, "", "node")) {
    reader.read(*node, "node.", node_rules(), config.node);
  }
  for (const ConfigNode* item : reader.tables(root, "", "pair")) {
    read_pair(reader, *item, options, config.pairs.emplace_back());
  }
  if (config.pairs.empty() && reader.faults().empty()) {
    reader.faults().add(1, "pair", "is missing; a configuration has at least one [[pair]]");
  }
  for (const ConfigNode* item : reader.tables(root, "", "gateway")) {
    reader.read(*item, "gateway.", gateway_rules(), config.gateways.emplace_back());
  }
}

Error first_fault(const std::filesystem::path& file, const ConfigFaults& faults,
                  std::vector<std::string>* all) {
  std::vector<std::string> lines;
  for (const ConfigFault& fault : faults.sorted()) {
    lines.push_back(file.string() + ":" + std::to_string(std::max(fault.line, 1)) + ": " + fault.text);
  }
  if (all) *all = lines;
  return Error{Code::bad_config, lines.front()};
}

template <class T>
void list(std::vector<ConfigKey>& keys, const std::string& prefix, const KeyRules<T>& rules) {
  T fresh{};
  for (const KeyRule<T>& rule : rules) {
    keys.push_back({prefix + rule.name, rule.kind.type, rule.kind.allowed, rule.kind.get(rule.slot(fresh))});
  }
}

}  // namespace

const PairConfig* Config::find_pair(std::string_view name) const {
  const auto found = std::ranges::find(pairs, name, &PairConfig::name);
  return found == pairs.end() ? nullptr : &*found;
}

PairAddress Config::address(const PairConfig& pair) const {
  PairAddress out{.cluster = cluster, .pair = pair.name, .endpoints = {}};
  for (const MemberConfig& member : pair.members) out.endpoints.push_back(member.listen);
  return out;
}

Result<Config> load_config(const std::filesystem::path& file, const LoadOptions& options) {
  Result<ConfigNode> root = parse_config_file(file);
  if (!root) {
    if (options.faults) *options.faults = {root.error().text};
    return std::unexpected(root.error());
  }
  Config config;
  config.data = "pollux-data";
  ConfigFaults faults;
  Reader reader(faults);
  read_config(reader, *root, options, config);
  // Combinations of values that are themselves wrong would only add noise.
  if (!faults.empty()) return std::unexpected(first_fault(file, faults, options.faults));

  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(file, error);
  if (error) return fail(Code::bad_config, file.string() + ": " + error.message());
  absolute_paths(config, absolute.parent_path());
  complete_config(config);
  check_combinations(config, *root, faults);
  for (std::size_t i = 0; faults.empty() && i < config.pairs.size(); ++i) {
    if (Result<void> checked = check(config.pairs[i].options); !checked) {
      faults.add((*root->find("pair")->array())[i].line, "pair", checked.error().text);
    }
  }
  if (!faults.empty()) return std::unexpected(first_fault(file, faults, options.faults));
  return config;
}

Config default_config(const std::filesystem::path& data) {
  Config config;
  std::error_code error;
  config.data = std::filesystem::absolute(data, error).lexically_normal();
  if (error) config.data = data;
  if (!config.data.has_filename()) config.data = config.data.parent_path();
  config.pairs.push_back(PairConfig{.name = "groupware", .service = "groupware"});
  config.gateways.emplace_back();
  complete_config(config);
  return config;
}

std::vector<ConfigKey> config_keys() {
  std::vector<ConfigKey> keys;
  list(keys, "", top_rules());
  list(keys, "node.", node_rules());
  list(keys, "pair.", pair_rules());
  list(keys, "pair.member.", member_rules());
  list(keys, "pair.retention.", retention_rules());
  list(keys, "gateway.", gateway_rules());
  return keys;
}

}  // namespace pollux
