#include "doctor/advice.h"

#include <algorithm>

#include "host/facts.h"
#include "pollux/core/check.h"
#include "run/format.h"

namespace pollux {

namespace {

constexpr std::int64_t million = 1'000'000;
// A look of seconds does not see the worst of a day.
constexpr std::int64_t unseen_factor = 4;
// Ordinary scheduling on a VM was seen to be late by so much; a host of its own is steadier.
constexpr std::int64_t pause_shared_ms = 8, pause_metal_ms = 2;
constexpr std::int64_t time_out_ms_min = 20;
// What a configuration takes.
constexpr std::int64_t heartbeat_ms_max = 10'000, lease_ms_max = 60'000, grace_ms_max = 120'000;

std::int64_t rounded_up(std::int64_t ms) { return (ms + 9) / 10 * 10; }
std::int64_t ms_above(std::int64_t ns) { return (ns + million - 1) / million; }

bool shared(const std::vector<HostFact>& facts) {
  return fact_value(facts, "vm") != "none" || fact_value(facts, "container") != "none";
}

std::string ms_text(std::int64_t ms) { return std::to_string(ms) + " ms"; }

}  // namespace

std::string AdvisedTime::line() const { return key + " = " + std::to_string(ms) + "  # " + reason; }

std::int64_t Advice::ms_of(std::string_view key) const {
  const auto found = std::ranges::find(times, key, &AdvisedTime::key);
  POLLUX_CHECK(found != times.end());
  return found->ms;
}

Advice advise(const Observed& seen) {
  Advice advice;
  const auto longest = seen.longest_pause_ns();
  const auto least = shared(seen.facts) ? pause_shared_ms : pause_metal_ms;
  const auto pause = std::max(least, ms_above(longest * unseen_factor));
  advice.pause_ms = pause;
  advice.pause_reason =
      pause == least
          ? "at least " + ms_text(least) +
                (least == pause_metal_ms ? " even on a host of its own" : " on a host that is shared") +
                "; the longest that was seen is " + time_text(longest)
          : std::to_string(unseen_factor) + " times the longest that was seen, " + time_text(longest) +
                ", because a look of seconds does not see the worst of a day";
  const auto heartbeat = std::clamp(rounded_up(2 * pause), time_out_ms_min, heartbeat_ms_max);
  const auto lease = std::min(rounded_up(3 * heartbeat + 2 * pause), lease_ms_max);
  // The backup's clock may run 1 % fast while the primary's runs 1 % slow.
  const auto grace = std::min(rounded_up((lease * 102 + 99) / 100 + pause), grace_ms_max);
  const auto takeover = rounded_up(std::max(grace, 3 * heartbeat) + heartbeat);
  const auto flush = ms_above(seen.flushes.largest_ns());
  const auto left_behind = std::max<std::int64_t>(rounded_up(10 * flush + 2 * pause), 200);
  advice.times = {
      {"heartbeat_ms", heartbeat,
       heartbeat == time_out_ms_min
           ? "no time below 20 ms; twice the pause of " + ms_text(pause) + " fits into it"
           : "twice the pause of " + ms_text(pause) + " that is allowed for"},
      {"lease_ms", lease, "three heartbeats and two pauses: it outlives a lost heartbeat and a late one"},
      {"grace_ms", grace, "the lease with 1 % drift of both clocks, and a pause"},
      {"takeover_after_ms", takeover, "grace and one heartbeat more, so that silence is no accident"},
      {"left_behind_after_ms", left_behind,
       flush == 0 ? "at least 200 ms"
                  : "ten times the longest flush that was seen, " + time_text(seen.flushes.largest_ns()) +
                        ", and two pauses; at least 200 ms"}};
  return advice;
}

PairOptions options_of(const Advice& advice) {
  const auto time = [&advice](std::string_view key) { return std::chrono::milliseconds(advice.ms_of(key)); };
  PairOptions options;
  options.heartbeat = time("heartbeat_ms");
  options.lease = time("lease_ms");
  options.grace = time("grace_ms");
  options.takeover_after = time("takeover_after_ms");
  options.left_behind_after = time("left_behind_after_ms");
  return options;
}

}  // namespace pollux
