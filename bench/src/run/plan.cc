#include "run/plan.h"

#include <algorithm>

#include "run/format.h"
#include "run/interrupt.h"
#include "run/wide.h"

namespace pollux {

FigureRun times_figure(std::string name, Histogram times) {
  return {.name = std::move(name), .unit = Unit::ns, .better = Better::less, .measured = std::move(times)};
}

namespace {
// things * scale a second, without overflow.
std::int64_t per_second(std::uint64_t things, std::uint64_t scale, std::chrono::nanoseconds in) {
  constexpr Wide second_ns = 1'000'000'000;
  const auto ns = static_cast<Wide>(std::max<std::int64_t>(1, in.count()));
  return static_cast<std::int64_t>(static_cast<Wide>(things) * scale * second_ns / ns);
}
}  // namespace

FigureRun rate_figure(std::string name, std::uint64_t things, std::chrono::nanoseconds in) {
  return {.name = std::move(name),
          .unit = Unit::per_second_milli,
          .better = Better::more,
          .measured = per_second(things, 1000, in)};
}

FigureRun bytes_rate_figure(std::string name, std::uint64_t bytes, std::chrono::nanoseconds in) {
  return {.name = std::move(name),
          .unit = Unit::bytes_per_second,
          .better = Better::more,
          .measured = per_second(bytes, 1, in)};
}

FigureRun number_figure(std::string name, Unit unit, Better better, std::int64_t value) {
  return {.name = std::move(name), .unit = unit, .better = better, .measured = value};
}

namespace {

// A cell on its way through the rounds.
struct Measuring {
  const PlannedCell* plan = nullptr;
  Cell cell;
  CellRun said;  // reasons of all runs, each once; no figures
  bool ended = false;
};

void note(std::vector<std::string>& reasons, const std::vector<std::string>& more) {
  for (const auto& reason : more) {
    if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
  }
}

void take_figure(Cell& cell, FigureRun& run) {
  auto found = std::ranges::find(cell.figures, run.name, &Figure::name);
  if (found == cell.figures.end()) {
    cell.figures.push_back(
        {.name = run.name, .unit = run.unit, .better = run.better, .times = {}, .runs = {}, .runs_p99 = {}});
    found = cell.figures.end() - 1;
  }
  if (const auto* value = std::get_if<std::int64_t>(&run.measured)) {
    found->runs.push_back(*value);
    return;
  }
  const auto& times = std::get<Histogram>(run.measured);
  if (times.count() == 0) return;
  found->times.merge(times);
  found->runs.push_back(times.median_ns());
  if (const auto late = times.percentile_ns(p99)) found->runs_p99.push_back(*late);
}

void take_run(Measuring& measuring, Result<CellRun> run, const HostCounters& counters) {
  auto& cell = measuring.cell;
  cell.counters.add(run ? run->counters.value_or(counters) : counters);
  if (!run) {
    measuring.said.invalid.push_back(run.error().text);
    measuring.ended = true;
    return;
  }
  ++cell.runs;
  for (auto& figure : run->figures) take_figure(cell, figure);
  for (auto& [name, value] : run->found) {
    const auto known = std::ranges::find(cell.found, name, &std::pair<std::string, std::string>::first);
    if (known == cell.found.end()) {
      cell.found.emplace_back(std::move(name), std::move(value));
    } else {
      known->second = std::move(value);
    }
  }
  note(measuring.said.noisy, run->noisy);
  note(measuring.said.invalid, run->invalid);
  note(measuring.said.wrong, run->wrong);
}

class Estimate {
 public:
  Estimate(const std::vector<CellGroup>& groups, const RunOptions& options) {
    for (const auto& group : groups) {
      for (const auto& cell : group.cells) {
        if (cell.not_available.empty()) all_ += cell.takes * (group.runs == 0 ? options.runs : group.runs);
      }
      all_ += group.open_takes;
    }
  }
  void done(std::chrono::milliseconds part) { done_ += part; }
  // From the plan's own times, corrected by how long the part behind us really took.
  [[nodiscard]] std::string words() const {
    const auto spent = std::chrono::milliseconds((monotonic_ns() - begin_) / 1'000'000);
    auto left = all_ - done_;
    if (done_ > std::chrono::seconds(2)) left = left * spent.count() / done_.count();
    const auto seconds = std::max<std::int64_t>(0, left.count() / 1000);
    return "about " + (seconds < 120 ? std::to_string(seconds) + " s" : std::to_string(seconds / 60) + " min") +
           " left";
  }

 private:
  std::chrono::milliseconds all_{0}, done_{0};
  std::int64_t begin_ = monotonic_ns();
};

bool any_left(const std::vector<Measuring>& cells) {
  return std::ranges::any_of(cells, [](const Measuring& one) { return !one.ended; });
}

void measure_rounds(const CellGroup& group, unsigned runs, std::vector<Measuring>& cells, Estimate& estimate,
                    Progress& progress) {
  for (unsigned round = 1; round <= runs; ++round) {
    for (auto& measuring : cells) {
      if (measuring.ended) continue;
      if (InterruptGuard::interrupted()) return;
      progress.phase(group.name + ", run " + std::to_string(round) + " of " + std::to_string(runs) + ": " +
                     measuring.cell.name() + " (" + estimate.words() + ")");
      const auto before = read_host_counters();
      auto run = measuring.plan->run();
      take_run(measuring, std::move(run), difference(before, read_host_counters()));
      estimate.done(measuring.plan->takes);
    }
  }
}

void measure_group(const CellGroup& group, const RunOptions& options, std::vector<Measuring>& cells,
                   Estimate& estimate, Progress& progress) {
  if (!any_left(cells) || InterruptGuard::interrupted()) return;
  if (group.open) {
    progress.phase(group.name + ": getting ready (" + estimate.words() + ")");
    if (auto opened = group.open(); !opened) {
      for (auto& measuring : cells) measuring.said.invalid.push_back(opened.error().text);
      return;
    }
    estimate.done(group.open_takes);
  }
  measure_rounds(group, group.runs == 0 ? options.runs : group.runs, cells, estimate, progress);
  if (!group.close) return;
  const auto wrong = group.close();
  for (auto& measuring : cells) note(measuring.said.wrong, wrong);
}

}  // namespace

std::vector<Cell> run_plan(const std::vector<CellGroup>& groups, const RunOptions& options, Progress& progress) {
  std::vector<Cell> cells;
  Estimate estimate(groups, options);
  for (const auto& group : groups) {
    std::vector<Measuring> measured;
    for (const auto& plan : group.cells) {
      Measuring measuring{.plan = &plan,
                          .cell = {.bench = plan.bench, .workload = plan.workload},
                          .said = {},
                          .ended = !plan.not_available.empty()};
      measured.push_back(std::move(measuring));
    }
    measure_group(group, options, measured, estimate, progress);
    for (auto& measuring : measured) {
      auto& cell = measuring.cell;
      if (!measuring.plan->not_available.empty()) {
        cell.verdict = Verdict::not_available;
        cell.reasons = {measuring.plan->not_available};
      } else if (cell.runs == 0 && measuring.said.invalid.empty() && measuring.said.wrong.empty()) {
        cell.verdict = Verdict::not_available;
        cell.reasons = {"interrupted before it was measured"};
      } else {
        auto judged = options;
        if (measuring.plan->unsteady) judged.spread_disturbs = false;
        judge(cell, measuring.said, judged);
      }
      cells.push_back(std::move(cell));
    }
  }
  return cells;
}

}  // namespace pollux
