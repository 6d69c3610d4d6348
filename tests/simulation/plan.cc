#include "simulation/plan.h"

#include <array>

namespace pollux::testing {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::string_view to_string(Mutation mutation) {
  static constexpr std::array<std::string_view, 19> names{
      "none", "reply_before_commit", "forced_too_early", "forget_epoch", "forget_sessions", "forget_quarantine",
      "lying_death_report", "fast_clock", "witness_grants_twice", "wipe_in_sync", "old_disk_without_floor",
      "read_uncommitted", "readers_not_told", "told_epoch_forgotten",
      "read_applied_only", "ask_answers_tombstone", "change_stored_replies", "bit_flip_unseen",
      "never_heals"};
  return names.at(static_cast<std::size_t>(mutation));
}

namespace {

PairOptions base_options(Random& random) {
  PairOptions options;
  options.cluster = random.id<ClusterId>();
  options.pair = "registers";
  // Shorter than the defaults: a seed is to see much in little time.
  options.execute_limit = milliseconds(1000);
  options.force_limit = milliseconds(1000);
  options.left_behind_after = milliseconds(800);
  options.floor_interval = milliseconds(500);
  options.rejoin_backoff_max = seconds(2);
  return options;
}

void choose_times(PairOptions& options, Random& random) {
  if (random.chance(0.3)) {  // the shortest that are allowed
    options.heartbeat = milliseconds(20);
    options.lease = milliseconds(60);
    options.grace = milliseconds(90);
    options.takeover_after = milliseconds(100);
    options.resend_after = milliseconds(30);
    options.left_behind_after = milliseconds(250);
  }
  if (random.chance(0.3)) options.reads = ReadMode::lease;
  if (random.chance(0.3)) options.session_idle = seconds(2);
}

void choose_sizes(PairOptions& options, Random& random) {
  if (random.chance(0.25)) {
    options.queue_requests_max = 2;
    options.executing_max = 2;
    options.in_flight_records_max = 4;
    options.queue_reads_max = 2;
  }
  if (random.chance(0.3)) {
    options.batch_records_max = 1 + random.below(3);
    options.batch_bytes_max = 600;
  }
  if (random.chance(0.4)) options.resend_bytes = 500 + random.below(2000);
  if (random.chance(0.3)) options.tail_chunk_bytes = 400;
  if (random.chance(0.6)) options.snapshot_chunk_bytes = 64;
  if (random.chance(0.2)) options.unapplied_records_max = 8;
  if (random.chance(0.2)) options.session_window = 5;
  if (random.chance(0.1)) {
    options.sessions_max = 4;
    options.session_idle = seconds(2);
  }
}

/// A rate in a part of the seeds.
Rate maybe(Random& random, double chance, Duration mean) {
  return random.chance(chance) ? Rate{mean / 2 + random.between({}, mean)} : Rate{};
}
double maybe(Random& random, double chance, double low, double high) {
  return random.chance(chance) ? low + (high - low) * random.unit() : 0.0;
}

}  // namespace

Plan plan_of(std::uint64_t seed) {
  Random random(seed * 0x9e3779b97f4a7c15ULL + 1);
  Plan plan;
  plan.seed = seed;
  plan.options = base_options(random);
  choose_times(plan.options, random);
  choose_sizes(plan.options, random);
  plan.busy_time = random.between(seconds(2), seconds(6));
  plan.heal_limit = seconds(30);

  plan.requesters = 2 + static_cast<std::uint32_t>(random.below(3));
  plan.keys = 1 + static_cast<std::uint32_t>(random.below(4));
  plan.outstanding_max = 1 + static_cast<std::uint32_t>(random.below(5));
  plan.think = random.between(milliseconds(15), milliseconds(80));
  plan.queries = 0.1 + 0.5 * random.unit();
  plan.poison = maybe(random, 0.15, 0.005, 0.02);
  plan.big = maybe(random, 0.3, 0.05, 0.4);
  plan.gives_up = maybe(random, 0.5, 0.1, 0.6);
  plan.closes = maybe(random, 0.3, 0.01, 0.1);
  plan.sleeps = plan.options.session_idle < seconds(10) ? 0.01 : 0.0;
  plan.resends_old = maybe(random, 0.3, 0.02, 0.2);

  plan.delay = random.between(microseconds(50), milliseconds(4));
  plan.loss = maybe(random, 0.3, 0.001, 0.1);
  plan.duplicate = maybe(random, 0.3, 0.001, 0.1);
  plan.late = maybe(random, 0.3, 0.001, 0.02);
  plan.cut = maybe(random, 0.4, seconds(2));
  plan.isolate = maybe(random, 0.2, seconds(2));

  plan.kill = maybe(random, 0.6, milliseconds(1500));
  plan.kill_both = maybe(random, 0.25, seconds(2));
  plan.power_loss = maybe(random, 0.2, seconds(3));
  plan.pause = maybe(random, 0.35, seconds(2));
  plan.dies_in_snapshot = maybe(random, 0.3, 0.02, 0.2);
  plan.drift = 0.009;
  plan.wiped = maybe(random, 0.3, 0.05, 0.4);
  plan.old_disk = maybe(random, 0.4, 0.2, 0.9);
  plan.restart = random.between(milliseconds(20), milliseconds(900));
  plan.death_report = random.chance(0.7) ? 0.95 : maybe(random, 0.5, 0.1, 0.9);
  plan.death_report_late = maybe(random, 0.4, 0.1, 0.5);
  plan.death_report_twice = maybe(random, 0.4, 0.1, 0.5);
  plan.wall_jump = maybe(random, 0.2, seconds(1));

  plan.force = random.between(microseconds(100), milliseconds(5));
  plan.apply = random.between(milliseconds(1), milliseconds(60));
  plan.force_fails = maybe(random, 0.15, seconds(3));
  plan.force_hangs = maybe(random, 0.1, seconds(4));
  plan.slow_disk = maybe(random, 0.2, seconds(2));
  plan.slow_tables = maybe(random, 0.2, seconds(2));
  plan.bit_flip = maybe(random, 0.15, seconds(2));
  plan.pressure = maybe(random, 0.1, seconds(3));
  plan.trail_keeps = random.chance(0.4) ? 5 + random.below(40) : 0;

  plan.witness_delay = random.between(microseconds(200), milliseconds(20));
  plan.witness_loss = maybe(random, 0.3, 0.01, 0.3);
  plan.witness_late = maybe(random, 0.3, 0.05, 0.4);
  plan.witness_fault = maybe(random, 0.3, seconds(2));

  plan.order_switch = maybe(random, 0.3, seconds(2));
  plan.order_takeover = maybe(random, 0.15, seconds(3));
  plan.order_stop = maybe(random, 0.15, seconds(3));

  plan.execute = random.between(microseconds(20), milliseconds(3));
  plan.witness_back = maybe(random, 0.25, seconds(2));
  plan.reads_beside = maybe(random, 0.5, 0.1, 0.9);
  return plan;
}

Plan calm_plan() {
  Random random(7);
  Plan plan;
  plan.options = base_options(random);
  plan.requesters = 2;
  plan.heal_limit = seconds(30);
  plan.delay = milliseconds(1);
  plan.death_report = 1;
  plan.restart = milliseconds(100);
  plan.force = milliseconds(1);
  plan.apply = milliseconds(5);
  plan.witness_delay = milliseconds(1);
  plan.execute = microseconds(100);
  return plan;
}

}  // namespace pollux::testing
