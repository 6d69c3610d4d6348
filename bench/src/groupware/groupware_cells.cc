#include "groupware/groupware_cells.h"

namespace pollux {

namespace {

Figure rate_of(const ServerFigure& server) {
  Figure figure{.name = "answers", .unit = Unit::per_second_milli, .better = Better::more, .times = {}, .runs = {}, .runs_p99 = {}};
  for (const auto part : server.parts_milli) figure.runs.push_back(static_cast<std::int64_t>(part));
  if (figure.runs.empty()) figure.runs.push_back(static_cast<std::int64_t>(server.per_second_milli));
  return figure;
}

Figure one(std::string name, Unit unit, std::int64_t value) {
  return {.name = std::move(name), .unit = unit, .better = Better::less, .times = {}, .runs = {value}, .runs_p99 = {}};
}

void take_figures(const ServerFigure& server, Cell& cell) {
  if (server.per_second_milli > 0) cell.figures.push_back(rate_of(server));
  if (server.latency.count() > 0) {
    Figure latency{.name = "answer", .unit = Unit::ns, .better = Better::less, .times = server.latency, .runs = {}, .runs_p99 = {}};
    latency.runs.push_back(server.latency.median_ns());
    cell.figures.push_back(std::move(latency));
  } else if (server.p50_ns) {
    cell.figures.push_back(one("p50 as the tool tells", Unit::ns, *server.p50_ns));
  }
  if (server.memory_bytes > 0) {
    cell.figures.push_back(one("memory", Unit::bytes, static_cast<std::int64_t>(server.memory_bytes)));
  }
}

}  // namespace

std::vector<Cell> cells_of(const GroupwareReport& report) {
  std::vector<Cell> cells;
  for (const auto& measured : report.cells) {
    for (const auto& server : measured.servers) {
      Cell cell;
      cell.bench = "groupware";
      cell.workload = {{"operation", measured.plan.name},
                       {"connections", std::to_string(measured.plan.connections)},
                       {"server", server.server},
                       {"events", std::to_string(report.events)}};
      cell.runs = 1;
      cell.failed = server.failed;
      cell.verdict = server.verdict;
      if (!server.reason.empty()) cell.reasons.push_back(server.reason);
      take_figures(server, cell);
      if (!server.note.empty()) cell.found.emplace_back("note", server.note);
      if (server.server == "pollux") {
        // What is wrong with our pair is wrong with all that it answered.
        cell.failed = cell.failed || !report.failed.empty();
        cell.reasons.insert(cell.reasons.end(), report.failed.begin(), report.failed.end());
      }
      cell.reasons.insert(cell.reasons.end(), report.invalid.begin(), report.invalid.end());
      if (cell.failed || (!report.invalid.empty() && cell.verdict != Verdict::not_available)) {
        cell.verdict = Verdict::invalid;
      }
      if (cell.verdict != Verdict::ok && cell.reasons.empty()) cell.reasons.push_back(measured.reason);
      cells.push_back(std::move(cell));
    }
  }
  return cells;
}

}  // namespace pollux
