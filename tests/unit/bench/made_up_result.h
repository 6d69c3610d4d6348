// Results that nobody measured.
#pragma once

#include <string>
#include <vector>

#include "run/result.h"

namespace pollux::testing {

inline Cell made_up_cell(std::string bench, Facts workload, Figure figure) {
  Cell cell;
  cell.bench = std::move(bench);
  cell.workload = std::move(workload);
  cell.runs = static_cast<unsigned>(figure.runs.size());
  cell.figures = {std::move(figure)};
  return cell;
}

inline Figure made_up_time(std::vector<std::int64_t> runs) {
  return {
      .name = "round trip", .unit = Unit::ns, .better = Better::less, .times = {}, .runs = std::move(runs)};
}

inline Figure made_up_rate(std::vector<std::int64_t> runs) {
  return {.name = "throughput",
          .unit = Unit::bytes_per_second,
          .better = Better::more,
          .times = {},
          .runs = std::move(runs)};
}

inline BenchResult made_up_result(std::vector<Cell> cells, std::string vm = "none") {
  BenchResult result;
  result.version = "1.2.3";
  result.started = "2026-12-01T09:30:00Z";
  result.arguments = {"ipc"};
  result.host.facts = {
      {.name = "vm", .value = std::move(vm), .evidence = "made up", .kind = FactKind::matters}};
  result.cells = std::move(cells);
  return result;
}

}  // namespace pollux::testing
