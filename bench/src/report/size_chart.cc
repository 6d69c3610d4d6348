#include <algorithm>

#include "report/chart_parts.h"
#include "report/charts.h"
#include "run/format.h"

namespace pollux {

std::string size_chart(const std::string& title, Unit unit, const std::vector<SizeLine>& lines) {
  constexpr int left = 900, right = chart_width - 250, top = 120, bottom = 2900;
  LogAxis values;
  std::vector<std::uint64_t> sizes;
  for (const auto& line : lines) {
    for (const auto& point : line.points) {
      values.add(point.value);
      sizes.push_back(point.bytes);
    }
  }
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  if (sizes.size() < 2) return "";
  values.place(bottom, top);
  LogAxis axis;
  for (const auto size : {sizes.front(), sizes.back()}) axis.add(static_cast<std::int64_t>(size));
  axis.place(left, right);
  const auto x_of = [&](std::uint64_t bytes) { return axis.at(static_cast<std::int64_t>(bytes)); };
  const int height = bottom + 350 + static_cast<int>(lines.size()) * line_height;
  Svg svg(chart_width, height, title,
          "Lines of the figure over the size, both on logarithmic axes. The table below holds the figures.");
  draw_y_axis(svg, values, unit, left, right);
  int free_from = 0;
  for (const auto size : sizes) {
    const int x = x_of(size);
    svg.line(x, top, x, bottom, "grid");
    if (x < free_from) continue;
    svg.text(x, bottom + 150, size_text(size), Svg::Anchor::middle, "tick");
    free_from = x + 500;
  }
  unsigned series = 0;
  for (auto line : lines) {
    std::ranges::sort(line.points, {}, &SizePoint::bytes);
    std::vector<Svg::Point> points;
    for (const auto& point : line.points) points.push_back({x_of(point.bytes), values.at(point.value)});
    svg.path(points, series_style("curve", series));
    for (std::size_t i = 0; i < points.size(); ++i) {
      svg.mark(
          points[i], series, series_style("mark", series),
          line.name + ", " + size_text(line.points[i].bytes) + ": " + value_text(unit, line.points[i].value));
    }
    draw_legend_line(svg, left, bottom + 350 + static_cast<int>(series) * line_height, series, line.name);
    ++series;
  }
  return svg.done();
}

}  // namespace pollux
