// What a REPORT gives of a calendar object (RFC 4791, 9.6): all of it, chosen parts, or its instances.
//
// What is not expanded is given in the octets that are stored.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calendar/time_range.h"

namespace pollux {

struct PropSelection {
  std::string name;
  bool no_value = false;
};
/// CALDAV:comp: which properties and components of a component.
struct CompSelection {
  std::string name;
  bool all_properties = false, all_components = false;
  std::vector<PropSelection> properties;
  std::vector<CompSelection> components;
};
struct CalendarDataQuestion {
  std::optional<CompSelection> selection;  ///< of VCALENDAR; none: everything
  std::optional<TimeRange> expand, limit_recurrences, limit_freebusy;

  [[nodiscard]] bool is_whole() const {
    return !selection && !expand && !limit_recurrences && !limit_freebusy;
  }
};

/// too_large with a sentence if it has more than RecurrenceLimits::expanded_max instances in the range or
/// takes too many steps; malformed if the content can't be read.
Result<std::string> render_calendar(std::string_view content, const CalendarDataQuestion& question,
                                    const Zone& floating, ZoneCache& zones, WorkBudget& budget);

/// The same choice of lines for other texts (vCards): `wanted` says whether a property is given, and appends
/// it or not.
void append_line(std::string* out, std::string_view octets);
/// The property up to its colon.
void append_without_value(std::string* out, const TextProperty& property);

}  // namespace pollux
