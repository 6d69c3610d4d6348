// What `bench groupware` found, as cells.
#include <algorithm>

#include "groupware/groupware_report.h"
#include "run/format.h"

namespace pollux {

namespace {

Figure number(std::string name, Unit unit, Better better, std::vector<std::int64_t> runs) {
  return {.name = std::move(name),
          .unit = unit,
          .better = better,
          .times = {},
          .runs = std::move(runs),
          .runs_p99 = {}};
}

std::int64_t as_signed(std::uint64_t value) { return static_cast<std::int64_t>(value); }

void add_latency(Cell& cell, const ServerFigure& server) {
  if (server.latency.count() > 0) {
    Figure latency{.name = "answer",
                   .unit = Unit::ns,
                   .better = Better::less,
                   .times = server.latency,
                   .runs = {server.latency.median_ns()},
                   .runs_p99 = {}};
    if (const auto late = server.latency.percentile_ns(p99)) latency.runs_p99.push_back(*late);
    cell.figures.push_back(std::move(latency));
    return;
  }
  // Tools that keep their own percentiles.
  if (server.p50_ns) cell.figures.push_back(number("answer p50", Unit::ns, Better::less, {*server.p50_ns}));
  if (server.p99_ns) cell.figures.push_back(number("answer p99", Unit::ns, Better::less, {*server.p99_ns}));
}

void add_figures(Cell& cell, const ServerFigure& server) {
  if (server.verdict == Verdict::not_available) return;
  if (server.per_second_milli > 0 || !server.parts_milli.empty()) {
    std::vector<std::int64_t> parts;
    std::ranges::transform(server.parts_milli, std::back_inserter(parts), as_signed);
    if (parts.empty()) parts.push_back(as_signed(server.per_second_milli));
    cell.runs = static_cast<unsigned>(parts.size());
    cell.figures.push_back(number("answers", Unit::per_second_milli, Better::more, std::move(parts)));
  }
  add_latency(cell, server);
  if (server.memory_bytes > 0) {
    cell.figures.push_back(number("memory", Unit::bytes, Better::less, {as_signed(server.memory_bytes)}));
  }
  cell.figures.push_back(number("answered", Unit::count, Better::neither, {as_signed(server.answered)}));
  cell.figures.push_back(number("failures", Unit::count, Better::less, {as_signed(server.failures)}));
}

// What is wrong with one server, and then what disturbed all of them.
void take_verdict(Cell& cell, const GroupwareCell& of, const ServerFigure& server, bool ours) {
  cell.verdict = server.verdict;
  if (!server.reason.empty()) cell.reasons.push_back(server.reason);
  if (!server.usable()) {
    // Another's wrong answer is no failure of what is measured here: only its own figure means nothing.
    cell.failed = ours && server.failed;
    return;
  }
  if (of.verdict <= cell.verdict || of.verdict == Verdict::not_available) return;
  cell.verdict = of.verdict;
  cell.reasons.push_back(of.reason);
}

Cell cell_of(const GroupwareReport& report, const GroupwareCell& of, const ServerFigure& server) {
  Cell cell;
  cell.bench = "groupware";
  cell.workload = {{"operation", of.plan.name},
                   {"connections", std::to_string(of.plan.connections)},
                   {"server", server.server}};
  if (of.plan.item_bytes > 0) cell.workload.emplace_back("item_bytes", std::to_string(of.plan.item_bytes));
  if (of.plan.kind == CellKind::query || of.plan.kind == CellKind::sync) {
    cell.workload.emplace_back("events", std::to_string(report.events));
  }
  const auto summary = std::ranges::find(report.servers, server.server, &ServerSummary::name);
  if (summary != report.servers.end()) {
    if (!summary->version.empty()) cell.found.emplace_back("version", summary->version);
    if (!summary->how.empty()) cell.found.emplace_back("set up", summary->how);
  }
  if (!server.note.empty()) cell.found.emplace_back("note", server.note);
  cell.runs = server.verdict == Verdict::not_available ? 0 : 1;
  cell.counters = of.counters;
  add_figures(cell, server);
  take_verdict(cell, of, server, server.server == "pollux");
  return cell;
}

Cell end_cell(const GroupwareReport& report) {
  Cell cell;
  cell.bench = "groupware";
  cell.workload = {{"operation", "check at the end"}, {"connections", "0"}, {"server", "pollux"}};
  if (!report.complete) {
    cell.verdict = Verdict::not_available;
    cell.reasons = {"interrupted before anything was checked"};
    return cell;
  }
  cell.runs = 1;
  cell.figures = {number("acknowledged", Unit::count, Better::neither, {as_signed(report.stored)}),
                  number("found again", Unit::count, Better::neither, {as_signed(report.found)})};
  cell.found = {{"trails", report.check.trails_equal ? "equal" : "not equal"},
                {"lsn", std::to_string(report.check.lsn)}};
  if (!report.check.trails_equal) {
    cell.reasons.push_back(report.check.wrong.empty() ? "the members' trails are not equal"
                                                      : report.check.wrong);
  }
  if (report.stored != report.found) {
    cell.reasons.push_back(count_text(report.stored) + " new items were acknowledged, and " +
                           count_text(report.found) + " found again");
  }
  cell.failed = !cell.reasons.empty();
  cell.reasons.insert(cell.reasons.end(), report.invalid.begin(), report.invalid.end());
  if (!cell.reasons.empty()) cell.verdict = Verdict::invalid;
  return cell;
}

}  // namespace

std::vector<Cell> cells_of(const GroupwareReport& report) {
  std::vector<Cell> cells;
  for (const auto& of : report.cells) {
    for (const auto& server : of.servers) cells.push_back(cell_of(report, of, server));
  }
  cells.push_back(end_cell(report));
  return cells;
}

}  // namespace pollux
