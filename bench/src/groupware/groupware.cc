#include "pollux/bench/groupware.h"

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "commit/commit_runs.h"
#include "groupware/groupware_runs.h"
#include "groupware/other_servers.h"
#include "pollux/bench/disk_floor.h"
#include "run/benchmark.h"
#include "run/format.h"
#include "run/interrupt.h"

namespace pollux {

namespace {

/// The other servers that were started, and one line of summary for each that there is.
struct Others {
  std::vector<std::unique_ptr<RunningServer>> running;
  std::vector<ServerSummary> summaries;
};

Others start_others(const BenchGroupwareOptions& options, const std::filesystem::path& home,
                    Progress& progress) {
  Others others;
  for (const auto& other : other_servers()) {
    ServerSummary summary{.name = std::string(other.name), .version = "", .how = "", .not_available = ""};
    summary.wanted =
        !options.against || std::ranges::find(*options.against, other.name) != options.against->end();
    const auto program = find_program(other.program);
    if (!summary.wanted) {
      summary.not_available = "not asked for (--against)";
    } else if (program.empty()) {
      summary.not_available = "not installed (apt-get install " + std::string(other.package) + ")";
    } else if (!InterruptGuard::interrupted()) {
      progress.phase("starting " + summary.name + " with the same items");
      auto running = other.start({.program = program, .parent = home, .events = options.events});
      if (running) {
        summary.version = (*running)->server.version;
        summary.how = (*running)->server.how;
        others.running.push_back(std::move(*running));
      } else {
        summary.not_available = running.error().text;
      }
    }
    others.summaries.push_back(std::move(summary));
  }
  return others;
}

/// Everything that was started, and the directory it is all in; ended and removed in the reverse order.
struct Stage {
  std::unique_ptr<TemporaryDirectory> home;
  std::unique_ptr<GroupwarePair> pair;
  Others others;
};

std::vector<Lane> lanes_of(const GroupwarePair& pair, const Others& others) {
  std::vector<Lane> lanes = {{.name = pair.server().name, .not_available = "", .server = &pair.server()}};
  for (const auto& summary : others.summaries) {
    if (!summary.wanted) continue;
    Lane lane{.name = summary.name, .not_available = summary.not_available};
    lane.dav = std::ranges::find(other_servers(), summary.name, &OtherServer::name)->dav;
    for (const auto& running : others.running) {
      if (running->server.name == summary.name) {
        lane.server = &running->server;
        lane.running = running.get();
      }
    }
    lanes.push_back(std::move(lane));
  }
  return lanes;
}

std::vector<ServerFigure> run_cell(GroupwareRun& run, const CellPlan& plan) {
  switch (plan.kind) {
    case CellKind::sync:
      return run_sync_cell(run, plan);
    case CellKind::idle:
      return run_idle_cell(run, plan);
    case CellKind::wrk:
    case CellKind::ab:
      return run_outside_cell(run, plan);
    default:
      return run_load_cell(run, plan);
  }
}

GroupwareCell measure_cell(GroupwareRun& run, const CellPlan& plan) {
  GroupwareCell cell{.plan = plan};
  const auto before = read_host_counters();
  cell.servers = run_cell(run, plan);
  cell.counters = difference(before, read_host_counters());
  cell.steal_ppm = cell.counters.steal_ppm();
  cell.foreign_ppm = cell.counters.foreign_ppm();
  return cell;
}

Result<void> set_up(const BenchCommon& common, const BenchGroupwareOptions& options, Progress& progress,
                    Stage& stage, GroupwareReport& report) {
  auto home = TemporaryDirectory::make(common.directory, "pollux-bench-");
  if (!home) return std::unexpected(home.error());
  stage.home = std::move(*home);
  report.directory = stage.home->path().parent_path().string();
  const auto file_system = file_system_of(stage.home->path());
  if (!file_system) return std::unexpected(file_system.error());
  report.file_system = file_system->name;
  if (file_system->volatile_memory) {
    report.invalid.push_back(
        report.directory + " is on " + file_system->name +
        ", where a flush makes nothing durable; name a directory on a disk with --directory");
  }
  auto pair = GroupwarePair::start({.command = common.command,
                                    .parent = stage.home->path(),
                                    .events = options.events,
                                    .pair_settings = lines(options.settings),
                                    .gateway_settings = lines(options.gateway_settings)},
                                   progress);
  if (!pair) return std::unexpected(pair.error());
  stage.pair = std::move(*pair);
  stage.others = start_others(options, stage.home->path(), progress);
  const auto& server = stage.pair->server();
  report.servers.push_back({.name = server.name, .version = "", .how = server.how, .not_available = ""});
  report.servers.insert(report.servers.end(), stage.others.summaries.begin(), stage.others.summaries.end());
  return {};
}

Result<void> check_at_end(GroupwareRun& run, GroupwareReport& report) {
  run.progress.phase("looking for everything that was acknowledged, comparing the trails");
  const auto found = count_stored(run.lanes.front());
  if (!found) return std::unexpected(found.error());
  report.stored = run.lanes.front().stored;
  report.found = *found;
  report.check = run.pair.check();
  return {};
}

Result<GroupwareReport> measure(const BenchCommon& common, const BenchGroupwareOptions& options,
                                Progress& progress, Stage& stage) {
  GroupwareReport report{.host = profile_host()};
  report.events = options.events;
  report.quick = common.quick;
  report.cell_ns = std::chrono::nanoseconds(options.cell).count();
  if (auto done = set_up(common, options, progress, stage, report); !done)
    return std::unexpected(done.error());
  GroupwareRun run{.options = options,
                   .pair = *stage.pair,
                   .lanes = lanes_of(*stage.pair, stage.others),
                   .progress = progress};
  const auto plans = plan_cells(options);
  for (std::size_t i = 0; i < plans.size() && !InterruptGuard::interrupted(); ++i) {
    progress.phase("cell " + std::to_string(i + 1) + " of " + std::to_string(plans.size()) + ": " +
                   plans[i].name + ", connections: " + count_text(plans[i].connections));
    auto cell = measure_cell(run, plans[i]);
    if (!InterruptGuard::interrupted()) report.cells.push_back(std::move(cell));
  }
  if (InterruptGuard::interrupted()) {
    if (report.cells.empty()) return fail(Code::stopping, "interrupted");
    report.complete = false;
    report.invalid.push_back("interrupted after " + std::to_string(report.cells.size()) + " of " +
                             std::to_string(plans.size()) + " cells, and nothing was checked at the end");
  } else if (auto checked = check_at_end(run, report); !checked) {
    return std::unexpected(checked.error());
  }
  judge(report);
  return report;
}

}  // namespace

Result<GroupwareReport> measure_groupware(const BenchCommon& common, const BenchGroupwareOptions& options,
                                          Progress& progress) {
  Stage stage;
  auto report = measure(common, options, progress, stage);
  if (report) progress.phase("ending the servers, removing their files");
  stage.others = {};
  stage.pair.reset();
  stage.home.reset();
  return report;
}

Result<std::vector<Cell>> groupware_cells(const BenchCommon& common, const BenchGroupwareOptions& options,
                                          Progress& progress) {
  const auto report = measure_groupware(common, options, progress);
  if (!report) return std::unexpected(report.error());
  return cells_of(*report);
}

int bench_groupware(const BenchCommon& common, const BenchGroupwareOptions& options) {
  return run_report(common, "groupware", [&](Progress& progress) -> Result<ReportFound> {
    auto report = measure_groupware(common, options, progress);
    if (!report) return std::unexpected(report.error());
    auto cells = cells_of(*report);
    return ReportFound{std::move(cells),
                       [report = std::move(*report)](std::ostream& out) { print_table(report, out); }};
  });
}

void make_quick(BenchGroupwareOptions& options) {
  constexpr std::uint64_t events = 1000;
  constexpr unsigned connections = 10;
  constexpr std::chrono::milliseconds cell(500);
  options.events = events;
  options.connections = {connections};
  options.cell = cell;
}

}  // namespace pollux
