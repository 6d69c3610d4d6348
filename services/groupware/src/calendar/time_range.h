// Does something happen within a time range (RFC 4791, 9.9)?
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "calendar/instances.h"
#include "pollux/groupware/calendar_check.h"

namespace pollux {

/// [start_s, end_s) in UTC; an end that is missing is open.
struct TimeRange {
  std::optional<std::int64_t> start_s, end_s;
  [[nodiscard]] std::int64_t from() const { return start_s.value_or(time_s_min); }
  [[nodiscard]] std::int64_t to() const { return end_s.value_or(time_s_max); }
  bool operator==(const TimeRange&) const = default;
};

/// The rules for one instance of a VEVENT, VTODO, VJOURNAL or VFREEBUSY.
bool overlaps(const TimeRange& range, const Instance& instance, CalendarView& view, const Zone& floating);

/// What a query says about one object's components; by their index in view.components.
struct Overlap {
  std::vector<bool> components;
  bool exhausted = false;  ///< the budget is spent: those not found may still be in the range
};
Overlap components_in(const TimeRange& range, CalendarView& view, const Zone& floating, WorkBudget& budget);
/// The components one of whose instances has this VALARM go off within the range.
bool alarm_in(const TimeRange& range, const TextComponent& alarm, const TimedComponent& component,
              CalendarView& view, const Zone& floating, WorkBudget& budget);

/// A property's time or period within the range.
bool property_in(const TimeRange& range, const TextProperty& property, CalendarView& view,
                 const Zone& floating);

/// A VALARM's times, relative to what it belongs to: TRIGGER, REPEAT, DURATION.
struct AlarmTimes {
  std::optional<std::int64_t> absolute_s;
  DurationValue offset;
  bool from_end = false;
  std::uint32_t repeat = 0;
  DurationValue pause;

  /// How far before and after its instance's ends it can go off, at most.
  [[nodiscard]] std::int64_t reach_s() const;
};
struct AlarmLimits {
  static constexpr std::uint32_t repeat_max = 10'000;
};
/// None without a TRIGGER that can be read.
std::optional<AlarmTimes> read_alarm(const TextComponent& alarm);

/// See calendar_times.
CalendarTimes bounds_of(CalendarView& view);

}  // namespace pollux
