// Defaults that depend on other keys, and the directory of sockets.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "config_check.h"
#include "config_rules.h"
#include "run_directory.h"

namespace pollux {

namespace {

void make_absolute(std::filesystem::path& path, const std::filesystem::path& base) {
  if (!path.empty()) path = (path.is_absolute() ? path : base / path).lexically_normal();
}

void make_absolute(std::string& endpoint, const std::filesystem::path& base) {
  constexpr std::string_view scheme = "ipc://";
  if (!endpoint.starts_with(scheme) || endpoint.size() == scheme.size()) return;
  std::filesystem::path path = endpoint.substr(scheme.size());
  make_absolute(path, base);
  endpoint = std::string(scheme) + path.string();
}

void complete_member(const Config& config, const PairConfig& pair, MemberConfig& member) {
  const std::string stem = pair.name + "." + member.name;
  const std::string socket = "ipc://" + (config.run / stem).string();
  if (member.directory.empty()) member.directory = config.data / pair.name / member.name;
  if (member.listen.empty()) member.listen = socket + ".sock";
  if (member.listen_heartbeat.empty()) member.listen_heartbeat = socket + ".heartbeat.sock";
  if (member.control.empty()) member.control = config.run / (stem + ".control");
}

}  // namespace

bool is_reserved_name(std::string_view name) {
  return name == "run" || name == "log" || name == "witness" || name == "node" || name == "archive";
}

void absolute_paths(Config& config, const std::filesystem::path& base) {
  make_absolute(config.data, base);
  for (PairConfig& pair : config.pairs) {
    make_absolute(pair.witness, base);
    make_absolute(pair.retention.archive_directory, base);
    for (MemberConfig& member : pair.members) {
      make_absolute(member.directory, base);
      make_absolute(member.control, base);
      make_absolute(member.listen, base);
      make_absolute(member.listen_heartbeat, base);
    }
  }
  for (GatewayConfig& gateway : config.gateways) {
    make_absolute(gateway.tls_certificate, base);
    make_absolute(gateway.tls_key, base);
  }
}

void complete_config(Config& config) {
  config.run = run_directory(config.data);
  for (PairConfig& pair : config.pairs) {
    pair.options.pair = pair.name;
    pair.options.stop_linger = std::chrono::milliseconds(config.node.stop_limit_ms);  // then both are killed
    if (pair.witness.empty()) pair.witness = config.data / "witness" / pair.name;
    if (pair.retention.archive_directory.empty()) {
      pair.retention.archive_directory = config.data / pair.name / "archive";
    }
    for (const char* name : {"a", "b"}) {
      if (std::ranges::find(pair.members, name, &MemberConfig::name) == pair.members.end()) {
        pair.members.push_back(MemberConfig{.name = name});
      }
    }
    std::ranges::stable_sort(pair.members, {}, &MemberConfig::name);
    for (MemberConfig& member : pair.members) complete_member(config, pair, member);
  }
}

}  // namespace pollux
