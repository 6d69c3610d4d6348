#include <algorithm>

#include "compare/ratio.h"
#include "report/chart_parts.h"
#include "report/charts.h"
#include "run/format.h"

namespace pollux {

std::string bars_chart(const std::string& title, Unit unit, const std::vector<Bar>& bars) {
  constexpr int left = 3000, right = chart_width - 900, top = 100;
  LogAxis axis;
  for (const auto& bar : bars) {
    for (const auto run : bar.runs) axis.add(run);
  }
  if (axis.empty()) return "";
  axis.place(left, right);
  const int bottom = top + static_cast<int>(bars.size()) * line_height + 40;
  Svg svg(chart_width, bottom + 250, title,
          "The median over the runs of each cell, with the least and the largest run, on a logarithmic axis; "
          "hollow "
          "marks are published figures. The table below holds the figures.");
  draw_x_axis(svg, axis, unit, top, bottom);
  int y = top + line_height / 2;
  for (const auto& bar : bars) {
    if (bar.runs.empty()) continue;
    const auto middle = median_of(bar.runs);
    const auto [least, largest] = std::ranges::minmax(bar.runs);
    const auto tip = bar.name + ": " + value_text(unit, middle) + " (" + value_text(unit, least) + " to " +
                     value_text(unit, largest) + ")";
    svg.text(left - 80, y + 40, shortened(bar.name, 38), Svg::Anchor::end);
    if (!bar.published) {
      svg.rect(left, y - 50, std::max(1, axis.at(middle) - left), 100, series_style("bar", bar.series));
      svg.line(axis.at(least), y, axis.at(largest), y, "whisker");
      for (const auto end : {least, largest}) svg.line(axis.at(end), y - 40, axis.at(end), y + 40, "whisker");
    }
    svg.mark({axis.at(middle), y}, bar.published ? 3 : bar.series,
             bar.published ? "hollow" : series_style("mark", bar.series), tip);
    svg.text(std::max(axis.at(middle), axis.at(largest)) + 80, y + 40, value_text(unit, middle),
             Svg::Anchor::start, "value");
    y += line_height;
  }
  return svg.done();
}

}  // namespace pollux
