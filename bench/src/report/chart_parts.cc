#include "report/chart_parts.h"

namespace pollux {

std::string series_style(const char* what, unsigned series) {
  return std::string(what) + " s" + std::to_string(series % series_max);
}

void draw_x_axis(Svg& svg, const LogAxis& axis, Unit unit, int top, int bottom) {
  for (const auto tick : axis.ticks()) {
    const int x = axis.at(tick);
    svg.line(x, top, x, bottom, "grid");
    svg.text(x, bottom + 150, tick_text(unit, tick), Svg::Anchor::middle, "tick");
  }
}

void draw_y_axis(Svg& svg, const LogAxis& axis, Unit unit, int left, int right) {
  for (const auto tick : axis.ticks()) {
    const int y = axis.at(tick);
    svg.line(left, y, right, y, "grid");
    svg.text(left - 60, y + 40, tick_text(unit, tick), Svg::Anchor::end, "tick");
  }
}

std::string shortened(const std::string& text, std::size_t characters) {
  if (text.size() <= characters) return text;
  auto end = characters - 1;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // within a character
  return text.substr(0, end) + "\xe2\x80\xa6";
}

void draw_legend_line(Svg& svg, int x, int y, unsigned series, const std::string& name) {
  svg.path({{x, y}, {x + 220, y}}, series_style("curve", series));
  svg.mark({x + 110, y}, series, series_style("mark", series), name);
  svg.text(x + 290, y + 40, shortened(name, 60));
}

}  // namespace pollux
