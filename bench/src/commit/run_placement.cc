#include <sched.h>
#include <unistd.h>

#include <algorithm>

#include "commit/commit_runs.h"
#include "run/format.h"
#include "run/interrupt.h"
#include "started/ledger_pair.h"
#include "pollux/bench/disk_floor.h"

namespace pollux {

namespace {

constexpr std::chrono::seconds floor_time(2);
constexpr std::int64_t sample_every_ns = 1'000'000'000;
constexpr std::chrono::seconds settle_limit(60);
// The tables may be behind by what comes in while one large batch is applied, and no more.
constexpr std::int64_t keeps_up_within_ns = 2'000'000'000;

// Requesters inherit the CPUs of the thread that opens them.
class PinnedHere {
 public:
  explicit PinnedHere(const std::vector<int>& cpus) {
    sched_getaffinity(0, sizeof before_, &before_);
    if (cpus.empty()) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : cpus) CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
  }
  ~PinnedHere() { sched_setaffinity(0, sizeof before_, &before_); }
  PinnedHere(const PinnedHere&) = delete;
  PinnedHere& operator=(const PinnedHere&) = delete;

 private:
  cpu_set_t before_{};
};

std::string rate_text(std::uint64_t answered, std::int64_t since) {
  const auto ms = std::max<std::int64_t>(1, (monotonic_ns() - since) / 1'000'000);
  return count_text(answered) + " answered, " + count_text(answered * 1000 / static_cast<std::uint64_t>(ms)) +
         "/s";
}

CommitStep run_step(LedgerPair& pair, unsigned outstanding, std::chrono::nanoseconds duration,
                    std::function<void(std::uint64_t)> progress) {
  CommitStep step{.outstanding = outstanding, .load = {}};
  step.load = run_closed_load(pair.deposits(), {.outstanding = outstanding,
                                                .duration = duration,
                                                .stop = &InterruptGuard::flag(),
                                                .progress = std::move(progress)});
  return step;
}

void take_sample(std::vector<MemberAtLoad>& members, const std::vector<MemberAtLoad>& now) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    members[i].role = now[i].role;
    members[i].sessions = now[i].sessions;
    members[i].lag_at_end = now[i].lag_at_end;
    members[i].lag_largest = std::max(members[i].lag_largest, now[i].lag_at_end);
    members[i].memory_largest = std::max(members[i].memory_largest, now[i].memory_largest);
  }
}

SustainedRun run_sustained(LedgerPair& pair, const BenchCommitOptions& options, Progress& progress) {
  SustainedRun run;
  run.members = pair.members();
  const auto processor_before = processor_time_ns(::getpid());
  const auto outstanding = *std::ranges::max_element(options.outstanding);
  const auto started = monotonic_ns();
  std::int64_t sample_at = started;
  run.step = run_step(pair, outstanding, options.sustained, [&](std::uint64_t answered) {
    if (monotonic_ns() < sample_at) return;
    sample_at += sample_every_ns;
    take_sample(run.members, pair.members());
    progress.detail(rate_text(answered, started) + ", tables behind by " +
                    count_text(std::max(run.members[0].lag_at_end, run.members[1].lag_at_end)));
  });
  const auto ended = monotonic_ns();
  const bool settled = SpawnedPair::wait_until([&pair] { return pair.spawned().settled(); }, settle_limit,
                                               &InterruptGuard::flag());
  run.settle_ns = monotonic_ns() - ended;
  // Once all is applied, so that no request's work is left out.
  const auto answered = static_cast<std::int64_t>(std::max<std::uint64_t>(1, run.step.load.counts.answered));
  run.requester_processor_ns = (processor_time_ns(::getpid()) - processor_before) / answered;
  const auto members_after = pair.members();
  for (const std::size_t i : {0, 1}) {
    run.member_processor_ns[i] = (members_after[i].processor_ns - run.members[i].processor_ns) / answered;
  }
  // What is behind at the end must be small against what came in, and be made up for at once.
  const auto allowed =
      run.step.load.per_second() * static_cast<std::uint64_t>(keeps_up_within_ns / 1'000'000'000);
  run.keeps_up =
      settled && run.settle_ns <= keeps_up_within_ns &&
      std::ranges::all_of(run.members, [allowed](const auto& m) { return m.lag_at_end <= allowed; });
  return run;
}

}  // namespace

Result<PlacementRun> run_placement(const BenchCommitOptions& options, const Placement& placement,
                                   Progress& progress) {
  PlacementRun run{.name = placement.name, .placement = placement.words()};
  const PinnedHere pinned(placement.requester);
  const std::string prefix = placement.name == "free" ? "" : placement.name + ": ";
  const auto cpu_before = read_cpu_times();
  const DiskFloorOptions floor_options{
      .directory = options.directory, .duration = floor_time, .stop = &InterruptGuard::flag()};

  progress.phase(prefix + "measuring the floor: appends of 100 bytes, each flushed");
  auto floor = measure_disk_floor(floor_options);
  if (!floor) return std::unexpected(floor.error());
  run.floor_before = *floor;

  progress.phase(prefix + "starting a ledger pair and opening " + count_text(options.accounts) + " accounts");
  auto pair = LedgerPair::start({.command = options.command,
                                 .parent = options.directory,
                                 .accounts = options.accounts,
                                 .requesters = options.requesters,
                                 .cpus_a = placement.a,
                                 .cpus_b = placement.b,
                                 .environment = {},
                                 .node_settings = "",
                                 .pair_settings = lines(options.settings)});
  if (!pair) return std::unexpected(pair.error());

  for (const unsigned outstanding : options.outstanding) {
    if (InterruptGuard::interrupted()) return fail(Code::stopping, "interrupted");
    progress.phase(prefix + count_text(outstanding) + " outstanding, " +
                   std::to_string(options.step.count()) + " s");
    const auto started = monotonic_ns();
    run.steps.push_back(run_step(**pair, outstanding, options.step, [&](std::uint64_t answered) {
      progress.detail(rate_text(answered, started));
    }));
    if (auto booked = (*pair)->account_for(run.steps.back().load.counts); !booked) {
      return std::unexpected(booked.error());
    }
  }
  if (options.sustained.count() > 0 && !InterruptGuard::interrupted()) {
    progress.phase(prefix + "sustained for " + std::to_string(options.sustained.count()) + " s");
    run.sustained.push_back(run_sustained(**pair, options, progress));
    if (auto booked = (*pair)->account_for(run.sustained.back().step.load.counts); !booked) {
      return std::unexpected(booked.error());
    }
  }
  if (InterruptGuard::interrupted()) return fail(Code::stopping, "interrupted");
  progress.phase(prefix + "comparing the trails, adding up the accounts");
  run.check = (*pair)->check();
  run.members = (*pair)->members();
  pair->reset();

  progress.phase(prefix + "measuring the floor once more");
  floor = measure_disk_floor(floor_options);
  if (!floor) return std::unexpected(floor.error());
  run.floor_after = *floor;
  run.floor.merge(run.floor_before);
  run.floor.merge(run.floor_after);
  run.steal_ppm = steal_ppm(cpu_before, read_cpu_times());
  return run;
}

}  // namespace pollux
