// The structure of a calendar object: components, UIDs, and the lines whose values matter. No libical.
#pragma once

#include <functional>
#include <string_view>

#include "pollux/groupware/calendar_check.h"

namespace pollux {

struct ObjectScan {
  CalendarObject object;
  std::size_t components = 0;  ///< VEVENTs, VTODOs or VJOURNALs
};
/// Told each line that says when something happens; returns false if its value can't be read.
using TimeLine = std::function<bool(std::string_view line)>;

/// Never reads a line's value itself, apart from those of BEGIN, END, UID, METHOD and VERSION.
std::expected<ObjectScan, CalendarRefusal> scan_calendar_object(std::string_view content, const TimeLine& time_line);

}  // namespace pollux
