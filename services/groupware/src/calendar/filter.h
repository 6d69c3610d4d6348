// The filter of a calendar-query (RFC 4791, 9.7) on one stored object.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calendar/collation.h"
#include "calendar/time_range.h"

namespace pollux {

struct ParamFilter {
  std::string name;
  bool is_not_defined = false;
  std::optional<TextMatch> text;
};
struct PropFilter {
  std::string name;
  bool is_not_defined = false;
  std::optional<TimeRange> range;
  std::optional<TextMatch> text;
  std::vector<ParamFilter> parameters;
};
struct CompFilter {
  std::string name;
  bool is_not_defined = false;
  std::optional<TimeRange> range;
  std::vector<PropFilter> properties;
  std::vector<CompFilter> components;
};

/// Whether a parameter filter fits a property; for vCards, too.
bool fits_parameter(const ParamFilter& filter, const TextProperty& property);

/// One query's filter with what it needs. For one thread.
class CalendarFilter {
 public:
  /// `root` is the filter of VCALENDAR. `floating`: where floating times are looked at from.
  CalendarFilter(CompFilter root, ZonePtr floating);

  /// False for an object that can't be read. An object whose recurrences take too long to look through counts
  /// as one that matches: a client that gets one too many looks itself, one that gets too few loses it.
  bool matches(std::string_view content);
  /// What narrows the search by an index: the only component it can match (empty: any), and the time.
  struct Coarse {
    std::string component;
    TimeRange range;
  };
  [[nodiscard]] Coarse coarse() const;

 private:
  bool fits(const CompFilter& filter, const TextComponent& component, const TimedComponent* timed,
            CalendarView& view, WorkBudget& budget);
  bool fits_one(const CompFilter& filter, const TextComponent& parent, bool top, const TimedComponent* timed,
                CalendarView& view, WorkBudget& budget);
  bool fits_property(const PropFilter& filter, const TextComponent& component, CalendarView& view) const;

  const CompFilter root_;
  const ZonePtr floating_;
  ZoneCache zones_;
  std::uint64_t budget_ = RecurrenceLimits::query_steps_max;
};

}  // namespace pollux
