#include <random>
#include <thread>

#include "commit/commit_runs.h"
#include "run/format.h"
#include "run/interrupt.h"
#include "started/ledger_pair.h"

namespace pollux {

namespace {

constexpr std::chrono::seconds in_sync_limit(120);
constexpr std::int64_t ms_ns = 1'000'000;
constexpr std::int64_t calm_ns = 1'000 * ms_ns;  // the time before a kill that is looked at, too
constexpr std::int64_t takeover_ns =
    10 * ms_ns;  // requests due so soon after a kill meet the takeover itself
// A member that is killed every second is to be back at once, however often that happens.
constexpr auto quick_restarts = "restart_min_ms = 20\nrestart_max_ms = 100\nhealthy_after_ms = 200\n";

// Undisturbed load before a kill, of a length that goes with nothing.
void wait_a_random_while(std::mt19937_64& random) {
  const auto until = monotonic_ns() + calm_ns + static_cast<std::int64_t>(random() % 200) * ms_ns;
  while (monotonic_ns() < until && !InterruptGuard::interrupted()) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(20 * ms_ns, until - monotonic_ns())));
  }
}

// Kills the primary once, waits until both are in sync again, and enters what the callers saw.
Result<void> kill_once(SpawnedPair& pair, const OpenLoad& load, std::mt19937_64& random, StallRun& run) {
  wait_a_random_while(random);
  if (InterruptGuard::interrupted()) return fail(Code::stopping, "interrupted");
  const auto primary = pair.primary();
  if (!primary) return std::unexpected(primary.error());
  const auto victim = pair.status(*primary);
  if (!victim) return std::unexpected(victim.error());
  const auto killed = monotonic_ns();
  if (kill(victim->pid, SIGKILL) != 0) return fail(Code::io_error, "can't kill the primary");
  const auto back = [&] {
    const auto again = pair.status(*primary);
    return again && again->run != victim->run && pair.in_sync();
  };
  if (!SpawnedPair::wait_until(back, in_sync_limit, &InterruptGuard::flag())) {
    if (InterruptGuard::interrupted()) return fail(Code::stopping, "interrupted");
    return fail(Code::unreachable, "a killed member did not come back in sync: " + pair.describe());
  }
  const auto in_sync = monotonic_ns();
  ++run.kills;
  run.stall.record_ns(load.longest_wait_ns(killed, in_sync));
  run.takeover.record_ns(load.longest_wait_ns(killed, killed + takeover_ns));
  run.undisturbed.record_ns(load.longest_wait_ns(killed - calm_ns, killed - 1));
  run.in_sync_after.record_ns(in_sync - killed);
  return {};
}

}  // namespace

Result<StallRun> run_stalls(const BenchCommon& common, const BenchCommitOptions& options,
                            std::uint64_t resident_bytes, Progress& progress) {
  StallRun run{.resident_bytes = resident_bytes, .per_second = options.stall_rate};
  const std::string size = resident_bytes == 0 ? "" : " of " + bytes_text(resident_bytes) + " resident";
  progress.phase("stall: starting a pair" + size);
  std::vector<std::string> environment;
  if (resident_bytes != 0)
    environment.push_back("POLLUX_TEST_RESIDENT_BYTES=" + std::to_string(resident_bytes));
  auto pair = LedgerPair::start({.command = common.command,
                                 .parent = common.directory,
                                 .accounts = options.accounts,
                                 .requesters = 1,
                                 .cpus_a = {},
                                 .cpus_b = {},
                                 .environment = environment,
                                 .node_settings = quick_restarts,
                                 .pair_settings = lines(options.settings)});
  if (!pair) return std::unexpected(pair.error());
  run.members = (*pair)->members();
  progress.phase("stall: killing the primary" + size + " under " + count_text(options.stall_rate) +
                 " requests/s");
  std::mt19937_64 random(options.stalls);
  OpenLoad load((*pair)->deposits(), options.stall_rate);
  for (unsigned i = 0; i < options.stalls; ++i) {
    if (auto killed = kill_once((*pair)->spawned(), load, random, run); !killed)
      return std::unexpected(killed.error());
    progress.detail(count_text(run.kills) + " of " + count_text(options.stalls) + " kills, stall p50 " +
                    time_text(run.stall.percentile_ns(p50)) + ", longest " +
                    time_text(run.stall.largest_ns()));
  }
  if (!load.stop())
    return fail(Code::unreachable, "some requests were never answered: " + (*pair)->spawned().describe());
  run.counts = load.counts();
  run.latency = load.latency();
  run.latest_send_ns = load.latest_send_ns();
  if (auto booked = (*pair)->account_for(run.counts); !booked) return std::unexpected(booked.error());
  progress.phase("stall: comparing the trails, adding up the accounts");
  run.check = (*pair)->check();
  return run;
}

}  // namespace pollux
