#include <boost/json.hpp>
#include <ostream>

#include "groupware/groupware_report.h"
#include "run/json_parts.h"

namespace pollux {

namespace json = boost::json;

namespace {

json::value text_or_null(std::string_view text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

json::object figure(const ServerFigure& figure) {
  json::array parts;
  for (const auto part : figure.parts_milli) parts.emplace_back(part);
  return {{"server", figure.server},
          {"verdict", to_string(figure.verdict)},
          {"reason", text_or_null(figure.reason)},
          {"note", text_or_null(figure.note)},
          {"per_second_milli", figure.per_second_milli},
          {"parts_per_second_milli", std::move(parts)},
          {"p50_ns", or_null(figure.p50_ns)},
          {"p99_ns", or_null(figure.p99_ns)},
          {"latency", json_of(figure.latency)},
          {"answered", figure.answered},
          {"failed", figure.failures},
          {"connects", figure.connects},
          {"rss_anon_bytes", figure.memory_bytes}};
}

json::value asked(const GroupwareCell& cell) {
  const auto& asked = cell.plan.asked;
  if (!asked.anything()) return nullptr;
  json::object object{{"outcome", to_string(cell.outcome)}, {"words", cell.asked_words}};
  if (asked.hundredths_min != 0) {
    object["of"] = json_of(asked.of);
    object["ratio_min"] = json_of_hundredths(asked.hundredths_min);
  }
  if (asked.p50_ns_max != 0) object["p50_ns_max"] = asked.p50_ns_max;
  if (asked.memory_bytes_max != 0) object["rss_anon_bytes_max"] = asked.memory_bytes_max;
  return object;
}

json::object cell_object(const GroupwareCell& cell) {
  json::array servers;
  for (const auto& one : cell.servers) servers.push_back(figure(one));
  json::object ratios;
  for (const auto& ratio : cell.ratios) ratios[ratio.to] = json_of_hundredths(ratio.hundredths);
  return {{"kind", word_of(cell.plan.kind)},      {"name", cell.plan.name},
          {"connections", cell.plan.connections}, {"verdict", to_string(cell.verdict)},
          {"reason", text_or_null(cell.reason)},  {"servers", std::move(servers)},
          {"ratios", std::move(ratios)},          {"asked", asked(cell)},
          {"steal_ppm", cell.steal_ppm},          {"foreign_ppm", cell.foreign_ppm}};
}

}  // namespace

void print_json(const GroupwareReport& report, std::ostream& out) {
  json::array servers, cells;
  for (const auto& server : report.servers) {
    servers.push_back(json::object{{"name", server.name},
                                   {"version", text_or_null(server.version)},
                                   {"how", text_or_null(server.how)},
                                   {"not_available", text_or_null(server.not_available)}});
  }
  for (const auto& cell : report.cells) cells.push_back(cell_object(cell));
  const json::object object{{"benchmark", "groupware"},
                            {"format", 1},
                            {"host", json_of(report.host)},
                            {"directory", report.directory},
                            {"file_system", report.file_system},
                            {"events", report.events},
                            {"quick", report.quick},
                            {"cell_ns", report.cell_ns},
                            {"servers", std::move(servers)},
                            {"cells", std::move(cells)},
                            {"check", json::object{{"trails_equal", report.check.trails_equal},
                                                   {"lsn", report.check.lsn},
                                                   {"new_items_acknowledged", report.stored},
                                                   {"new_items_found", report.found}}},
                            {"verdict", report.verdict()},
                            {"failed", json_of(report.failed)},
                            {"invalid", json_of(report.invalid)},
                            {"noisy", json_of(report.noisy)}};
  out << json::serialize(object) << "\n";
}

}  // namespace pollux
