#include "run/threshold.h"

#include <algorithm>
#include <charconv>

#include "run/format.h"
#include "run/wide.h"

namespace pollux {

namespace {

struct UnitWord {
  std::string_view word;
  Unit unit;
  std::int64_t times, divided = 1;
};
constexpr UnitWord unit_words[] = {
    {"ns", Unit::ns, 1},
    {"us", Unit::ns, 1'000},
    {"ms", Unit::ns, 1'000'000},
    {"s", Unit::ns, 1'000'000'000},
    {"/s", Unit::per_second_milli, 1'000},
    {"B/s", Unit::bytes_per_second, 1},
    {"kB/s", Unit::bytes_per_second, 1'000},
    {"MB/s", Unit::bytes_per_second, 1'000'000},
    {"GB/s", Unit::bytes_per_second, 1'000'000'000},
    {"Mbit/s", Unit::bytes_per_second, 1'000'000, 8},
    {"Gbit/s", Unit::bytes_per_second, 1'000'000'000, 8},
    {"B", Unit::bytes, 1},
    {"kB", Unit::bytes, 1'000},
    {"MB", Unit::bytes, 1'000'000},
    {"GB", Unit::bytes, 1'000'000'000},
    {"%", Unit::ppm, 10'000},
    {"", Unit::count, 1}};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// "1.25" times a whole number, exactly if it can be; a decimal point whatever the locale says.
std::optional<std::int64_t> scaled(std::string_view number, const UnitWord& unit) {
  const auto point = std::min(number.find('.'), number.size());
  const auto whole = number.substr(0, point), fraction = number.substr(std::min(point + 1, number.size()));
  constexpr std::size_t digits_max = 9;
  if (whole.empty() || whole.size() > digits_max || fraction.size() > digits_max) return std::nullopt;
  if ((std::string(whole) + std::string(fraction)).find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  std::int64_t value = 0, scale = 1;
  for (const char c : whole) value = value * 10 + (c - '0');
  for (const char c : fraction) {
    value = value * 10 + (c - '0');
    scale *= 10;
  }
  const auto exact = static_cast<Wide>(value) * static_cast<Wide>(unit.times) / (static_cast<Wide>(scale) * static_cast<Wide>(unit.divided));
  return exact > Wide(INT64_MAX) ? std::nullopt : std::optional(static_cast<std::int64_t>(exact));
}

std::string without_dashes(std::string name) {
  std::ranges::replace(name, '-', ' ');
  return name;
}

Result<void> read_name(std::string_view name, Threshold& into) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= name.size();) {
    const auto dot = std::min(name.find('.', from), name.size());
    parts.emplace_back(trimmed(name.substr(from, dot - from)));
    from = dot + 1;
  }
  constexpr std::pair<std::string_view, Percentile> percentiles[] = {
      {"p50", p50}, {"p90", p90}, {"p99", p99}, {"p999", p999}};
  if (parts.size() > 1) {
    for (const auto& [word, percentile] : percentiles) {
      if (parts.back() == word) into.percentile = percentile;
    }
    into.longest = parts.back() == "longest";
    if (into.percentile || into.longest) parts.pop_back();
  }
  if (parts.size() > 2 || parts.front().empty()) return fail(Code::invalid_argument, "no name of a figure");
  into.bench = parts.front();
  if (parts.size() == 2) into.figure = without_dashes(parts.back());
  return {};
}

std::optional<std::int64_t> measured(const Threshold& threshold, const Figure& figure) {
  if (figure.unit != threshold.unit) return std::nullopt;
  if (threshold.longest) return figure.is_distribution() ? std::optional(figure.times.largest_ns()) : std::nullopt;
  return threshold.percentile ? figure.times.percentile_ns(*threshold.percentile) : figure.value();
}

bool holds(const Threshold& threshold, std::int64_t value) {
  switch (threshold.compare) {
    case Threshold::Compare::less:
      return value < threshold.limit;
    case Threshold::Compare::at_most:
      return value <= threshold.limit;
    case Threshold::Compare::more:
      return value > threshold.limit;
    case Threshold::Compare::at_least:
      return value >= threshold.limit;
  }
  return false;
}

}  // namespace

Result<Threshold> parse_threshold(std::string_view text) {
  const auto refuse = [text](const std::string& why) {
    return fail(Code::invalid_argument, "--threshold '" + std::string(text) + "': " + why +
                                            "; write it like 'commit.p99<2ms' or 'tcp.throughput>=1.2GB/s'");
  };
  Threshold threshold{.text = std::string(text), .bench = {}, .figure = {}, .percentile = {}};
  const auto sign = text.find_first_of("<>");
  if (sign == std::string_view::npos) return refuse("neither < nor > is in it");
  const bool equal = sign + 1 < text.size() && text[sign + 1] == '=';
  threshold.compare = text[sign] == '<' ? (equal ? Threshold::Compare::at_most : Threshold::Compare::less)
                                        : (equal ? Threshold::Compare::at_least : Threshold::Compare::more);
  if (auto named = read_name(text.substr(0, sign), threshold); !named) return refuse(named.error().text);
  const auto limit = trimmed(text.substr(sign + (equal ? 2 : 1)));
  const auto end = std::min(limit.find_first_not_of("0123456789."), limit.size());
  const auto word = trimmed(limit.substr(end));
  const auto* unit = std::ranges::find(unit_words, word, &UnitWord::word);
  if (unit == std::end(unit_words)) return refuse("'" + std::string(word) + "' is no unit");
  const auto value = scaled(limit.substr(0, end), *unit);
  if (!value) return refuse("'" + std::string(limit.substr(0, end)) + "' is no number, or too long a one");
  threshold.unit = unit->unit;
  threshold.limit = *value;
  return threshold;
}

ThresholdOutcome check_threshold(const Threshold& threshold, const BenchResult& result) {
  std::size_t judged = 0;
  for (const auto& cell : result.cells) {
    if (cell.bench != threshold.bench || cell.figures.empty()) continue;
    const auto* figure = threshold.figure.empty() ? &cell.figures.front() : cell.figure(threshold.figure);
    if (figure == nullptr) continue;
    const auto value = measured(threshold, *figure);
    if (!value) continue;
    if (cell.verdict == Verdict::invalid) {
      return {false, "threshold " + threshold.text + ": can't be judged: " + cell.name() + " is invalid"};
    }
    ++judged;
    if (!holds(threshold, *value)) {
      return {false, "threshold " + threshold.text + ": missed: " + value_text(figure->unit, *value) + " in " + cell.name()};
    }
  }
  if (judged == 0) return {false, "threshold " + threshold.text + ": nothing was measured that it could judge"};
  return {true, "threshold " + threshold.text + ": met by " + count_text(judged) + (judged == 1 ? " cell" : " cells")};
}

}  // namespace pollux
