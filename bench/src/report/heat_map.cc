#include <algorithm>

#include "report/chart_parts.h"
#include "report/charts.h"
#include "run/format.h"

namespace pollux {

std::string heat_map(const std::string& title, Unit unit, const HeatMap& map) {
  constexpr int left = 2300, top = 300, field_height = 240, shades = 5;
  LogAxis axis;
  for (const auto& row : map.values) {
    for (const auto& value : row) {
      if (value) axis.add(*value);
    }
  }
  if (axis.empty() || map.columns.empty()) return "";
  axis.place(0, shades * 1000 - 1);
  const int field_width = std::min(1100, (chart_width - left - 50) / static_cast<int>(map.columns.size()));
  Svg svg(chart_width, top + static_cast<int>(map.rows.size()) * field_height + 50, title,
          "A field for each size and place; darker is more, and each field says its value.");
  for (std::size_t i = 0; i < map.columns.size(); ++i) {
    svg.text(left + static_cast<int>(i) * field_width + field_width / 2, top - 80, map.columns[i],
             Svg::Anchor::middle, "tick");
  }
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    const int y = top + static_cast<int>(r) * field_height;
    svg.text(left - 80, y + field_height / 2 + 40, shortened(map.rows[r], 34), Svg::Anchor::end);
    for (std::size_t c = 0; c < map.columns.size(); ++c) {
      const int x = left + static_cast<int>(c) * field_width;
      const auto& value = map.values[r][c];
      const auto shade = value ? std::to_string(axis.at(*value) / 1000) : "-none";
      svg.rect(x + 10, y + 10, field_width - 20, field_height - 20, "heat h" + shade);
      svg.text(x + field_width / 2, y + field_height / 2 + 40, value ? value_text(unit, *value) : "-",
               Svg::Anchor::middle, ("field f" + shade).c_str());
    }
  }
  return svg.done();
}

}  // namespace pollux
