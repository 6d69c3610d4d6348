#include <algorithm>

#include "calendar/time_range.h"

namespace pollux {
namespace {

/// No zone is further from UTC, and the zone of a floating time is chosen by who asks.
constexpr std::int64_t floating_slack_s = day_s;
/// Steps spent on finding a rule's last instance when an object is stored; beyond, it counts as endless.
constexpr std::uint64_t bounds_steps_max = 50'000;

class Bounds {
 public:
  void add(std::int64_t from_s, std::int64_t to_s) {
    first_s_ = std::min(first_s_, from_s);
    last_s_ = std::max(last_s_, to_s);
  }
  void add(const Moment& moment) {
    const std::int64_t utc_s = moment.utc_s(Zone::utc());
    const std::int64_t slack = moment.floats() ? floating_slack_s : 0;
    add(utc_s - slack, utc_s + slack);
  }
  void widen(std::int64_t by_s) {
    first_s_ -= by_s;
    last_s_ += by_s;
  }
  [[nodiscard]] bool any() const { return first_s_ <= last_s_; }
  [[nodiscard]] CalendarTimes get() const {
    if (!any()) return {};
    return {std::clamp(first_s_, time_s_min, time_s_max), std::clamp(last_s_, time_s_min, time_s_max)};
  }

 private:
  std::int64_t first_s_ = time_s_max, last_s_ = time_s_min;
};

/// What happens by itself, without instances: alarms at a time, the moments of a VTODO without dates.
void add_plain(const TimedComponent& component, Bounds* bounds) {
  for (const auto& alarm : component.text->components) {
    if (!alarm.is("VALARM")) continue;
    const auto times = read_alarm(alarm);
    if (times && times->absolute_s)
      bounds->add(*times->absolute_s - times->reach_s(), *times->absolute_s + times->reach_s());
  }
}

std::int64_t alarm_reach(const TimedComponent& component) {
  std::int64_t reach = 0;
  for (const auto& alarm : component.text->components) {
    if (!alarm.is("VALARM")) continue;
    const auto times = read_alarm(alarm);
    if (times && !times->absolute_s) reach = std::max(reach, times->reach_s());
  }
  return reach;
}

/// When a VTODO without start and due is looked at (RFC 4791, 9.9): by its other times, or always.
void add_undated(const TimedComponent& component, Bounds* bounds) {
  if (component.kind == ComponentKind::journal || component.kind == ComponentKind::event) return;  // never
  if (component.kind != ComponentKind::todo || (!component.completed && !component.created)) {
    return bounds->add(time_s_min, time_s_max);
  }
  if (component.completed) bounds->add(*component.completed);
  if (component.created) bounds->add(*component.created);
  if (!component.completed) bounds->add(time_s_max, time_s_max);
}

}  // namespace

CalendarTimes bounds_of(CalendarView& view) {
  Bounds bounds;
  std::int64_t reach = 0;
  WorkBudget budget(bounds_steps_max);
  for (const auto& component : view.components) {
    add_plain(component, &bounds);
    reach = std::max(reach, alarm_reach(component));
    if (component.this_and_future)
      reach = std::max(reach, day_s);  // moved by the clock of one zone or of another
    if (component.kind == ComponentKind::other || component.kind == ComponentKind::freebusy) return {};
    if (!component.start && !component.end) add_undated(component, &bounds);
    const bool endless =
        component.unreadable_rule ||
        std::ranges::any_of(component.rules, [](const Rule& rule) { return !rule.count && !rule.until; });
    // A rule with UNTIL needs no stepping through; its last instance may also be long.
    if (endless) bounds.add(time_s_max, time_s_max);
    for (const auto& rule : component.rules) {
      if (rule.until) bounds.add({.value = *rule.until, .zone = nullptr});
    }
  }
  const bool endless = bounds.get().last_s == time_s_max && bounds.any();
  // An endless rule's instances need not be looked at: the first of them is DTSTART.
  const InstanceWindow window{.from_s = time_s_min, .to_s = endless ? time_s_min : time_s_max};
  const auto add_instance = [&](const Instance& instance) {
    if (instance.start) bounds.add(*instance.start);
    if (instance.end) bounds.add(*instance.end);
    return true;
  };
  const auto end = for_each_instance(view, window, Zone::utc(), budget, add_instance);
  if (end == ExpandEnd::exhausted) bounds.add(time_s_max, time_s_max);
  if (endless || end == ExpandEnd::exhausted) {
    for (const auto& component : view.components) {
      if (component.start) bounds.add(*component.start);
      for (const auto& date : component.dates) bounds.add(date.start);
    }
  }
  if (!bounds.any()) return {time_s_max, time_s_max};  // it never matches a time range
  bounds.widen(reach);
  return bounds.get();
}

CalendarTimes calendar_times(std::string_view content) {
  ZoneCache zones;
  auto view = CalendarView::read(content, zones);
  return view ? bounds_of(*view) : CalendarTimes();
}

}  // namespace pollux
