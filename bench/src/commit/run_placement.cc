#include <sched.h>
#include <unistd.h>

#include <algorithm>

#include "commit/commit_runs.h"
#include "host/pinned.h"
#include "ipc/ipc_plan.h"
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

std::string rate_text(std::uint64_t answered, std::int64_t since) {
  const auto ms = std::max<std::int64_t>(1, (monotonic_ns() - since) / 1'000'000);
  return count_text(answered) + " answered, " + count_text(answered * 1000 / static_cast<std::uint64_t>(ms)) +
         "/s";
}

// Of both members: one of them is primary.
MemberStages stages_of(LedgerPair& pair) {
  MemberStages sum;
  for (const std::size_t member : {0, 1}) {
    const auto status = pair.spawned().status(member);
    if (!status) continue;
    sum.requests += status->stages.requests;
    sum.execute_ns += status->stages.execute_ns;
    sum.force_ns += status->stages.force_ns;
    sum.checkpoint_ns += status->stages.checkpoint_ns;
    sum.both_ns += status->stages.both_ns;
    sum.reply_ns += status->stages.reply_ns;
  }
  return sum;
}

CommitStages means(const MemberStages& before, const MemberStages& after, const Histogram& latency) {
  CommitStages stages{.requests = after.requests - before.requests};
  if (stages.requests == 0) return stages;
  const auto mean = [n = static_cast<std::int64_t>(stages.requests)](std::int64_t from, std::int64_t to) { return (to - from) / n; };
  stages.total_ns = latency.mean_ns();
  stages.execute_ns = mean(before.execute_ns, after.execute_ns);
  stages.force_ns = mean(before.force_ns, after.force_ns);
  stages.checkpoint_ns = mean(before.checkpoint_ns, after.checkpoint_ns);
  stages.both_ns = mean(before.both_ns, after.both_ns);
  stages.reply_ns = mean(before.reply_ns, after.reply_ns);
  return stages;
}

// What a message and its answer take over a socket of the kind that the pair listens on.
std::int64_t message_mean_ns(const BenchCommon& common, const Placement& placement) {
  const BenchIpcOptions ipc{.messages = 2000, .limit = std::chrono::seconds(1)};
  IpcBench bench(common, ipc, common.directory);
  CpuPlace place{.name = placement.name, .client = {}, .server = {}, .why_not = {}};
  if (!placement.requester.empty()) place.client = placement.requester.front();
  if (!placement.a.empty()) place.server = placement.a.front();
  const auto run = run_echo(bench, "zmq-ipc", LedgerPair::request_bytes, place);
  if (!run || run->figures.empty()) return 0;
  const auto* times = std::get_if<Histogram>(&run->figures.front().measured);
  return times == nullptr ? 0 : times->mean_ns();
}

CommitStep run_step(LedgerPair& pair, unsigned outstanding, std::chrono::nanoseconds duration,
                    std::function<void(std::uint64_t)> progress) {
  CommitStep step{.outstanding = outstanding, .load = {}, .stages = {}};
  const auto before = stages_of(pair);
  step.load = run_closed_load(pair.deposits(), {.outstanding = outstanding,
                                                .duration = duration,
                                                .stop = &InterruptGuard::flag(),
                                                .progress = std::move(progress)});
  if (outstanding == 1) step.stages = means(before, stages_of(pair), step.load.latency);
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

void add_round(CommitStep& step, CommitStep round) {
  const auto& latency = round.load.latency;
  if (latency.count() > 0) step.rounds_p50_ns.push_back(latency.median_ns());
  if (const auto late = latency.percentile_ns(p99)) step.rounds_p99_ns.push_back(*late);
  step.rounds_rate_milli.push_back(static_cast<std::int64_t>(round.load.per_second() * 1000));
  step.load.merge(round.load);
  if (round.stages.requests > 0) step.stages = round.stages;
}

// Every number of outstanding requests in turn, and so on round after round: a slow change of the host hits all.
Result<void> run_rounds(const BenchCommon& common, const BenchCommitOptions& options, LedgerPair& pair,
                        const std::string& prefix, std::vector<CommitStep>& steps, Progress& progress) {
  for (const unsigned outstanding : options.outstanding) steps.push_back({.outstanding = outstanding, .load = {}, .stages = {}});
  const auto duration = std::max(options.step / common.runs, std::chrono::milliseconds(100));
  for (unsigned round = 1; round <= common.runs; ++round) {
    for (auto& step : steps) {
      if (InterruptGuard::interrupted()) return fail(Code::stopping, "interrupted");
      progress.phase(prefix + count_text(step.outstanding) + " outstanding, " + std::to_string(duration.count()) +
                     " ms, run " + std::to_string(round) + " of " + std::to_string(common.runs));
      const auto started = monotonic_ns();
      auto measured = run_step(pair, step.outstanding, duration, [&](std::uint64_t answered) {
        progress.detail(rate_text(answered, started));
      });
      if (auto booked = pair.account_for(measured.load.counts); !booked) return std::unexpected(booked.error());
      add_round(step, std::move(measured));
    }
  }
  return {};
}

}  // namespace

Result<PlacementRun> run_placement(const BenchCommon& common, const BenchCommitOptions& options,
                                   const Placement& placement, Progress& progress) {
  PlacementRun run{.name = placement.name, .placement = placement.words()};
  const PinnedHere pinned(placement.requester);
  const std::string prefix = placement.name == "free" ? "" : placement.name + ": ";
  const auto cpu_before = read_cpu_times();
  const DiskFloorOptions floor_options{
      .directory = common.directory, .duration = floor_time, .stop = &InterruptGuard::flag()};

  progress.phase(prefix + "measuring the floor: appends of 100 bytes, each flushed");
  auto floor = measure_disk_floor(floor_options);
  if (!floor) return std::unexpected(floor.error());
  run.floor_before = *floor;

  const auto message_ns = message_mean_ns(common, placement);
  progress.phase(prefix + "starting a ledger pair and opening " + count_text(options.accounts) + " accounts");
  auto pair = LedgerPair::start({.command = common.command,
                                 .parent = common.directory,
                                 .accounts = options.accounts,
                                 .requesters = options.requesters,
                                 .cpus_a = placement.a,
                                 .cpus_b = placement.b,
                                 .environment = {},
                                 .node_settings = "",
                                 .pair_settings = lines(options.settings)});
  if (!pair) return std::unexpected(pair.error());

  if (auto measured = run_rounds(common, options, **pair, prefix, run.steps, progress); !measured) {
    return std::unexpected(measured.error());
  }
  for (auto& step : run.steps) {
    if (step.stages.requests > 0) step.stages.message_ns = message_ns;
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
