#include "config_check.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>

namespace pollux {

namespace {

constexpr std::string_view loopback_only = "allowed until keys and TLS come: loopback, 127.0.0.0/8 or [::1]";
constexpr std::string_view loopback_without_tls =
    "allowed without tls_certificate and tls_key: loopback, 127.0.0.0/8 or [::1]";

/// Room that a file's path and properties take in a request or reply beside its body.
constexpr std::size_t request_overhead_bytes = 64u << 10;

/// The line of `key` in `table`, or of the table itself if the key was left out.
int line_of(const ConfigNode& table, std::string_view key) {
  const ConfigNode* node = table.find(key);
  return node ? node->line : table.line;
}

/// What is wrong with ADDRESS:PORT, or nothing. Only loopback is allowed, and `only_loopback` says why; if it
/// is empty, any address is.
std::string check_address(std::string_view text, unsigned port_min, std::string_view only_loopback) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos)
    return "\"" + std::string(text) + "\" has no port; allowed: ADDRESS:PORT";
  std::string address(text.substr(0, colon));
  const std::string_view digits = text.substr(colon + 1);
  unsigned port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc{} || end != digits.data() + digits.size() || port < port_min || port > 65535) {
    return "\"" + std::string(digits) + "\" is no port; allowed: " + std::to_string(port_min) + " to 65535";
  }
  in_addr v4{};
  in6_addr v6{};
  if (::inet_pton(AF_INET, address.c_str(), &v4) == 1) {
    if ((ntohl(v4.s_addr) >> 24) == 127 || only_loopback.empty()) return {};
    return address + " is no loopback address; " + std::string(only_loopback);
  }
  if (address.size() > 2 && address.front() == '[' && address.back() == ']') {
    address = address.substr(1, address.size() - 2);
    if (::inet_pton(AF_INET6, address.c_str(), &v6) == 1) {
      if (IN6_IS_ADDR_LOOPBACK(&v6) || only_loopback.empty()) return {};
      return address + " is no loopback address; " + std::string(only_loopback);
    }
  }
  return "\"" + address + "\" is no IP address; allowed: numbers such as 127.0.0.1 or [::1], no host names";
}

std::string check_socket_path(std::string_view path) {
  if (path.size() <= socket_path_max) return {};
  return "the socket's path has " + std::to_string(path.size()) + " bytes; allowed: at most " +
         std::to_string(socket_path_max);
}

std::string check_endpoint(std::string_view endpoint) {
  if (endpoint.starts_with("tcp://")) return check_address(endpoint.substr(6), 1, loopback_only);
  if (!endpoint.starts_with("ipc://") || endpoint.size() == 6) {
    return "\"" + std::string(endpoint) + "\" is no endpoint; allowed: ipc://PATH or tcp://ADDRESS:PORT";
  }
  return check_socket_path(endpoint.substr(6));
}

/// Against those that run here; what can't be read is not checked.
std::string check_cpus(const std::vector<int>& cpus) {
  if (cpus.empty()) return {};
  std::ifstream file("/sys/devices/system/cpu/online");
  std::string online;
  if (!std::getline(file, online)) return {};
  for (const int cpu : cpus) {
    if (!is_in_ranges(online, cpu)) return "this host has no CPU " + std::to_string(cpu) + "; it has " + online;
  }
  return {};
}

std::string as_ms(Duration value) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(value).count());
}

/// Places that must not be shared: who has each, under which key.
class Claims {
 public:
  explicit Claims(ConfigFaults& faults) : faults_(faults) {}
  void claim(const std::string& what, int line, const std::string& key, const std::string& owner) {
    const auto [place, fresh] = owners_.emplace(what, owner);
    if (!fresh) faults_.add(line, key, what + " is already used by " + place->second + "; choose another");
  }
  /// A directory must neither equal nor contain one that is claimed.
  void claim_directory(const std::filesystem::path& directory, int line, const std::string& key,
                       const std::string& owner) {
    const std::string path = (directory / "").lexically_normal().string();
    for (const auto& [other, other_owner] : directories_) {
      if (path.starts_with(other) || other.starts_with(path)) {
        faults_.add(line, key,
                    directory.string() + " overlaps the directory of " + other_owner + "; choose another");
        return;
      }
    }
    directories_.emplace(path, owner);
  }

 private:
  ConfigFaults& faults_;
  std::map<std::string, std::string> owners_, directories_;
};

void check_times(const PairOptions& o, const ConfigNode& node, ConfigFaults& faults) {
  const auto need = [&](bool holds, std::string_view key, const std::string& what) {
    if (!holds) faults.add(line_of(node, key), "pair." + std::string(key), what);
  };
  need(o.lease >= 2 * o.heartbeat, "lease_ms",
       as_ms(o.lease) + " is too short for heartbeat_ms = " + as_ms(o.heartbeat) +
           "; allowed: at least twice heartbeat_ms, or one lost heartbeat ends the lease");
  // 1 % drift of each clock: the backup's grace may run 1 % fast while the primary's lease runs 1 % slow.
  need(o.grace * 100 >= o.lease * 102, "grace_ms",
       as_ms(o.grace) + " is unsafe with lease_ms = " + as_ms(o.lease) +
           "; allowed: more than lease_ms even when clocks drift by 1 %, e.g. " +
           as_ms(o.lease + o.lease / 2));
  need(o.takeover_after >= o.grace, "takeover_after_ms",
       as_ms(o.takeover_after) + " is unsafe; allowed: at least grace_ms = " + as_ms(o.grace));
  need(o.takeover_after >= 3 * o.heartbeat, "takeover_after_ms",
       as_ms(o.takeover_after) +
           " is hasty; allowed: at least three times heartbeat_ms = " + as_ms(o.heartbeat));
  need(o.left_behind_after > o.resend_after, "left_behind_after_ms",
       as_ms(o.left_behind_after) +
           " leaves no time to send again; allowed: more than resend_after_ms = " + as_ms(o.resend_after));
  need(o.rejoin_backoff_max >= o.rejoin_backoff_min, "rejoin_backoff_max_ms",
       as_ms(o.rejoin_backoff_max) + " is below rejoin_backoff_min_ms = " + as_ms(o.rejoin_backoff_min));
}

void check_sizes(const PairConfig& pair, const ConfigNode& node, ConfigFaults& faults) {
  const PairOptions& o = pair.options;
  const auto at_least = [&](std::uint64_t value, std::string_view key, std::uint64_t other,
                            std::string_view than) {
    if (value >= other) return;
    faults.add(line_of(node, key), "pair." + std::string(key),
               std::to_string(value) + " is too small; allowed: at least " + std::string(than) + " = " +
                   std::to_string(other));
  };
  at_least(o.queue_bytes_max, "queue_bytes_max", o.request_bytes_max, "request_bytes_max");
  at_least(o.in_flight_bytes_max, "in_flight_bytes_max", o.batch_bytes_max, "batch_bytes_max");
  at_least(o.in_flight_bytes_max, "in_flight_bytes_max", o.request_bytes_max, "request_bytes_max");
  at_least(o.in_flight_records_max, "in_flight_records_max", o.batch_records_max, "batch_records_max");
  at_least(o.unapplied_bytes_max, "unapplied_bytes_max", o.in_flight_bytes_max, "in_flight_bytes_max");
  at_least(o.unapplied_records_max, "unapplied_records_max", o.in_flight_records_max,
           "in_flight_records_max");
  at_least(o.session_reply_bytes_max, "session_reply_bytes_max", o.reply_bytes_max, "reply_bytes_max");
  if (pair.disk_full_percent <= pair.disk_warn_percent) {
    faults.add(line_of(node, "disk_full_percent"), "pair.disk_full_percent",
               "must be above disk_warn_percent, so that the warning comes first");
  }
  if (pair.disk_stop_percent <= pair.disk_full_percent) {
    faults.add(line_of(node, "disk_stop_percent"), "pair.disk_stop_percent",
               "must be above disk_full_percent: what is between them is kept for deletions");
  }
}

void check_members(const PairConfig& pair, const ConfigNode& node, Claims& claims, ConfigFaults& faults) {
  const ConfigNode* list = node.find("member");
  for (const MemberConfig& member : pair.members) {
    const ConfigNode* table = &node;
    if (list && list->array()) {
      for (const ConfigNode& item : *list->array()) {
        const ConfigNode* name = item.find("name");
        if (name && name->text() && *name->text() == member.name) table = &item;
      }
    }
    const std::string owner = "member " + member.name + " of pair " + pair.name;
    const auto endpoint = [&](std::string_view key, const std::string& value) {
      const std::string full = "pair.member." + std::string(key);
      if (std::string wrong = check_endpoint(value); !wrong.empty())
        faults.add(line_of(*table, key), full, wrong);
      claims.claim(value, line_of(*table, key), full, owner);
    };
    endpoint("listen", member.listen);
    endpoint("listen_heartbeat", member.listen_heartbeat);
    if (std::string wrong = check_socket_path(member.control.string()); !wrong.empty()) {
      faults.add(line_of(*table, "control"), "pair.member.control", wrong);
    }
    claims.claim(member.control.string(), line_of(*table, "control"), "pair.member.control", owner);
    claims.claim_directory(member.directory, line_of(*table, "directory"), "pair.member.directory", owner);
    if (std::string wrong = check_cpus(member.cpus); !wrong.empty()) {
      faults.add(line_of(*table, "cpus"), "pair.member.cpus", wrong);
    }
  }
}

void check_pair(const PairConfig& pair, const ConfigNode& node, Claims& claims, ConfigFaults& faults) {
  if (is_reserved_name(pair.name)) {
    faults.add(line_of(node, "name"), "pair.name",
               "\"" + pair.name + "\" is reserved for a directory of ours; choose another");
  }
  check_times(pair.options, node, faults);
  check_sizes(pair, node, faults);
  check_members(pair, node, claims, faults);
  const std::string owner = "pair " + pair.name;
  claims.claim_directory(pair.witness, line_of(node, "witness"), "pair.witness", "the witness of " + owner);
  const ConfigNode* retention = node.find("retention");
  claims.claim_directory(pair.retention.archive_directory,
                         line_of(retention ? *retention : node, "archive_directory"),
                         "pair.retention.archive_directory", "the archives of " + owner);
}

void check_gateway(const Config& config, const GatewayConfig& gateway, const ConfigNode& node, Claims& claims,
                   ConfigFaults& faults) {
  const std::string_view only = gateway.has_tls() ? std::string_view() : loopback_without_tls;
  if (std::string wrong = check_address(gateway.listen, 0, only); !wrong.empty()) {
    faults.add(line_of(node, "listen"), "gateway.listen", wrong);
  }
  if (gateway.tls_certificate.empty() != gateway.tls_key.empty()) {
    const bool lacks_key = gateway.tls_key.empty();
    faults.add(line_of(node, lacks_key ? "tls_certificate" : "tls_key"),
               lacks_key ? "gateway.tls_certificate" : "gateway.tls_key",
               lacks_key ? "needs tls_key, the file of its private key"
                         : "needs tls_certificate, the file it belongs to");
  }
  claims.claim("the name \"" + gateway.name + "\" of a gateway", line_of(node, "name"), "gateway.name",
               "another gateway");
  if (!gateway.listen.ends_with(":0"))
    claims.claim("tcp://" + gateway.listen, line_of(node, "listen"), "gateway.listen",
                 "gateway " + gateway.name);
  const PairConfig* pair = config.find_pair(gateway.pair);
  if (!pair || pair->service != "groupware") {
    faults.add(
        line_of(node, "pair"), "gateway.pair",
        "there is no pair \"" + gateway.pair + "\" whose service is \"groupware\"; name one, or add it");
  } else {
    const std::size_t room = std::min(pair->options.request_bytes_max, pair->options.reply_bytes_max);
    if (gateway.body_bytes_max + request_overhead_bytes > room) {
      faults.add(line_of(node, "body_bytes_max"), "gateway.body_bytes_max",
                 std::to_string(gateway.body_bytes_max) + " is too large; allowed: at most " +
                     std::to_string(room > request_overhead_bytes ? room - request_overhead_bytes : 0) +
                     ", 64 KiB below request_bytes_max and reply_bytes_max of pair " + pair->name);
    }
  }
}

}  // namespace

bool is_in_ranges(std::string_view ranges, int number) {
  while (!ranges.empty()) {
    const std::string_view range = ranges.substr(0, ranges.find(','));
    ranges.remove_prefix(std::min(ranges.size(), range.size() + 1));
    int first = 0;
    const auto begin = std::from_chars(range.data(), range.data() + range.size(), first);
    if (begin.ec != std::errc{}) continue;
    int last = first;
    if (begin.ptr != range.data() + range.size() && *begin.ptr == '-') {
      std::from_chars(begin.ptr + 1, range.data() + range.size(), last);
    }
    if (first <= number && number <= last) return true;
  }
  return false;
}

Result<void> check_gateway_address(const std::string& listen) {
  if (std::string wrong = check_address(listen, 0, loopback_without_tls); !wrong.empty())
    return fail(Code::bad_config, wrong);
  return {};
}

std::vector<ConfigFault> ConfigFaults::sorted() const {
  std::vector<ConfigFault> out = all_;
  std::ranges::stable_sort(out, {}, &ConfigFault::line);
  return out;
}

void check_combinations(const Config& config, const ConfigNode& root, ConfigFaults& faults) {
  Claims claims(faults);
  if (config.node.restart_max_ms < config.node.restart_min_ms) {
    const ConfigNode* node = root.find("node");
    faults.add(line_of(node ? *node : root, "restart_max_ms"), "node.restart_max_ms",
               "must be at least restart_min_ms = " + std::to_string(config.node.restart_min_ms));
  }
  const ConfigNode* pairs = root.find("pair");
  for (std::size_t i = 0; i < config.pairs.size(); ++i) {
    const ConfigNode& node = (*pairs->array())[i];
    if (config.find_pair(config.pairs[i].name) != &config.pairs[i]) {
      faults.add(line_of(node, "name"), "pair.name",
                 "\"" + config.pairs[i].name + "\" is already the name of another pair; choose another");
    } else {
      check_pair(config.pairs[i], node, claims, faults);
    }
  }
  const ConfigNode* gateways = root.find("gateway");
  for (std::size_t i = 0; i < config.gateways.size(); ++i) {
    check_gateway(config, config.gateways[i], (*gateways->array())[i], claims, faults);
  }
}

}  // namespace pollux
