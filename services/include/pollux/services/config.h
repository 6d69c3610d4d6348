// The configuration file (TOML): one cluster, its pairs, its gateways. docs/configuration.md lists every key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
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
  std::string service;              ///< "ledger" or "groupware"
  std::vector<MemberConfig> members;  ///< exactly two, "a" and "b"
  PairOptions options;              ///< times and limits; cluster, me, boot are filled in by the member
  std::filesystem::path witness;    ///< directory of the file witness, default: <data>/witness/<pair>
  RetentionOptions retention;
  std::size_t query_threads = 2;
  double disk_warn_percent = 80, disk_full_percent = 95;
  std::size_t apply_records_max = 65536;  ///< records applied to the tables in one transaction
  std::uint64_t apply_every_ms = 200;     ///< how long committed records wait for a larger batch
};

struct GatewayConfig {
  std::string name = "gateway";
  std::string listen = "127.0.0.1:8080";
  std::string pair = "groupware";
  std::uint32_t gateway_wait_ms = 10000;    ///< how long a request waits for a takeover, then 503
  std::uint64_t body_bytes_max = 8u << 20;  ///< of an uploaded file
  std::size_t connections_max = 1000;
  std::size_t threads = 1;
};

struct Config {
  std::string cluster_name = "pollux";
  ClusterId cluster;                       ///< made with the data directory (<data>/cluster.id)
  std::filesystem::path data;
  std::vector<PairConfig> pairs;
  std::vector<GatewayConfig> gateways;

  [[nodiscard]] const PairConfig* find_pair(std::string_view name) const;
  [[nodiscard]] PairAddress address(const PairConfig& pair) const;
};

/// Reads and checks. An unknown key, a wrong type, an unsafe combination is `bad_config`: one line that names
/// file, line and key, and says what is allowed.
Result<Config> load_config(const std::filesystem::path& file);
/// The configuration of the quick start, without a file: one groupware pair and its gateway in `data`.
Config default_config(const std::filesystem::path& data);
/// Makes `<data>` and its cluster.id if missing, reads the id, sets config.cluster. Refuses a directory that
/// belongs to another user or is no data directory.
Result<void> prepare_data_directory(Config& config);

}  // namespace pollux
