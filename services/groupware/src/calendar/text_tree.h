// The parse tree of an iCalendar or vCard text (RFC 5545, 3.1; RFC 6350, 3.3). It points into the text and
// keeps each line's octets, so that what is given out is what was stored. It takes what can be read and
// judges nothing: that is for check_calendar and check_card.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pollux {

struct TextTreeLimits {
  static constexpr std::size_t nesting_max = 16;
};

struct TextProperty {
  std::string_view octets;      ///< as stored, with folds and line end
  std::string_view group;       ///< of a vCard's "group.NAME"; mostly empty
  std::string_view name;        ///< as written
  std::string_view parameters;  ///< ";A=b;C=d", or empty
  std::string_view value;       ///< unfolded, escapes as written

  [[nodiscard]] bool is(std::string_view other) const;
  /// The first value of a parameter, without quotes; none if it isn't there.
  [[nodiscard]] std::optional<std::string_view> parameter(std::string_view parameter_name) const;
};

struct TextComponent {
  std::string_view name;        ///< as written
  std::string_view begin, end;  ///< octets of its BEGIN and END lines
  std::vector<TextProperty> properties;
  std::vector<TextComponent> components;

  [[nodiscard]] bool is(std::string_view other) const;
  [[nodiscard]] const TextProperty* find(std::string_view property_name) const;  ///< the first one, or null
  /// From the first octet of BEGIN to the last of END.
  [[nodiscard]] std::string_view octets() const;
};

class TextTree {
 public:
  /// The text must outlive the tree. None if BEGIN and END do not fit each other, or nest too deeply. Lines
  /// that are no content lines, or stand outside of any component, are left out.
  static std::optional<TextTree> parse(std::string_view text);

  std::vector<TextComponent> roots;

 private:
  std::deque<std::string> unfolded_;  // what the views of folded lines point into; its elements never move
};

/// One parameter after the other of ";A=b;C=d,\"e\"". False from `each` ends it.
template <class Each>
void for_each_parameter(std::string_view parameters, Each each) {
  while (!parameters.empty()) {
    parameters.remove_prefix(1);
    std::size_t end = 0;
    for (bool quoted = false; end < parameters.size() && (quoted || parameters[end] != ';'); ++end) {
      if (parameters[end] == '"') quoted = !quoted;
    }
    const std::string_view one = parameters.substr(0, end);
    const std::size_t equals = one.find('=');
    const std::string_view name = one.substr(0, equals);
    if (!each(name, equals == std::string_view::npos ? std::string_view() : one.substr(equals + 1))) return;
    parameters.remove_prefix(end);
  }
}

/// One value after the other of a parameter's `a,"b,c",d`, without quotes.
template <class Each>
void for_each_parameter_value(std::string_view values, Each each) {
  for (;;) {
    std::size_t end = 0;
    for (bool quoted = false; end < values.size() && (quoted || values[end] != ','); ++end) {
      if (values[end] == '"') quoted = !quoted;
    }
    std::string_view one = values.substr(0, end);
    if (one.size() >= 2 && one.front() == '"' && one.back() == '"') one = one.substr(1, one.size() - 2);
    if (!each(one) || end >= values.size()) return;
    values.remove_prefix(end + 1);
  }
}

/// TEXT with its escapes undone (RFC 5545, 3.3.11): \n, \, \; and \\ .
std::string unescape_text(std::string_view value);

std::string_view trim_text(std::string_view text);

}  // namespace pollux
