// Calendar objects for tests, made of their lines.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "calendar/instances.h"

namespace pollux::testing {

/// "A\nB\n" with CRLF.
inline std::string lines_of(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? "\r\n" : std::string(1, c);
  return out;
}
inline std::string in_vcalendar(const std::string& components) {
  return lines_of("BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//test//EN\n" + components + "END:VCALENDAR\n");
}
inline std::string a_component(const std::string& kind, const std::string& properties) {
  return "BEGIN:" + kind + "\nUID:u\nDTSTAMP:20240101T000000Z\n" + properties + "END:" + kind + "\n";
}
inline std::string vevent(const std::string& properties) { return a_component("VEVENT", properties); }

/// Central Europe as clients write it down.
inline const std::string berlin =
    "BEGIN:VTIMEZONE\nTZID:Europe/Berlin\n"
    "BEGIN:DAYLIGHT\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200\nDTSTART:19810329T020000\n"
    "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3\nEND:DAYLIGHT\n"
    "BEGIN:STANDARD\nTZOFFSETFROM:+0200\nTZOFFSETTO:+0100\nDTSTART:19961027T030000\n"
    "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\nEND:STANDARD\nEND:VTIMEZONE\n";

inline std::int64_t at(const std::string& utc) { return parse_utc_time(utc).value(); }

/// The starts of all instances in [from, to), in UTC, as text; "!" at the end if the budget was spent.
inline std::vector<std::string> starts_of(const std::string& content, const std::string& from,
                                          const std::string& to,
                                          std::uint64_t steps = RecurrenceLimits::object_steps_max) {
  ZoneCache zones;
  auto view = CalendarView::read(content, zones);
  EXPECT_TRUE(view) << content;
  std::vector<std::string> starts;
  if (!view) return starts;
  WorkBudget budget(steps);
  const auto end = for_each_instance(
      *view, {.from_s = at(from), .to_s = at(to)}, Zone::utc(), budget, [&](const Instance& instance) {
        if (instance.start_s && *instance.start_s >= at(from) && *instance.start_s < at(to)) {
          starts.push_back(format_utc(*instance.start_s));
        }
        return true;
      });
  std::ranges::sort(starts);
  if (end == ExpandEnd::exhausted) starts.emplace_back("!");
  return starts;
}

}  // namespace pollux::testing
