#include <algorithm>
#include <array>

#include "report/chart_parts.h"
#include "report/charts.h"
#include "run/format.h"

namespace pollux {

namespace {

struct Place {
  Percentile percentile;
  int nines_hundredths;  // -log10(1 - p) in hundredths
  const char* name;      // of those that have a line
};
constexpr std::array<Place, 13> places = {{{{1}, 0, ""},
                                           {{100'000}, 5, ""},
                                           {{250'000}, 12, ""},
                                           {{500'000}, 30, "p50"},
                                           {{750'000}, 60, ""},
                                           {{900'000}, 100, "p90"},
                                           {{950'000}, 130, ""},
                                           {{980'000}, 170, ""},
                                           {{990'000}, 200, "p99"},
                                           {{995'000}, 230, ""},
                                           {{998'000}, 270, ""},
                                           {{999'000}, 300, "p99.9"},
                                           {{999'900}, 400, "p99.99"}}};
constexpr int left = 800, right = chart_width - 150, top = 120, bottom = 2900;

int x_of(const Place& place) { return left + (right - left) * place.nines_hundredths / 400; }

}  // namespace

std::string percentile_chart(const std::string& title, const std::vector<Curve>& curves) {
  LogAxis axis;
  for (const auto& curve : curves) {
    for (const auto& place : places) {
      if (const auto value = curve.times->percentile_ns(place.percentile)) axis.add(*value);
    }
  }
  if (axis.empty()) return "";
  axis.place(bottom, top);
  const int height = bottom + 350 + static_cast<int>(curves.size()) * line_height;
  Svg svg(chart_width, height, title,
          "Curves of time over percentile, one a cell; lower is better. The table below holds the figures.");
  draw_y_axis(svg, axis, Unit::ns, left, right);
  for (const auto& place : places) {
    if (*place.name == '\0') continue;
    svg.line(x_of(place), top, x_of(place), bottom, "grid");
    svg.text(x_of(place), bottom + 150, place.name,
             place.nines_hundredths == 400 ? Svg::Anchor::end : Svg::Anchor::middle, "tick");
  }
  unsigned series = 0;
  for (const auto& curve : curves) {
    std::vector<Svg::Point> points;
    std::vector<std::string> tips;
    for (const auto& place : places) {
      const auto value = curve.times->percentile_ns(place.percentile);
      if (!value) break;
      points.push_back({x_of(place), axis.at(*value)});
      tips.push_back(curve.name + ", " + place.name + " " + time_text(*value));
    }
    svg.path(points, series_style("curve", series));
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (*places[i].name != '\0') svg.mark(points[i], series, series_style("mark", series), tips[i]);
    }
    draw_legend_line(svg, left, bottom + 350 + static_cast<int>(series) * line_height, series, curve.name);
    ++series;
  }
  return svg.done();
}

}  // namespace pollux
