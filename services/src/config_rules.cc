#include "config_rules.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

namespace pollux {

namespace {

constexpr std::string_view kind_of(const ConfigNode& node) {
  constexpr std::string_view names[] = {"true or false",  "a whole number", "a decimal number", "text",
                                        "a date or time", "a list",         "a table"};
  return names[node.value.index()];
}

std::string wrong_type(const ConfigNode& node, std::string_view wanted) {
  return "must be " + std::string(wanted) + ", not " + std::string(kind_of(node));
}

std::string range_text(std::uint64_t min, std::uint64_t max) {
  return std::to_string(min) + " to " + std::to_string(max);
}

std::string check_range(std::int64_t value, std::uint64_t min, std::uint64_t max) {
  if (value >= 0 && static_cast<std::uint64_t>(value) >= min && static_cast<std::uint64_t>(value) <= max)
    return {};
  return std::to_string(value) + " is out of range; allowed: " + range_text(min, max);
}

struct Range {
  std::uint64_t min = 0, max = 0;
};

template <class T, class Field>
KeyRule<T> number(std::string name, std::string unit, Range range, Field field) {
  return {std::move(name), unit, range_text(range.min, range.max),
          [range, field, unit](const ConfigNode& node, T& into) -> std::string {
            const auto* value = std::get_if<std::int64_t>(&node.value);
            if (!value) return wrong_type(node, "a whole number (" + unit + ")");
            if (std::string wrong = check_range(*value, range.min, range.max); !wrong.empty()) return wrong;
            auto& place = field(into);
            place = static_cast<std::remove_reference_t<decltype(place)>>(*value);
            return {};
          },
          [field](const T& from) { return std::to_string(field(from)); }};
}

template <class T, class Field>
KeyRule<T> milliseconds(std::string name, Range range, Field field) {
  return {std::move(name), "milliseconds", range_text(range.min, range.max),
          [range, field](const ConfigNode& node, T& into) -> std::string {
            const auto* value = std::get_if<std::int64_t>(&node.value);
            if (!value) return wrong_type(node, "a whole number (milliseconds)");
            if (std::string wrong = check_range(*value, range.min, range.max); !wrong.empty()) return wrong;
            field(into) = std::chrono::milliseconds(*value);
            return {};
          },
          [field](const T& from) {
            return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(field(from)).count());
          }};
}

/// "64 MiB", "64MiB", "4096": the number of bytes, or -1.
std::int64_t parse_size(std::string_view text) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{}) return -1;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const int shift = unit.empty() || unit == "B" ? 0
                    : unit == "KiB"             ? 10
                    : unit == "MiB"             ? 20
                    : unit == "GiB"             ? 30
                    : unit == "TiB"             ? 40
                                                : -1;
  if (shift < 0 || count > (static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) >> shift))
    return -1;
  return static_cast<std::int64_t>(count << shift);
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::string_view units[] = {"", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (unit < 4 && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? std::to_string(bytes) : std::to_string(bytes) + " " + std::string(units[unit]);
}

template <class T, class Field>
KeyRule<T> bytes(std::string name, Range range, Field field) {
  const std::string allowed = size_text(range.min) + " to " + size_text(range.max);
  return {std::move(name), "bytes", allowed,
          [range, field, allowed](const ConfigNode& node, T& into) -> std::string {
            std::int64_t value = -1;
            if (const auto* integer = std::get_if<std::int64_t>(&node.value)) {
              value = *integer;
            } else if (const std::string* text = node.text()) {
              value = parse_size(*text);
              if (value < 0)
                return "\"" + *text + "\" is no size; write bytes as a number, or e.g. \"64 MiB\"";
            } else {
              return wrong_type(node, "a number of bytes, or text such as \"64 MiB\"");
            }
            if (!check_range(value, range.min, range.max).empty()) {
              return std::to_string(value) + " bytes is out of range; allowed: " + allowed;
            }
            auto& place = field(into);
            place = static_cast<std::remove_reference_t<decltype(place)>>(value);
            return {};
          },
          [field](const T& from) {
            const std::string text = size_text(field(from));
            return text.find(' ') == std::string::npos ? text : '"' + text + '"';
          }};
}

template <class T, class Field>
KeyRule<T> percent(std::string name, double min, double max, Field field) {
  const auto plain = [](double value) {
    return value == std::floor(value) ? std::to_string(static_cast<long>(value)) : std::to_string(value);
  };
  const std::string allowed = plain(min) + " to " + plain(max);
  return {std::move(name), "percent", allowed,
          [=](const ConfigNode& node, T& into) -> std::string {
            double value = 0;
            if (const auto* integer = std::get_if<std::int64_t>(&node.value)) {
              value = static_cast<double>(*integer);
            } else if (const auto* real = std::get_if<double>(&node.value)) {
              value = *real;
            } else {
              return wrong_type(node, "a number (percent)");
            }
            if (!(value >= min && value <= max))
              return plain(value) + " is out of range; allowed: " + allowed;
            field(into) = value;
            return {};
          },
          [=](const T& from) { return plain(field(from)); }};
}

/// Text for `type`; `check` says what is wrong with it, or nothing.
template <class T, class Field>
KeyRule<T> text(std::string name, std::string type, std::string allowed, Field field,
                std::function<std::string(const std::string&)> check) {
  return {std::move(name), std::move(type), std::move(allowed),
          [field, check](const ConfigNode& node, T& into) -> std::string {
            const std::string* value = node.text();
            if (!value) return wrong_type(node, "text in quotes");
            if (value->find('\0') != std::string::npos) return "must not contain a NUL";
            if (std::string wrong = check(*value); !wrong.empty()) return wrong;
            field(into) = *value;
            return {};
          },
          [field](const T& from) {
            const std::string value(field(from));
            return value.empty() ? std::string() : '"' + value + '"';
          }};
}

const std::string name_allowed =
    "1 to " + std::to_string(name_length_max) + " characters a-z, 0-9, - or _, the first a letter or digit";

std::string check_name(const std::string& value) {
  return is_name(value) ? "" : "\"" + value + "\" is no name; allowed: " + name_allowed;
}
std::string check_path(const std::string& value) {
  return value.empty() ? "must not be empty; allowed: a path" : "";
}
std::string check_any(const std::string& value) { return value.empty() ? "must not be empty" : ""; }

/// A path: like text, but its field is a filesystem::path.
template <class T, class Field>
KeyRule<T> path(std::string name, Field field) {
  return {std::move(name), "path", "a path; relative ones count from the configuration file",
          [field](const ConfigNode& node, T& into) -> std::string {
            const std::string* value = node.text();
            if (!value) return wrong_type(node, "text in quotes (a path)");
            if (std::string wrong = check_path(*value); !wrong.empty()) return wrong;
            if (value->find('\0') != std::string::npos) return "must not contain a NUL";
            field(into) = std::filesystem::path(*value);
            return {};
          },
          [field](const T& from) {
            const std::string value = field(from).string();
            return value.empty() ? std::string() : '"' + value + '"';
          }};
}

template <class T, class Enum, class Field>
KeyRule<T> choice(std::string name, std::vector<std::pair<std::string, Enum>> choices, Field field) {
  std::string allowed;
  for (const auto& [word, value] : choices) allowed += (allowed.empty() ? "\"" : " or \"") + word + "\"";
  return {std::move(name), "one of", allowed,
          [=](const ConfigNode& node, T& into) -> std::string {
            const std::string* word = node.text();
            if (!word) return wrong_type(node, "text, " + allowed);
            for (const auto& [known, value] : choices) {
              if (known == *word) {
                field(into) = value;
                return {};
              }
            }
            return "\"" + *word + "\" is unknown; allowed: " + allowed;
          },
          [=](const T& from) -> std::string {
            for (const auto& [known, value] : choices) {
              if (value == field(from)) return '"' + known + '"';
            }
            return {};
          }};
}

constexpr int cpu_max = 1023;  // glibc's cpu_set_t

KeyRule<MemberConfig> cpu_list() {
  return {"cpus", "list of whole numbers", "CPU numbers 0 to " + std::to_string(cpu_max) + ", none twice",
          [](const ConfigNode& node, MemberConfig& into) -> std::string {
            const ConfigArray* list = node.array();
            if (!list) return wrong_type(node, "a list of CPU numbers, e.g. [0, 1]");
            for (const ConfigNode& item : *list) {
              const auto* value = std::get_if<std::int64_t>(&item.value);
              if (!value) return "must hold whole numbers only, e.g. [0, 1]";
              if (std::string wrong = check_range(*value, 0, cpu_max); !wrong.empty()) return wrong;
              const int cpu = static_cast<int>(*value);
              if (std::ranges::find(into.cpus, cpu) != into.cpus.end()) {
                return "names CPU " + std::to_string(cpu) + " twice";
              }
              into.cpus.push_back(cpu);
            }
            return {};
          },
          [](const MemberConfig&) { return std::string("[]"); }};
}

// A field of a nested struct, as an accessor that works for const and non-const alike.
#define POLLUX_FIELD(expression) [](auto& o) -> auto& { return o.expression; }

// Times. None that decides about a takeover may be below 20 ms: scheduling on a VM jitters by 8 ms.
constexpr std::uint64_t time_min_ms = 20;
constexpr std::uint64_t minute_ms = 60'000;
constexpr std::uint64_t hour_ms = 60 * minute_ms;

constexpr std::uint64_t kib = 1ULL << 10, mib = 1ULL << 20, gib = 1ULL << 30, tib = 1ULL << 40;

}  // namespace

bool is_name(std::string_view text) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && text.size() <= name_length_max && plain(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return plain(c) || c == '-' || c == '_'; });
}

const KeyRules<Config>& top_rules() {
  static const KeyRules<Config> rules = {
      text<Config>("cluster", "name", name_allowed, POLLUX_FIELD(cluster_name), check_name),
      path<Config>("data", POLLUX_FIELD(data)),
  };
  return rules;
}

const KeyRules<NodeConfig>& node_rules() {
  using T = NodeConfig;
  static const KeyRules<T> rules = {
      number<T>("restart_min_ms", "milliseconds", {1, hour_ms}, POLLUX_FIELD(restart_min_ms)),
      number<T>("restart_max_ms", "milliseconds", {1, hour_ms}, POLLUX_FIELD(restart_max_ms)),
      number<T>("healthy_after_ms", "milliseconds", {1, 24 * hour_ms}, POLLUX_FIELD(healthy_after_ms)),
      number<T>("storage_retry_ms", "milliseconds", {1000, 24 * hour_ms}, POLLUX_FIELD(storage_retry_ms)),
      number<T>("stop_limit_ms", "milliseconds", {100, hour_ms}, POLLUX_FIELD(stop_limit_ms)),
      bytes<T>("log_bytes_max", {64 * kib, 100 * gib}, POLLUX_FIELD(log_bytes_max)),
  };
  return rules;
}

const KeyRules<PairConfig>& pair_rules() {
  using T = PairConfig;
  static const KeyRules<T> rules = {
      text<T>("name", "name", name_allowed, POLLUX_FIELD(name), check_name),
      text<T>("service", "name", "the name of a service: \"ledger\" or \"groupware\"", POLLUX_FIELD(service),
              check_name),
      path<T>("witness", POLLUX_FIELD(witness)),
      number<T>("query_threads", "count", {1, 256}, POLLUX_FIELD(query_threads)),
      percent<T>("disk_warn_percent", 1, 99, POLLUX_FIELD(disk_warn_percent)),
      percent<T>("disk_full_percent", 2, 99, POLLUX_FIELD(disk_full_percent)),
      number<T>("apply_records_max", "count", {1, 10'000'000}, POLLUX_FIELD(apply_records_max)),
      number<T>("apply_every_ms", "milliseconds", {1, minute_ms}, POLLUX_FIELD(apply_every_ms)),
      choice<T, ReadMode>("reads", {{"confirmed", ReadMode::confirmed}, {"lease", ReadMode::lease}},
                          POLLUX_FIELD(options.reads)),
      milliseconds<T>("heartbeat_ms", {time_min_ms, 10'000}, POLLUX_FIELD(options.heartbeat)),
      milliseconds<T>("lease_ms", {time_min_ms, minute_ms}, POLLUX_FIELD(options.lease)),
      milliseconds<T>("grace_ms", {time_min_ms, 2 * minute_ms}, POLLUX_FIELD(options.grace)),
      milliseconds<T>("takeover_after_ms", {time_min_ms, hour_ms}, POLLUX_FIELD(options.takeover_after)),
      milliseconds<T>("left_behind_after_ms", {time_min_ms, hour_ms},
                      POLLUX_FIELD(options.left_behind_after)),
      milliseconds<T>("resend_after_ms", {time_min_ms, minute_ms}, POLLUX_FIELD(options.resend_after)),
      milliseconds<T>("execute_limit_ms", {time_min_ms, hour_ms}, POLLUX_FIELD(options.execute_limit)),
      milliseconds<T>("force_limit_ms", {time_min_ms, hour_ms}, POLLUX_FIELD(options.force_limit)),
      milliseconds<T>("switch_limit_ms", {time_min_ms, hour_ms}, POLLUX_FIELD(options.switch_limit)),
      milliseconds<T>("witness_retry_ms", {time_min_ms, minute_ms}, POLLUX_FIELD(options.witness_retry)),
      milliseconds<T>("floor_interval_ms", {time_min_ms, hour_ms}, POLLUX_FIELD(options.floor_interval)),
      milliseconds<T>("catch_up_retry_ms", {time_min_ms, minute_ms}, POLLUX_FIELD(options.catch_up_retry)),
      milliseconds<T>("rejoin_backoff_min_ms", {time_min_ms, hour_ms},
                      POLLUX_FIELD(options.rejoin_backoff_min)),
      milliseconds<T>("rejoin_backoff_max_ms", {time_min_ms, 24 * hour_ms},
                      POLLUX_FIELD(options.rejoin_backoff_max)),
      milliseconds<T>("session_idle_ms", {1000, 366 * 24 * hour_ms}, POLLUX_FIELD(options.session_idle)),
      number<T>("queue_requests_max", "count", {1, 10'000'000}, POLLUX_FIELD(options.queue_requests_max)),
      bytes<T>("queue_bytes_max", {64 * kib, 16 * gib}, POLLUX_FIELD(options.queue_bytes_max)),
      number<T>("queue_reads_max", "count", {1, 10'000'000}, POLLUX_FIELD(options.queue_reads_max)),
      number<T>("executing_max", "count", {1, 1'000'000}, POLLUX_FIELD(options.executing_max)),
      number<T>("batch_records_max", "count", {1, 1'000'000}, POLLUX_FIELD(options.batch_records_max)),
      bytes<T>("batch_bytes_max", {kib, 32 * mib}, POLLUX_FIELD(options.batch_bytes_max)),
      number<T>("in_flight_records_max", "count", {1, 10'000'000},
                POLLUX_FIELD(options.in_flight_records_max)),
      bytes<T>("in_flight_bytes_max", {64 * kib, 16 * gib}, POLLUX_FIELD(options.in_flight_bytes_max)),
      number<T>("unapplied_records_max", "count", {1, 100'000'000},
                POLLUX_FIELD(options.unapplied_records_max)),
      bytes<T>("unapplied_bytes_max", {64 * kib, 64 * gib}, POLLUX_FIELD(options.unapplied_bytes_max)),
      bytes<T>("resend_bytes", {64 * kib, 16 * gib}, POLLUX_FIELD(options.resend_bytes)),
      bytes<T>("request_bytes_max", {kib, 32 * mib}, POLLUX_FIELD(options.request_bytes_max)),
      bytes<T>("reply_bytes_max", {kib, 32 * mib}, POLLUX_FIELD(options.reply_bytes_max)),
      number<T>("sessions_max", "count", {1, 1'000'000}, POLLUX_FIELD(options.sessions_max)),
      number<T>("session_window", "count", {1, 1'000'000}, POLLUX_FIELD(options.session_window)),
      bytes<T>("session_reply_bytes_max", {kib, gib}, POLLUX_FIELD(options.session_reply_bytes_max)),
      bytes<T>("tail_chunk_bytes", {kib, 32 * mib}, POLLUX_FIELD(options.tail_chunk_bytes)),
      bytes<T>("snapshot_chunk_bytes", {kib, 64 * kib}, POLLUX_FIELD(options.snapshot_chunk_bytes)),
      number<T>("busy_retry_ms", "milliseconds", {1, minute_ms}, POLLUX_FIELD(options.busy_retry_ms)),
  };
  return rules;
}

const KeyRules<MemberConfig>& member_rules() {
  using T = MemberConfig;
  static const std::string endpoints = "ipc://PATH, or tcp://ADDRESS:PORT on loopback (127.0.0.0/8 or [::1])";
  static const KeyRules<T> rules = {
      text<T>("name", "name", "\"a\" or \"b\"", POLLUX_FIELD(name),
              [](const std::string& value) {
                return value == "a" || value == "b" ? std::string()
                                                    : "\"" + value + "\" is unknown; allowed: \"a\" or \"b\"";
              }),
      path<T>("directory", POLLUX_FIELD(directory)),
      text<T>("listen", "endpoint", endpoints, POLLUX_FIELD(listen), check_any),
      text<T>("listen_heartbeat", "endpoint", endpoints, POLLUX_FIELD(listen_heartbeat), check_any),
      path<T>("control", POLLUX_FIELD(control)),
      cpu_list(),
  };
  return rules;
}

const KeyRules<RetentionOptions>& retention_rules() {
  using T = RetentionOptions;
  static const KeyRules<T> rules = {
      bytes<T>("trail_bytes_max", {mib, 512 * tib}, POLLUX_FIELD(trail_bytes_max)),
      number<T>("trail_age_max_s", "seconds (0: no limit)", {0, 100ULL * 366 * 24 * 3600},
                POLLUX_FIELD(trail_age_max_s)),
      choice<T, RetentionMode>("mode", {{"drop", RetentionMode::drop}, {"archive", RetentionMode::archive}},
                               POLLUX_FIELD(mode)),
      path<T>("archive_directory", POLLUX_FIELD(archive_directory)),
      bytes<T>("archive_bytes_max", {0, 512 * tib}, POLLUX_FIELD(archive_bytes_max)),
      number<T>("portion", "count", {1, 1'000'000}, POLLUX_FIELD(portion)),
  };
  return rules;
}

const KeyRules<GatewayConfig>& gateway_rules() {
  using T = GatewayConfig;
  static const KeyRules<T> rules = {
      text<T>("name", "name", name_allowed, POLLUX_FIELD(name), check_name),
      text<T>("listen", "address", "ADDRESS:PORT on loopback (127.0.0.0/8 or [::1])", POLLUX_FIELD(listen),
              check_any),
      text<T>("pair", "name", "the name of a pair whose service is \"groupware\"", POLLUX_FIELD(pair),
              check_name),
      number<T>("gateway_wait_ms", "milliseconds", {100, hour_ms}, POLLUX_FIELD(gateway_wait_ms)),
      bytes<T>("body_bytes_max", {kib, 32 * mib}, POLLUX_FIELD(body_bytes_max)),
      number<T>("connections_max", "count", {1, 1'000'000}, POLLUX_FIELD(connections_max)),
      number<T>("threads", "count", {1, 256}, POLLUX_FIELD(threads)),
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
