// The filter of an addressbook-query (RFC 6352, 10.5) on one stored vCard, and what is given of it (10.4).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calendar/filter.h"
#include "calendar/render.h"

namespace pollux {

struct CardPropFilter {
  std::string name;  ///< with a group ("item1.EMAIL") only properties of that group
  bool all_of = false;
  bool is_not_defined = false;
  std::vector<TextMatch> texts;
  std::vector<ParamFilter> parameters;
};
struct CardFilter {
  bool all_of = false;  ///< otherwise one fitting condition is enough
  std::vector<CardPropFilter> properties;

  /// Without conditions every vCard matches. False for one that can't be read.
  [[nodiscard]] bool matches(std::string_view content) const;
};

struct CardDataQuestion {
  bool all = true;
  std::vector<PropSelection> properties;  ///< if not all
};
/// The chosen lines in the octets that are stored; BEGIN, VERSION and END always.
std::string render_card(std::string_view content, const CardDataQuestion& question);

}  // namespace pollux
