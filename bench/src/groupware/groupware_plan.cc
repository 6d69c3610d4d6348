#include <algorithm>

#include "groupware/groupware_items.h"
#include "groupware/groupware_runs.h"
#include "groupware/other_servers.h"

namespace pollux {

namespace {

constexpr std::uint64_t get_hundredths = 100, put_hundredths = 2000, report_hundredths = 5000;
constexpr std::uint64_t asked_events = 10'000;
constexpr std::int64_t sync_ns_max = 2'000'000;
constexpr std::uint64_t idle_bytes_max = 30'000'000;
constexpr unsigned idle_connections = 1000, wrk_connections = 64, ab_connections = 100;

const std::vector<std::string> file_servers = {"nginx"};
const std::vector<std::string> dav_servers = {"radicale", "xandikos"};

std::string size_text(std::uint32_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " B";
  return std::to_string(bytes / 1000) + (bytes % 1000 == 0 ? "" : "." + std::to_string(bytes % 1000 / 100)) +
         " KB";
}

Asked times(const std::vector<std::string>& of, std::uint64_t hundredths, std::uint64_t events = 0) {
  return {.of = of, .hundredths_min = hundredths, .events = events};
}

CellPlan idle_cell(const std::string& when) {
  return {.kind = CellKind::idle,
          .name = "gateway with idle connections, " + when,
          .connections = idle_connections,
          .asked = {.of = {}, .memory_bytes_max = idle_bytes_max}};
}

std::vector<CellPlan> all_cells(const BenchGroupwareOptions& options) {
  std::vector<CellPlan> cells = {idle_cell("fresh")};
  const auto each = [&](const CellPlan& plan) {
    for (const unsigned connections : options.connections) {
      cells.push_back(plan);
      cells.back().connections = connections;
    }
  };
  for (const auto bytes : item_sizes) {
    each({.kind = CellKind::get,
          .name = "GET " + size_text(bytes),
          .item_bytes = bytes,
          .asked = bytes == item_sizes[0] ? times(file_servers, get_hundredths) : Asked{}});
  }
  for (const auto& [kind, name] :
       {std::pair(CellKind::wrk, "GET 700 B by wrk -t2"), std::pair(CellKind::ab, "GET 700 B by ab -k")}) {
    cells.push_back({.kind = kind,
                     .name = name,
                     .connections = kind == CellKind::wrk ? wrk_connections : ab_connections,
                     .item_bytes = item_sizes[0],
                     .asked = times(file_servers, get_hundredths)});
  }
  each({.kind = CellKind::put_new, .name = "PUT of a new item", .asked = times(dav_servers, put_hundredths)});
  each({.kind = CellKind::put_changed,
        .name = "PUT of a changed item",
        .asked = times(dav_servers, put_hundredths)});
  each({.kind = CellKind::propfind, .name = "PROPFIND of 100 items", .asked = {}});
  each({.kind = CellKind::multiget, .name = "multiget of 20", .items = 20, .asked = {}});
  each({.kind = CellKind::multiget,
        .name = "multiget of 100",
        .items = 100,
        .asked = times(dav_servers, report_hundredths)});
  each({.kind = CellKind::query,
        .name = "calendar-query of a month",
        .asked = times(dav_servers, report_hundredths, asked_events)});
  cells.push_back({.kind = CellKind::sync,
                   .name = "sync-collection after one change",
                   .asked = {.of = {}, .p50_ns_max = sync_ns_max, .events = asked_events}});
  cells.push_back(idle_cell("after the load"));
  return cells;
}

}  // namespace

std::vector<CellPlan> plan_cells(const BenchGroupwareOptions& options) {
  auto cells = all_cells(options);
  std::erase_if(cells, [&options](const CellPlan& cell) {
    return !options.kinds.empty() &&
           std::ranges::find(options.kinds, word_of(cell.kind)) == options.kinds.end();
  });
  return cells;
}

bool takes_part(const CellPlan& plan, std::string_view name, bool dav) {
  switch (plan.kind) {
    case CellKind::get:
      return true;
    case CellKind::wrk:
    case CellKind::ab:
      return name == "pollux" || name == "nginx";
    case CellKind::idle:
      return name == "pollux";
    default:
      return dav;
  }
}

std::vector<std::string> groupware_cell_kinds() {
  std::vector<std::string> words;
  for (const auto kind : {CellKind::get, CellKind::put_new, CellKind::propfind, CellKind::multiget,
                          CellKind::query, CellKind::sync, CellKind::idle, CellKind::wrk, CellKind::ab}) {
    words.emplace_back(word_of(kind));
  }
  return words;
}

std::vector<std::string> groupware_other_servers() {
  std::vector<std::string> names;
  for (const auto& server : other_servers()) names.emplace_back(server.name);
  return names;
}

}  // namespace pollux
