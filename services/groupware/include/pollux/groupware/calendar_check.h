// Is this a calendar object that a calendar may store (RFC 4791, 4.1)? Nothing is expanded, and nothing is
// rewritten: what is stored are the octets that were given.
//
// Stricter than needed to store it: what could not be found or shown later is refused, such as a rule or a TRIGGER that
// can't be read. More lenient than RFC 5545 where clients in use are: VERSION (if given, it is 2.0), PRODID and DTSTAMP may
// be missing, lines may end in LF and be folded within a character, a TZID may lack its VTIMEZONE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pollux/core/result.h"

namespace pollux {

struct CalendarLimits {
  static constexpr std::size_t nesting_max = 8;
  static constexpr std::size_t components_max = 20000;
  static constexpr std::size_t lines_max = 500000;  ///< content lines, unfolded
  static constexpr std::size_t time_line_bytes_max =
      64u << 10;  ///< DTSTART, RRULE, EXDATE and their like, unfolded
};

struct CalendarObject {
  std::string uid;
  std::string component;  ///< VEVENT, VTODO, VJOURNAL
  bool operator==(const CalendarObject&) const = default;
};

/// What was wrong, as RFC 4791, 5.3.2.1 names it.
enum class CalendarFault : std::uint8_t {
  data,       ///< valid-calendar-data: can't be read as iCalendar
  object,     ///< valid-calendar-object-resource: readable, but not one object with one UID
  component,  ///< supported-calendar-component
};
struct CalendarRefusal {
  CalendarFault fault = CalendarFault::data;
  std::string text;  ///< one sentence, with the line's number
};

std::expected<CalendarObject, CalendarRefusal> check_calendar(std::string_view content);

/// The first and last second (UTC, since 1970) at which anything in the object happens, for a coarse index of
/// times: never narrower than what a time range, alarm or free-busy query could find, whatever zone it reads
/// floating times in. Without end: `last_s` is CalendarTimes::never_ends_s. Bounded work, whatever the
/// content.
struct CalendarTimes {
  static constexpr std::int64_t never_ends_s = 253402300799;  ///< the last second of the year 9999
  static constexpr std::int64_t always_s = -62135596800;      ///< the first of the year 1
  std::int64_t first_s = always_s, last_s = never_ends_s;
  bool operator==(const CalendarTimes&) const = default;
};
CalendarTimes calendar_times(std::string_view content);

/// Call once before threads start: libical sets itself up without locks.
void prepare_calendar_library();

}  // namespace pollux
