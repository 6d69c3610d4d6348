// HTML and SVG as text. What is written is well-formed XML as well, so that a test can read it with any
// parser. Everything that comes from a file goes through escaped(): names of hosts are chosen by strangers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pollux {

/// Safe as content and within double quotes. What XML forbids, and what is no UTF-8, becomes U+FFFD.
std::string escaped(std::string_view text);
/// JSON that may stand within <script>: no '<', '>' or '&' is left.
std::string script_json(std::string_view json);
std::string base64(std::string_view bytes);

/// A picture of a fixed size, in tenths of a pixel: whole numbers, so no locale can put a comma in.
class Svg {
 public:
  Svg(int width, int height, const std::string& title, const std::string& description);

  void line(int x1, int y1, int x2, int y2, const char* style);
  void rect(int x, int y, int width, int height, const std::string& style);
  enum class Anchor { start, middle, end };
  void text(int x, int y, const std::string& text, Anchor anchor = Anchor::start, const char* style = "");
  struct Point {
    int x = 0, y = 0;
  };
  void path(const std::vector<Point>& points, const std::string& style);
  /// One of six shapes; hollow if told so.
  void mark(Point at, unsigned shape, const std::string& style, const std::string& tip);
  [[nodiscard]] std::string done() const { return text_ + "</svg>\n"; }

 private:
  std::string text_;
};

/// "12.3" of 123.
std::string tenths(int value);

/// A table whose first row are headings; `right`: of each column.
std::string html_table(const std::string& caption, const std::vector<std::string>& headings,
                       const std::vector<bool>& right, const std::vector<std::vector<std::string>>& rows);

}  // namespace pollux
