// The instances of a calendar object: one for what happens once, many for what recurs (RFC 5545, 3.8.4.4
// and 3.8.5).
//
// EXDATE takes instances away; a component with RECURRENCE-ID takes one's place, or with RANGE=THISANDFUTURE
// that of all from there on, moved by as much as it moved the first. A rule that can't be read gives no
// instances.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "calendar/calendar_view.h"

namespace pollux {

struct RecurrenceLimits {
  /// Steps of recurrences spent on one object in one query; beyond, it is taken to match.
  static constexpr std::uint64_t object_steps_max = 1'000'000;
  /// The same for all objects of a query together; beyond, each further one has object_steps_min.
  static constexpr std::uint64_t query_steps_max = 10'000'000;
  static constexpr std::uint64_t object_steps_min = 2'000;
  /// Instances that one object is expanded into; beyond, the query is refused.
  static constexpr std::size_t expanded_max = 10'000;
};

struct Instance {
  const TimedComponent* component = nullptr;  ///< whose properties it has
  std::optional<Moment> start, end;           ///< end: of a VTODO when it is due. Those of days are days
  std::optional<std::int64_t> start_s, end_s;
  /// Where the rule would have it; none if the object doesn't recur.
  std::optional<Moment> id;
};

enum class ExpandEnd : std::uint8_t {
  complete,
  stopped,   ///< `each` said so
  exhausted  ///< the budget is spent: there may be more
};

/// Calls `each` for the instances that may touch [from_s, to_s]: all that do and maybe others nearby; those
/// of components with RECURRENCE-ID always. Not quite in order. `pad_s`: instances that far outside are
/// wanted, too.
struct InstanceWindow {
  std::int64_t from_s = time_s_min, to_s = time_s_max;
  std::int64_t pad_s = 0;
};
ExpandEnd for_each_instance(const CalendarView& view, const InstanceWindow& window, const Zone& floating,
                            WorkBudget& budget, const std::function<bool(const Instance&)>& each);

/// When an instance that starts at `start` ends: RFC 5545, 3.6.1 (a day without end lasts a day; a time, no
/// time), of a VTODO when it is due (none: never).
std::optional<Moment> end_of(const TimedComponent& component, const Moment& start, const Zone& floating);

}  // namespace pollux
