#include <algorithm>

#include "report/chart_parts.h"
#include "report/charts.h"
#include "run/wide.h"

namespace pollux {

namespace {

// Performance of B against A: a time that is twice as long is half of it.
std::optional<RatioInterval> performance(const FigureComparison& figure) {
  if (!figure.ratio || figure.better == Better::neither) return std::nullopt;
  if (figure.better == Better::more) return figure.ratio;
  const auto inverse = [](std::uint64_t ppm) {
    const auto value = static_cast<Wide>(one_ppm) * one_ppm / std::max<std::uint64_t>(1, ppm);
    return static_cast<std::uint64_t>(value);
  };
  return RatioInterval{inverse(figure.ratio->ppm), inverse(figure.ratio->high_ppm),
                       inverse(figure.ratio->low_ppm)};
}

// Values only: the table below tells what they are values of.
std::string short_name(const CellComparison& cell) {
  std::string text = cell.bench;
  for (const auto& [key, value] : cell.workload) text += " " + value;
  return text;
}

struct Row {
  std::string name;
  RatioInterval ratio;
  bool shown = false;
};

}  // namespace

std::string ratio_chart(const Comparison& comparison) {
  constexpr int left = 3000, right = chart_width - 900, top = 400;
  constexpr std::size_t rows_max = 80;
  std::vector<Row> rows;
  for (const auto& cell : comparison.cells) {
    if (cell.figures.empty() || rows.size() == rows_max) continue;
    const auto ratio = performance(cell.figures.front());
    if (ratio) rows.push_back({short_name(cell), *ratio, cell.figures.front().shown == Shown::difference});
  }
  if (rows.empty()) return "";
  LogAxis axis;
  for (const auto value : {one_ppm / 2, 2 * one_ppm}) axis.add(static_cast<std::int64_t>(value));
  for (const auto& row : rows) {
    for (const auto value : {row.ratio.low_ppm, row.ratio.high_ppm})
      axis.add(static_cast<std::int64_t>(value));
  }
  axis.place(left, right);
  const auto at = [&](std::uint64_t ppm) { return axis.at(static_cast<std::int64_t>(ppm)); };
  const int bottom = top + static_cast<int>(rows.size()) * line_height + 40;
  const std::string title = "Performance of B against A";
  Svg svg(chart_width, bottom + 250, title,
          "For each cell the ratio with its 95 % interval on a logarithmic axis; right of 1 B is better. "
          "Filled marks "
          "are differences that the runs show, hollow ones are not. A band from 0.8 to 0.9 is the vendor's "
          "word.");
  constexpr std::uint64_t band_low = 800'000, band_high = 900'000;
  svg.rect(at(band_low), top, at(band_high) - at(band_low), bottom - top, "band");
  svg.text(at(band_high), top - 80, "0.8 to 0.9: a vendor's word for a VM on equal hardware",
           Svg::Anchor::middle, "tick");
  for (const auto tick : axis.ticks()) {
    const int x = axis.at(tick);
    svg.line(x, top, x, bottom, tick == static_cast<std::int64_t>(one_ppm) ? "one" : "grid");
    svg.text(x, bottom + 150, ratio_ppm_text(static_cast<std::uint64_t>(tick)), Svg::Anchor::middle, "tick");
  }
  int y = top + line_height / 2;
  for (const auto& row : rows) {
    svg.text(left - 80, y + 40, shortened(row.name, 38), Svg::Anchor::end);
    svg.line(at(row.ratio.low_ppm), y, at(row.ratio.high_ppm), y, "whisker");
    svg.mark({at(row.ratio.ppm), y}, 0, row.shown ? "mark s0" : "hollow",
             row.name + ": " + ratio_ppm_text(row.ratio.ppm));
    svg.text(at(row.ratio.high_ppm) + 80, y + 40, ratio_ppm_text(row.ratio.ppm), Svg::Anchor::start, "value");
    y += line_height;
  }
  return svg.done();
}

}  // namespace pollux
