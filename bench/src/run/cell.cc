#include "run/cell.h"

#include <algorithm>

#include "run/wide.h"

namespace pollux {

namespace {
constexpr std::pair<Unit, std::string_view> unit_words[] = {
    {Unit::ns, "ns"},       {Unit::per_second_milli, "1/1000 s"}, {Unit::bytes_per_second, "bytes/s"},
    {Unit::bytes, "bytes"}, {Unit::count, "count"},               {Unit::ppm, "ppm"}};
}  // namespace

std::string_view to_string(Unit unit) {
  return std::ranges::find(unit_words, unit, &std::pair<Unit, std::string_view>::first)->second;
}

std::optional<Unit> unit_named(std::string_view word) {
  for (const auto& [unit, name] : unit_words) {
    if (name == word) return unit;
  }
  return std::nullopt;
}

std::string_view to_string(Better better) {
  switch (better) {
    case Better::less:
      return "less";
    case Better::more:
      return "more";
    case Better::neither:
      return "neither";
  }
  return "?";
}

std::optional<Better> better_named(std::string_view word) {
  for (const Better better : {Better::less, Better::more, Better::neither}) {
    if (to_string(better) == word) return better;
  }
  return std::nullopt;
}

std::string_view fact(const Facts& facts, std::string_view name) {
  const auto found = std::ranges::find(facts, name, &std::pair<std::string, std::string>::first);
  return found == facts.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<std::int64_t> Figure::value() const {
  if (runs.empty()) return std::nullopt;
  auto sorted = runs;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
  std::ranges::nth_element(sorted, middle);
  return *middle;
}

std::uint64_t Figure::spread_ppm() const {
  const auto middle = value();
  if (runs.size() < 2 || !middle || *middle <= 0) return 0;
  const auto [low, high] = std::ranges::minmax(runs);
  constexpr std::uint64_t million = 1'000'000;
  return static_cast<std::uint64_t>(static_cast<Wide>(high - low) * million /
                                    static_cast<std::uint64_t>(*middle));
}

std::string Cell::name() const {
  std::string text = bench;
  for (const auto& [key, value] : workload) text += " " + key + "=" + value;
  return text;
}

const Figure* Cell::figure(std::string_view name) const {
  const auto at = std::ranges::find(figures, name, &Figure::name);
  return at == figures.end() ? nullptr : &*at;
}

}  // namespace pollux
