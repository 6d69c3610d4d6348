#include "report/markup.h"

#include <sodium.h>

#include <array>
#include <cstdlib>

namespace pollux {

namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

// Bytes of the character at the beginning of `text`, 0 if it is none that XML and HTML take.
std::size_t character_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' ? 1 : 0;
  const std::size_t length = first >= 0xf0 && first <= 0xf4  ? 4
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xc2 && first < 0xe0 ? 2
                                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  std::uint32_t code = first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::array<std::uint32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  const bool direction =
      (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);  // turn text around
  const bool taken =
      code >= least[length] && code <= 0x10ffff && !surrogate && code != 0xfffe && code != 0xffff;
  return taken && !direction ? length : 0;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto length = character_at(text);
    if (length == 0) {
      out += replacement;
      text.remove_prefix(1);
      continue;
    }
    const char c = text.front();
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'') {
      out += "&#39;";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string script_json(std::string_view json) {
  std::string out;
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else if (c == '>') {
      out += "\\u003e";
    } else if (c == '&') {
      out += "\\u0026";
    } else {
      out += c;
    }
  }
  return out;
}

std::string base64(std::string_view bytes) {
  std::string out(sodium_base64_encoded_len(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(out.data(), out.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), sodium_base64_VARIANT_ORIGINAL);
  out.pop_back();
  return out;
}

std::string tenths(int value) {
  const auto size = std::abs(value);
  return (value < 0 ? "-" : "") + std::to_string(size / 10) + "." + std::to_string(size % 10);
}

Svg::Svg(int width, int height, const std::string& title, const std::string& description) {
  const auto w = std::to_string(width / 10), h = std::to_string(height / 10);
  text_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 " + w + " " + h +
          "\" width=\"" + w + "\" height=\"" + h + "\" aria-label=\"" + escaped(title) + "\">\n<title>" +
          escaped(title) + "</title><desc>" + escaped(description) + "</desc>\n";
}

void Svg::line(int x1, int y1, int x2, int y2, const char* style) {
  text_ += "<line x1=\"" + tenths(x1) + "\" y1=\"" + tenths(y1) + "\" x2=\"" + tenths(x2) + "\" y2=\"" +
           tenths(y2) + "\" class=\"" + style + "\"/>\n";
}

void Svg::rect(int x, int y, int width, int height, const std::string& style) {
  text_ += "<rect x=\"" + tenths(x) + "\" y=\"" + tenths(y) + "\" width=\"" + tenths(width) + "\" height=\"" +
           tenths(height) + "\" class=\"" + style + "\"/>\n";
}

void Svg::text(int x, int y, const std::string& text, Anchor anchor, const char* style) {
  const char* words[] = {"start", "middle", "end"};
  text_ += "<text x=\"" + tenths(x) + "\" y=\"" + tenths(y) + "\" text-anchor=\"" +
           words[static_cast<std::size_t>(anchor)] + "\" class=\"" + style + "\">" + escaped(text) +
           "</text>\n";
}

void Svg::path(const std::vector<Point>& points, const std::string& style) {
  if (points.empty()) return;
  std::string d;
  for (const auto& point : points) d += (d.empty() ? "M" : "L") + tenths(point.x) + " " + tenths(point.y);
  text_ += "<path d=\"" + d + "\" class=\"" + style + "\"/>\n";
}

void Svg::mark(Point at, unsigned shape, const std::string& style, const std::string& tip) {
  constexpr int r = 45;
  const auto point = [&](int dx, int dy) { return tenths(at.x + dx) + "," + tenths(at.y + dy) + " "; };
  std::string points;
  switch (shape % 6) {
    case 0:
      text_ += "<circle cx=\"" + tenths(at.x) + "\" cy=\"" + tenths(at.y) + "\" r=\"" + tenths(r) +
               "\" class=\"" + style + "\"><title>" + escaped(tip) + "</title></circle>\n";
      return;
    case 1:
      points = point(-r, -r) + point(r, -r) + point(r, r) + point(-r, r);
      break;
    case 2:
      points = point(0, -r) + point(r, r) + point(-r, r);
      break;
    case 3:
      points = point(0, -r - 10) + point(r + 10, 0) + point(0, r + 10) + point(-r - 10, 0);
      break;
    case 4:
      points = point(-r, -r) + point(r, -r) + point(0, r);
      break;
    default:
      points = point(-r, 0) + point(0, -r) + point(r, -r / 2) + point(r, r / 2) + point(0, r);
      break;
  }
  text_ += "<polygon points=\"" + points + "\" class=\"" + style + "\"><title>" + escaped(tip) +
           "</title></polygon>\n";
}

std::string html_table(const std::string& caption, const std::vector<std::string>& headings,
                       const std::vector<bool>& right, const std::vector<std::vector<std::string>>& rows) {
  std::string out = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" + escaped(caption) +
                    "\"><table><caption>" + escaped(caption) + "</caption>\n<thead><tr>";
  const auto side = [&](std::size_t i) { return i < right.size() && right[i] ? " class=\"r\"" : ""; };
  for (std::size_t i = 0; i < headings.size(); ++i) {
    out += std::string("<th scope=\"col\"") + side(i) + ">" + escaped(headings[i]) + "</th>";
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      out += std::string("<td") + side(i) + ">" + escaped(row[i]) + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace pollux
