// The configuration file (TOML): one cluster, its pairs, its gateways. docs/configuration.md lists every key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pollux/audit/archive.h"
#include "pollux/core/options.h"
#include "pollux/core/result.h"
#include "pollux/ipc/requester.h"

namespace pollux {

struct MemberConfig {
  std::string name;                 ///< "a" or "b"
  std::filesystem::path directory;  ///< default: <data>/<pair>/<name>
  std::string listen;               ///< default: ipc://<data>/run/<pair>.<name>.sock
  std::string listen_heartbeat;     ///< default: the same with .heartbeat.sock
  std::filesystem::path control;    ///< control socket, default: <data>/run/<pair>.<name>.control
  std::vector<int> cpus;            ///< CPUs the member may run on; empty: all
};

struct PairConfig {
  std::string name;
  std::string service;              ///< "echo", "groupware" or "ledger"
  std::vector<MemberConfig> members;  ///< exactly two, "a" and "b"
  PairOptions options;              ///< times and limits; cluster, me, boot are filled in by the member
  std::filesystem::path witness;    ///< directory of the file witness, default: <data>/witness/<pair>
  RetentionOptions retention;       ///< a member archives into <archive_directory>/<member name>
  std::size_t query_threads = 2;
  double disk_warn_percent = 80, disk_full_percent = 95, disk_stop_percent = 98;
  std::size_t apply_records_max = 65536;  ///< records applied to the tables in one transaction
  std::uint64_t apply_every_ms = 150;     ///< how long committed records wait for a larger batch
};

enum class GatewayReads : std::uint8_t {
  tables,  ///< from the tables of the member that serves, if it is on this host and they are up to date; else as `pair`
  pair,    ///< by asking the pair
};

struct GatewayConfig {
  std::string name = "gateway";
  std::string listen = "127.0.0.1:8080";
  std::string pair = "groupware";
  std::uint32_t gateway_wait_ms = 10000;    ///< how long a request waits for a takeover, then 503
  std::uint64_t body_bytes_max = 7u << 20;  ///< of an uploaded file; 64 KiB below the pair's limits
  std::size_t connections_max = 1000;
  std::size_t threads = 2;
  GatewayReads reads = GatewayReads::tables;
  std::filesystem::path tls_certificate;  ///< PEM, with its chain; both or none. None: plain HTTP on loopback
  std::filesystem::path tls_key;          ///< PEM, without a passphrase

  [[nodiscard]] bool has_tls() const { return !tls_certificate.empty() && !tls_key.empty(); }
  [[nodiscard]] std::string_view scheme() const { return has_tls() ? "https" : "http"; }
};

/// How the supervisor of this host treats its children (node.h).
struct NodeConfig {
  std::uint64_t restart_min_ms = 100;           ///< pause before the first restart; doubles with each death
  std::uint64_t restart_max_ms = 30'000;        ///< longest pause
  std::uint64_t healthy_after_ms = 60'000;      ///< a child that lived this long starts again at restart_min_ms
  std::uint64_t storage_retry_ms = 30'000;      ///< pause after a member stopped because its disk failed
  std::uint64_t stop_limit_ms = 10'000;         ///< a child that has not stopped by then is killed
  std::uint64_t log_bytes_max = 16u << 20;      ///< of a child's log file; the former one is kept as .1
};

struct Config {
  std::string cluster_name = "pollux";
  ClusterId cluster;                       ///< made with the data directory (<data>/cluster.id)
  std::filesystem::path data;
  std::filesystem::path run;               ///< sockets: <data>/run, or a private directory if that is too long
  NodeConfig node;
  std::vector<PairConfig> pairs;
  std::vector<GatewayConfig> gateways;

  [[nodiscard]] const PairConfig* find_pair(std::string_view name) const;
  [[nodiscard]] PairAddress address(const PairConfig& pair) const;
};

struct LoadOptions {
  std::vector<std::string> services;            ///< names a pair's `service` may have; empty: any
  std::vector<std::string>* faults = nullptr;   ///< gets every fault, one line each, not only the first
};
/// Reads and checks. An unknown key, a wrong type, an unsafe combination is `bad_config`: one line
/// `FILE:LINE: key: what is wrong, what is allowed`. Relative paths count from the file's directory.
/// Touches nothing but the file.
Result<Config> load_config(const std::filesystem::path& file, const LoadOptions& options = {});
/// The configuration of the quick start, without a file: one groupware pair and its gateway in `data`.
Config default_config(const std::filesystem::path& data);
/// Makes `<data>`, its cluster.id and the directory of sockets if missing, reads the id, sets config.cluster.
/// Refuses a directory that belongs to another user (`forbidden`), or that is neither empty nor a data
/// directory (`bad_config`). Two processes may call it at the same time.
Result<void> prepare_data_directory(Config& config);
/// Reads the cluster id of a data directory that must exist: what a command needs before it calls a pair.
/// `not_found` if there is none.
Result<void> open_data_directory(Config& config);

/// ADDRESS:PORT of a gateway without TLS: loopback only. `bad_config` says what is wrong.
Result<void> check_gateway_address(const std::string& listen);

/// One key of the file, for docs/configuration.md and its test.
struct ConfigKey {
  std::string name;      ///< with its table, e.g. "pair.heartbeat_ms"
  std::string type;      ///< and unit, e.g. "milliseconds"
  std::string allowed;   ///< e.g. "20 to 60000"
  std::string fallback;  ///< default, as one would write it
};
/// Every key that load_config knows, in the order of the document.
std::vector<ConfigKey> config_keys();

}  // namespace pollux
