#include <boost/json.hpp>

#include "compare/compare_print.h"
#include "run/json_parts.h"

namespace pollux {

namespace json = boost::json;

namespace {

json::value interval_json(const std::optional<RatioInterval>& interval) {
  if (!interval) return nullptr;
  return json::object{
      {"ppm", interval->ppm}, {"low_ppm", interval->low_ppm}, {"high_ppm", interval->high_ppm}};
}

json::array differences_json(const std::vector<HostDifference>& differences) {
  json::array list;
  for (const auto& one : differences)
    list.push_back(json::object{{"name", one.name}, {"a", one.a}, {"b", one.b}});
  return list;
}

json::object side_json(const Side& side) {
  return {{"files", json_of(side.files)},     {"version", side.result.version},
          {"started", side.result.started},   {"verdict", to_string(side.result.verdict())},
          {"complete", side.result.complete}, {"price_micro", side.result.price_micro}};
}

json::object figure_json(const FigureComparison& figure) {
  return {
      {"figure", figure.figure},
      {"unit", to_string(figure.unit)},
      {"better", to_string(figure.better)},
      {"a", or_null(figure.a)},
      {"b", or_null(figure.b)},
      {"runs_a", figure.runs_a},
      {"runs_b", figure.runs_b},
      {"ratio", interval_json(figure.ratio)},
      {"per_reference", interval_json(figure.per_reference)},
      {"per_money", interval_json(figure.per_money)},
      {"detectable_ppm", figure.ratio ? json::value(detectable_ppm(*figure.ratio)) : json::value(nullptr)},
      {"shown", to_string(figure.shown)},
      {"noisy", figure.noisy},
      {"text", figure.text}};
}

}  // namespace

json::object json_of(const Comparison& comparison) {
  json::array cells;
  for (const auto& cell : comparison.cells) {
    json::array figures;
    for (const auto& figure : cell.figures) figures.push_back(figure_json(figure));
    cells.push_back(json::object{{"name", cell.name},
                                 {"verdict_a", to_string(cell.a)},
                                 {"verdict_b", to_string(cell.b)},
                                 {"reasons", json_of(cell.reasons)},
                                 {"figures", std::move(figures)}});
  }
  return {
      {"pollux_compare", 1},
      {"a", side_json(comparison.a)},
      {"b", side_json(comparison.b)},
      {"different_keys", json_of(comparison.different_keys)},
      {"intended", differences_json(comparison.hosts.intended)},
      {"confounders", differences_json(comparison.hosts.confounders)},
      {"harmless", differences_json(comparison.hosts.harmless)},
      {"reference", comparison.reference.empty() ? json::value(nullptr) : json::value(comparison.reference)},
      {"reference_speed", interval_json(comparison.reference_speed)},
      {"cells", std::move(cells)},
      {"only_a", json_of(comparison.only_a)},
      {"only_b", json_of(comparison.only_b)},
      {"notes", json_of(comparison.notes)}};
}

}  // namespace pollux
