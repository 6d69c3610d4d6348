#include "config_rules.h"

#include <algorithm>
#include <numeric>

#include "config_kinds.h"

namespace pollux {

namespace {

// A field of a table's struct. Expects the struct's name as T.
#define POLLUX_SLOT(expression) [](T& of) -> ConfigSlot { return &of.expression; }

// Times. None that decides about a takeover may be below 20 ms: scheduling on a VM jitters by 8 ms.
constexpr std::uint64_t time_min_ms = 20;
constexpr std::uint64_t minute_ms = 60'000;
constexpr std::uint64_t hour_ms = 60 * minute_ms;

constexpr std::uint64_t kib = 1ULL << 10, mib = 1ULL << 20, gib = 1ULL << 30, tib = 1ULL << 40;

}  // namespace

const KeyRules<Config>& top_rules() {
  using T = Config;
  static const KeyRules<Config> rules = {
      {"cluster", name_kind(), POLLUX_SLOT(cluster_name)},
      {"data", path_kind(), POLLUX_SLOT(data)},
  };
  return rules;
}
const KeyRules<NodeConfig>& node_rules() {
  using T = NodeConfig;
  static const KeyRules<T> rules = {
      {"restart_min_ms", whole_number("milliseconds", {1, hour_ms}), POLLUX_SLOT(restart_min_ms)},
      {"restart_max_ms", whole_number("milliseconds", {1, hour_ms}), POLLUX_SLOT(restart_max_ms)},
      {"healthy_after_ms", whole_number("milliseconds", {1, 24 * hour_ms}), POLLUX_SLOT(healthy_after_ms)},
      {"storage_retry_ms", whole_number("milliseconds", {1000, 24 * hour_ms}), POLLUX_SLOT(storage_retry_ms)},
      {"stop_limit_ms", whole_number("milliseconds", {100, hour_ms}), POLLUX_SLOT(stop_limit_ms)},
      {"log_bytes_max", size_kind({64 * kib, 100 * gib}), POLLUX_SLOT(log_bytes_max)},
  };
  return rules;
}
const KeyRules<PairConfig>& pair_rules() {
  using T = PairConfig;
  static const KeyRules<T> rules = {
      {"name", name_kind(), POLLUX_SLOT(name)},
      {"service", service_kind(), POLLUX_SLOT(service)},
      {"witness", path_kind(), POLLUX_SLOT(witness)},
      {"query_threads", whole_number("count", {1, 256}), POLLUX_SLOT(query_threads)},
      {"disk_warn_percent", percent_kind(1, 99), POLLUX_SLOT(disk_warn_percent)},
      {"disk_full_percent", percent_kind(2, 99), POLLUX_SLOT(disk_full_percent)},
      {"disk_stop_percent", percent_kind(3, 100), POLLUX_SLOT(disk_stop_percent)},
      {"apply_records_max", whole_number("count", {1, 10'000'000}), POLLUX_SLOT(apply_records_max)},
      {"apply_every_ms", whole_number("milliseconds", {1, minute_ms}), POLLUX_SLOT(apply_every_ms)},
      {"reads", read_mode_kind(), POLLUX_SLOT(options.reads)},
      {"heartbeat_ms", milliseconds_kind({time_min_ms, 10'000}), POLLUX_SLOT(options.heartbeat)},
      {"lease_ms", milliseconds_kind({time_min_ms, minute_ms}), POLLUX_SLOT(options.lease)},
      {"grace_ms", milliseconds_kind({time_min_ms, 2 * minute_ms}), POLLUX_SLOT(options.grace)},
      {"takeover_after_ms", milliseconds_kind({time_min_ms, hour_ms}), POLLUX_SLOT(options.takeover_after)},
      {"left_behind_after_ms", milliseconds_kind({time_min_ms, hour_ms}),
       POLLUX_SLOT(options.left_behind_after)},
      {"resend_after_ms", milliseconds_kind({time_min_ms, minute_ms}), POLLUX_SLOT(options.resend_after)},
      {"execute_limit_ms", milliseconds_kind({time_min_ms, hour_ms}), POLLUX_SLOT(options.execute_limit)},
      {"force_limit_ms", milliseconds_kind({time_min_ms, hour_ms}), POLLUX_SLOT(options.force_limit)},
      {"switch_limit_ms", milliseconds_kind({time_min_ms, hour_ms}), POLLUX_SLOT(options.switch_limit)},
      {"witness_retry_ms", milliseconds_kind({time_min_ms, minute_ms}), POLLUX_SLOT(options.witness_retry)},
      {"floor_interval_ms", milliseconds_kind({time_min_ms, hour_ms}), POLLUX_SLOT(options.floor_interval)},
      {"catch_up_retry_ms", milliseconds_kind({time_min_ms, minute_ms}), POLLUX_SLOT(options.catch_up_retry)},
      {"rejoin_backoff_min_ms", milliseconds_kind({time_min_ms, hour_ms}),
       POLLUX_SLOT(options.rejoin_backoff_min)},
      {"rejoin_backoff_max_ms", milliseconds_kind({time_min_ms, 24 * hour_ms}),
       POLLUX_SLOT(options.rejoin_backoff_max)},
      {"session_idle_ms", milliseconds_kind({1000, 366 * 24 * hour_ms}), POLLUX_SLOT(options.session_idle)},
      {"queue_requests_max", whole_number("count", {1, 10'000'000}), POLLUX_SLOT(options.queue_requests_max)},
      {"queue_bytes_max", size_kind({64 * kib, 16 * gib}), POLLUX_SLOT(options.queue_bytes_max)},
      {"queue_reads_max", whole_number("count", {1, 10'000'000}), POLLUX_SLOT(options.queue_reads_max)},
      {"executing_max", whole_number("count", {1, 1'000'000}), POLLUX_SLOT(options.executing_max)},
      {"batch_records_max", whole_number("count", {1, 1'000'000}), POLLUX_SLOT(options.batch_records_max)},
      {"batch_bytes_max", size_kind({kib, 32 * mib}), POLLUX_SLOT(options.batch_bytes_max)},
      {"in_flight_records_max", whole_number("count", {1, 10'000'000}),
       POLLUX_SLOT(options.in_flight_records_max)},
      {"in_flight_bytes_max", size_kind({64 * kib, 16 * gib}), POLLUX_SLOT(options.in_flight_bytes_max)},
      {"unapplied_records_max", whole_number("count", {1, 100'000'000}),
       POLLUX_SLOT(options.unapplied_records_max)},
      {"unapplied_bytes_max", size_kind({64 * kib, 64 * gib}), POLLUX_SLOT(options.unapplied_bytes_max)},
      {"resend_bytes", size_kind({64 * kib, 16 * gib}), POLLUX_SLOT(options.resend_bytes)},
      {"request_bytes_max", size_kind({kib, 32 * mib}), POLLUX_SLOT(options.request_bytes_max)},
      {"reply_bytes_max", size_kind({kib, 32 * mib}), POLLUX_SLOT(options.reply_bytes_max)},
      {"sessions_max", whole_number("count", {1, 1'000'000}), POLLUX_SLOT(options.sessions_max)},
      {"session_window", whole_number("count", {1, 1'000'000}), POLLUX_SLOT(options.session_window)},
      {"session_reply_bytes_max", size_kind({kib, gib}), POLLUX_SLOT(options.session_reply_bytes_max)},
      {"tail_chunk_bytes", size_kind({kib, 32 * mib}), POLLUX_SLOT(options.tail_chunk_bytes)},
      {"snapshot_chunk_bytes", size_kind({kib, 64 * kib}), POLLUX_SLOT(options.snapshot_chunk_bytes)},
      {"busy_retry_ms", whole_number("milliseconds", {1, minute_ms}), POLLUX_SLOT(options.busy_retry_ms)},
  };
  return rules;
}
const KeyRules<MemberConfig>& member_rules() {
  using T = MemberConfig;
  static const std::string endpoints = "ipc://PATH, or tcp://ADDRESS:PORT on loopback (127.0.0.0/8 or [::1])";
  static const KeyRules<T> rules = {
      {"name", member_name_kind(), POLLUX_SLOT(name)},
      {"directory", path_kind(), POLLUX_SLOT(directory)},
      {"listen", text_kind("endpoint", endpoints), POLLUX_SLOT(listen)},
      {"listen_heartbeat", text_kind("endpoint", endpoints), POLLUX_SLOT(listen_heartbeat)},
      {"control", path_kind(), POLLUX_SLOT(control)},
      {"cpus", cpu_list_kind(), POLLUX_SLOT(cpus)},
  };
  return rules;
}
const KeyRules<RetentionOptions>& retention_rules() {
  using T = RetentionOptions;
  static const KeyRules<T> rules = {
      {"trail_bytes_max", size_kind({mib, 512 * tib}), POLLUX_SLOT(trail_bytes_max)},
      {"trail_age_max_s", whole_number("seconds (0: no limit)", {0, 100ULL * 366 * 24 * 3600}),
       POLLUX_SLOT(trail_age_max_s)},
      {"mode", retention_mode_kind(), POLLUX_SLOT(mode)},
      {"archive_directory", path_kind(), POLLUX_SLOT(archive_directory)},
      {"archive_bytes_max", size_kind({0, 512 * tib}), POLLUX_SLOT(archive_bytes_max)},
      {"portion", whole_number("count", {1, 1'000'000}), POLLUX_SLOT(portion)},
  };
  return rules;
}
const KeyRules<GatewayConfig>& gateway_rules() {
  using T = GatewayConfig;
  static const KeyRules<T> rules = {
      {"name", name_kind(), POLLUX_SLOT(name)},
      {"listen", text_kind("address", "ADDRESS:PORT on loopback (127.0.0.0/8 or [::1]), with TLS on any"),
       POLLUX_SLOT(listen)},
      {"pair", text_kind("name", "the name of a pair whose service is \"groupware\""), POLLUX_SLOT(pair)},
      {"gateway_wait_ms", whole_number("milliseconds", {100, hour_ms}), POLLUX_SLOT(gateway_wait_ms)},
      {"body_bytes_max", size_kind({kib, 32 * mib}), POLLUX_SLOT(body_bytes_max)},
      {"connections_max", whole_number("count", {1, 1'000'000}), POLLUX_SLOT(connections_max)},
      {"threads", whole_number("count", {1, 256}), POLLUX_SLOT(threads)},
      {"reads", gateway_reads_kind(), POLLUX_SLOT(reads)},
      {"tls_certificate", path_kind(), POLLUX_SLOT(tls_certificate)},
      {"tls_key", path_kind(), POLLUX_SLOT(tls_key)},
  };
  return rules;
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), 0u);
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const std::size_t above = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (word[i - 1] == candidate[j - 1] ? 0 : 1)});
        diagonal = above;
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace pollux
