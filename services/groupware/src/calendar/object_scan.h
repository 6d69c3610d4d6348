// The structure of a calendar object: components, UIDs, and the lines whose values matter. No libical.
#pragma once

#include <string>
#include <string_view>

#include "pollux/groupware/calendar_check.h"

namespace pollux {

struct ObjectScan {
  CalendarObject object;
  std::size_t components = 0;  ///< VEVENTs, VTODOs or VJOURNALs
  /// The object reduced to its components, their UIDs and their times, a line each, unfolded. libical takes
  /// time that grows with the square of a line's length: it never sees descriptions and attachments.
  std::string outline;
};
/// Reads the values itself that tell what it is and when it recurs or rings; all others are libical's or
/// nobody's.
std::expected<ObjectScan, CalendarRefusal> scan_calendar_object(std::string_view content);

/// The sentence about a line of the outline whose value can't be read; `line` is its text. Finds its number
/// in `content`.
CalendarRefusal unreadable_line(std::string_view content, std::string_view line);

}  // namespace pollux
