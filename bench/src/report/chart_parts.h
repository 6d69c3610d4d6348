// What the pictures share.
#pragma once

#include <string>

#include "report/axis.h"
#include "report/markup.h"

namespace pollux {

inline constexpr int chart_width = 7600;  // tenths of a pixel, as all lengths here
inline constexpr int line_height = 180;
inline constexpr unsigned series_max = 8;  // colours that differ for everybody

std::string series_style(const char* what, unsigned series);
/// Lines and texts of a horizontal or vertical axis.
void draw_x_axis(Svg& svg, const LogAxis& axis, Unit unit, int top, int bottom);
void draw_y_axis(Svg& svg, const LogAxis& axis, Unit unit, int left, int right);
/// A text that fits into so many characters.
std::string shortened(const std::string& text, std::size_t characters);
/// Marks with their names, below each other.
void draw_legend_line(Svg& svg, int x, int y, unsigned series, const std::string& name);

}  // namespace pollux
