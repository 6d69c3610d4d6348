// What `bench commit` found, as cells.
#include "commit/commit_cells.h"

#include <algorithm>

#include "run/format.h"

namespace pollux {

namespace {

// A sentence of the report is about the placement or part that it begins with.
void take_reasons(const CommitReport& report, const std::string& where, Cell& cell) {
  const auto about = [&where](const std::string& reason) { return reason.starts_with(where); };
  for (const auto& reason : report.failed) {
    if (!about(reason)) continue;
    cell.reasons.push_back(reason);
    cell.failed = true;
  }
  cell.reasons.insert(cell.reasons.end(), report.invalid.begin(), report.invalid.end());
  const bool bad = cell.failed || !report.invalid.empty();
  std::ranges::copy_if(report.noisy, std::back_inserter(cell.reasons), about);
  cell.verdict = bad ? Verdict::invalid : cell.reasons.empty() ? Verdict::ok : Verdict::noisy;
}

Figure scalar(std::string name, Unit unit, Better better, std::int64_t value) {
  return {.name = std::move(name), .unit = unit, .better = better, .times = {}, .runs = {value}, .runs_p99 = {}};
}

Figure distribution(std::string name, const Histogram& times) {
  Figure figure{.name = std::move(name), .unit = Unit::ns, .better = Better::less, .times = times, .runs = {}, .runs_p99 = {}};
  if (times.count() > 0) figure.runs.push_back(times.median_ns());
  if (const auto late = times.percentile_ns(p99)) figure.runs_p99.push_back(*late);
  return figure;
}

Cell cell_of(Facts workload) {
  Cell cell;
  cell.bench = "commit";
  cell.workload = std::move(workload);
  cell.runs = 1;
  return cell;
}

}  // namespace

std::vector<Figure> figures_of(const CommitStep& step) {
  std::vector<Figure> figures = {distribution("commit", step.load.latency)};
  figures.push_back(scalar("commits", Unit::per_second_milli, Better::more,
                           static_cast<std::int64_t>(step.load.per_second() * 1000)));
  if (!step.rounds_rate_milli.empty()) {
    figures[0].runs = step.rounds_p50_ns;
    figures[0].runs_p99 = step.rounds_p99_ns;
    figures[1].runs = step.rounds_rate_milli;
  }
  const auto& stages = step.stages;
  if (stages.requests == 0) return figures;
  const auto part = [&figures](const char* name, std::int64_t ns) { figures.push_back(scalar(name, Unit::ns, Better::less, ns)); };
  part("mean", stages.total_ns);
  part("message", stages.message_ns);
  part("execution", stages.execute_ns);
  part("force", stages.force_ns);
  part("checkpoint", stages.checkpoint_ns);
  part("longer of both", stages.both_ns);
  part("reply", stages.reply_ns);
  part("residual", stages.residual_ns());
  return figures;
}

std::vector<Cell> cells_of(const CommitReport& report) {
  std::vector<Cell> cells;
  for (const auto& run : report.placements) {
    const std::string where = run.name == "free" ? "pair" : run.name;
    const auto workload = [&](const std::string& part) {
      return Facts{{"part", part}, {"place", run.name}, {"accounts", std::to_string(report.accounts)},
                   {"requesters", std::to_string(report.requesters)}};
    };
    auto floor = cell_of(workload("floor"));
    floor.figures.push_back(distribution("append and flush", run.floor));
    take_reasons(report, where, floor);
    cells.push_back(std::move(floor));
    const auto add = [&](const CommitStep& step, const std::string& part) {
      auto cell = cell_of(workload(part));
      cell.figures = figures_of(step);
      cell.runs = std::max<unsigned>(1, static_cast<unsigned>(step.rounds_rate_milli.size()));
      cell.found.emplace_back("placement", run.placement);
      cell.found.emplace_back("trails", run.check.trails_equal ? "equal" : "not equal");
      cell.found.emplace_back("sum", run.check.sum_right ? "right" : "not right");
      take_reasons(report, where, cell);
      cells.push_back(std::move(cell));
    };
    for (const auto& step : run.steps) add(step, std::to_string(step.outstanding) + " outstanding");
    for (const auto& sustained : run.sustained) add(sustained.step, "sustained " + std::to_string(sustained.step.outstanding));
  }
  for (const auto& run : report.stalls) {
    auto cell = cell_of({{"part", "stall"}, {"kills", std::to_string(run.kills)}, {"rate", std::to_string(run.per_second)},
                         {"resident_bytes", std::to_string(run.resident_bytes)}});
    cell.figures = {distribution("longest wait after a kill", run.stall), distribution("takeover", run.takeover),
                    distribution("undisturbed", run.undisturbed), distribution("in sync after", run.in_sync_after)};
    cell.found = {{"trails", run.check.trails_equal ? "equal" : "not equal"},
                  {"sum", run.check.sum_right ? "right" : "not right"},
                  {"failed requests", std::to_string(run.counts.failed + run.counts.refused)}};
    take_reasons(report, "stall", cell);
    cells.push_back(std::move(cell));
  }
  return cells;
}

}  // namespace pollux
