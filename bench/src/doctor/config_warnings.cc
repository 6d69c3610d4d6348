#include "doctor/warnings.h"
#include "host/facts.h"
#include "run/format.h"

namespace pollux {

namespace {

std::int64_t ms(Duration time) { return std::chrono::duration_cast<std::chrono::milliseconds>(time).count(); }

void warn_of_time(const PairConfig& pair, const Advice& advice, std::string_view key, Duration set,
                  const std::string& why, DoctorWarnings& warnings) {
  const auto advised = advice.ms_of(key);
  if (ms(set) >= advised) return;
  warnings.push_back({"pair " + pair.name + ": " + std::string(key) + " = " + std::to_string(ms(set)) +
                          " is shorter than this host can keep",
                      why, "set " + std::string(key) + " to " + std::to_string(advised) + " or more"});
}

void warn_of_pair(const Observed& seen, const Advice& advice, const PairConfig& pair,
                  DoctorWarnings& warnings) {
  const auto& set = pair.options;
  const auto pause = "a pause of " + std::to_string(advice.pause_ms) + " ms";
  warn_of_time(pair, advice, "heartbeat_ms", set.heartbeat,
               pause + " makes a heartbeat late by more than one period", warnings);
  warn_of_time(pair, advice, "lease_ms", set.lease, pause + " ends the lease, and reads wait for a new one",
               warnings);
  warn_of_time(pair, advice, "grace_ms", set.grace, pause + " can outlast what the backup waits for",
               warnings);
  warn_of_time(pair, advice, "takeover_after_ms", set.takeover_after,
               pause + " of a healthy primary looks like its death, and the backup takes over for nothing",
               warnings);
  warn_of_time(pair, advice, "left_behind_after_ms", set.left_behind_after,
               "a slow flush of the backup makes the primary go on alone", warnings);
  if (set.reads == ReadMode::lease && seen.longest_pause_ns() / 1'000'000 >= ms(set.heartbeat)) {
    warnings.push_back({"pair " + pair.name + ": reads = \"lease\" on a host that paused for " +
                            time_text(seen.longest_pause_ns()),
                        "reads by lease are for hosts known not to pause", "set reads = \"confirmed\""});
  }
}

}  // namespace

void warn_of_config(const Observed& seen, const Advice& advice, const Config& config,
                    DoctorWarnings& warnings) {
  for (const auto& pair : config.pairs) warn_of_pair(seen, advice, pair, warnings);
}

DoctorWarnings find_warnings(const Observed& seen, const Advice& advice, const Config* config) {
  DoctorWarnings warnings;
  warn_of_clock(seen, warnings);
  warn_of_cpu(seen, warnings);
  warn_of_memory(seen, config, warnings);
  warn_of_disk(seen, warnings);
  if (config != nullptr) warn_of_config(seen, advice, *config, warnings);
  return warnings;
}

}  // namespace pollux
