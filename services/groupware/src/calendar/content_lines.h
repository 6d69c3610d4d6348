// The lines of an iCalendar or vCard text (RFC 5545, 3.1), unfolded, with their numbers. Takes what real
// files have: bare LF, a byte order mark, empty lines, folds in the middle of a UTF-8 character.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pollux {

struct ContentLine {
  std::size_t number = 0;   ///< of its first physical line, from 1
  std::string_view text;    ///< unfolded; valid until the next call
  std::string_view octets;  ///< as it stands in the text, with its folds and line end
  bool folded = false;      ///< if not, `text` is a part of `octets` and stays valid
};

class ContentLines {
 public:
  explicit ContentLines(std::string_view text);
  /// The next line that is not empty; none at the end.
  std::optional<ContentLine> next();

 private:
  std::string_view physical();

  std::string_view rest_;
  std::size_t number_ = 0;  ///< physical lines taken
  std::string unfolded_;
};

/// A content line's parts. `name` is as written; `value` is what follows the colon.
struct LineParts {
  std::string_view name, parameters, value;
};
/// None if it is no content line (no name, or no colon outside quotes).
std::optional<LineParts> split_line(std::string_view line);

bool equal_ignoring_case(std::string_view a, std::string_view b);

}  // namespace pollux
