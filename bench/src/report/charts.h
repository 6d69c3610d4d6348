// The pictures of a report, as SVG. Each is given what it shows and is silent (empty) if there is nothing to
// see.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "run/result.h"

namespace pollux {

struct Curve {
  std::string name;
  const Histogram* times = nullptr;
};
/// Times over percentiles; the x axis counts nines, and ends where too few samples stand behind a percentile.
std::string percentile_chart(const std::string& title, const std::vector<Curve>& curves);

struct Bar {
  std::string name;
  std::vector<std::int64_t> runs;  ///< of a published figure the one number
  unsigned series = 0;             ///< which result it is of: its colour
  bool published = false;          ///< a hollow mark without a bar
};
/// Median over the runs with their least and largest.
std::string bars_chart(const std::string& title, Unit unit, const std::vector<Bar>& bars);

struct SizePoint {
  std::uint64_t bytes = 0;
  std::int64_t value = 0;
};
struct SizeLine {
  std::string name;
  std::vector<SizePoint> points;
};
/// A figure over the size of a message, both axes logarithmic.
std::string size_chart(const std::string& title, Unit unit, const std::vector<SizeLine>& lines);

struct HeatMap {
  std::vector<std::string> rows, columns;
  std::vector<std::vector<std::optional<std::int64_t>>> values;  ///< of each row
};
/// Darker is longer; each field says its value.
std::string heat_map(const std::string& title, Unit unit, const HeatMap& map);

/// How fast B is against A, with intervals, and what the vendor says of a VM on the same hardware as a band.
std::string ratio_chart(const Comparison& comparison);

}  // namespace pollux
