#include "calendar/time_range.h"

#include <algorithm>
#include <charconv>

#include "calendar/content_lines.h"

namespace pollux {
namespace {

/// [from, to) and a moment.
bool holds(const TimeRange& range, std::int64_t moment_s) {
  return range.from() <= moment_s && range.to() > moment_s;
}

bool overlaps_event(const TimeRange& range, const Instance& instance) {
  if (!instance.start_s) return false;
  const std::int64_t start = *instance.start_s, end = instance.end_s.value_or(start);
  if (end > start) return range.from() < end && range.to() > start;
  return holds(range, start);
}

/// The table of VTODO.
bool overlaps_todo(const TimeRange& range, const Instance& instance, const Zone& floating) {
  const std::int64_t from = range.from(), to = range.to();
  if (instance.start_s && instance.end_s) {
    const std::int64_t start = *instance.start_s, due = *instance.end_s;
    if (instance.component->end) return (from < due || from <= start) && (to > start || to >= due);
    return from <= due && (to > start || to >= due);  // DURATION
  }
  if (instance.start_s) return holds(range, *instance.start_s);
  if (instance.end_s) return from < *instance.end_s && to >= *instance.end_s;
  const auto& component = *instance.component;
  const auto time = [&](const std::optional<Moment>& moment) { return moment->utc_s(floating); };
  if (component.completed && component.created) {
    const std::int64_t completed = time(component.completed), created = time(component.created);
    return from <= std::max(completed, created) && to >= std::min(completed, created);
  }
  if (component.completed) return from <= time(component.completed) && to >= time(component.completed);
  if (component.created) return to > time(component.created);
  return true;
}

bool overlaps_freebusy(const TimeRange& range, const Instance& instance, CalendarView& view,
                       const Zone& floating) {
  if (instance.start_s && instance.component->end) {
    return range.from() <= instance.end_s.value_or(*instance.start_s) && range.to() > *instance.start_s;
  }
  return std::ranges::any_of(instance.component->text->properties, [&](const TextProperty& property) {
    return property.is("FREEBUSY") && property_in(range, property, view, floating);
  });
}

std::int64_t moved(std::int64_t utc_s, const DurationValue& by, std::int64_t times = 1) {
  return utc_s + by.about_s() * times;
}

}  // namespace

bool overlaps(const TimeRange& range, const Instance& instance, CalendarView& view, const Zone& floating) {
  switch (instance.component->kind) {
    case ComponentKind::event:
      return overlaps_event(range, instance);
    case ComponentKind::todo:
      return overlaps_todo(range, instance, floating);
    case ComponentKind::journal:
      return overlaps_event(range, instance);  // a time without length, or a day
    case ComponentKind::freebusy:
      return overlaps_freebusy(range, instance, view, floating);
    case ComponentKind::other:
      break;
  }
  return false;
}

Overlap components_in(const TimeRange& range, CalendarView& view, const Zone& floating, WorkBudget& budget) {
  Overlap found{.components = std::vector<bool>(view.components.size(), false)};
  std::size_t missing = view.components.size();
  const TimedComponent* first = view.components.data();
  const auto end = for_each_instance(
      view, {.from_s = range.from(), .to_s = range.to()}, floating, budget, [&](const Instance& instance) {
        const auto index = static_cast<std::size_t>(instance.component - first);
        if (found.components[index] || !overlaps(range, instance, view, floating)) return true;
        found.components[index] = true;
        return --missing > 0;
      });
  found.exhausted = end == ExpandEnd::exhausted;
  return found;
}

std::int64_t AlarmTimes::reach_s() const {
  return std::abs(offset.about_s()) + std::abs(pause.about_s()) * repeat + day_s;
}

std::optional<AlarmTimes> read_alarm(const TextComponent& alarm) {
  const auto* trigger = alarm.find("TRIGGER");
  if (trigger == nullptr) return std::nullopt;
  AlarmTimes times;
  if (const auto absolute = parse_time(trigger->value)) {
    times.absolute_s = absolute->local_s;  // always UTC (RFC 5545, 3.8.6.3), and read so if it doesn't say it
  } else if (const auto offset = parse_duration(trigger->value)) {
    times.offset = *offset;
    const auto related = trigger->parameter("RELATED");
    times.from_end = related && equal_ignoring_case(*related, "END");
  } else {
    return std::nullopt;
  }
  const auto* repeat = alarm.find("REPEAT");
  const auto* pause = alarm.find("DURATION");
  if (repeat == nullptr || pause == nullptr) return times;
  const std::string_view number = trim_text(repeat->value);
  std::from_chars(number.data(), number.data() + number.size(), times.repeat);
  times.repeat = std::min(times.repeat, AlarmLimits::repeat_max);
  times.pause = parse_duration(pause->value).value_or(DurationValue{});
  return times;
}

bool alarm_in(const TimeRange& range, const TextComponent& alarm, const TimedComponent& component,
              CalendarView& view, const Zone& floating, WorkBudget& budget) {
  const auto times = read_alarm(alarm);
  if (!times) return false;
  const auto goes_off = [&](std::int64_t first_s) {
    for (std::uint32_t again = 0; again <= times->repeat; ++again) {
      if (holds(range, moved(first_s, times->pause, again))) return true;
      if (times->pause.about_s() == 0) break;
    }
    return false;
  };
  if (times->absolute_s) return goes_off(*times->absolute_s);
  bool found = false;
  const auto end = for_each_instance(
      view, {.from_s = range.from(), .to_s = range.to(), .pad_s = times->reach_s()}, floating, budget,
      [&](const Instance& instance) {
        if (instance.component != &component) return true;
        if (!budget.spend(times->repeat + 1)) return false;
        const auto& base = times->from_end && instance.end_s ? instance.end_s : instance.start_s;
        const auto& other = base ? base : instance.end_s;
        found = other && goes_off(moved(*other, times->offset));
        return !found;
      });
  return found || end == ExpandEnd::exhausted || budget.is_spent();
}

bool property_in(const TimeRange& range, const TextProperty& property, CalendarView& view,
                 const Zone& floating) {
  for (const auto& period : view.periods_of(property)) {
    const std::int64_t start = period.start.utc_s(floating);
    std::int64_t end = start;
    if (period.end) {
      end = period.end->utc_s(floating);
    } else if (period.duration) {
      end = moved(start, *period.duration);
    } else if (period.start.value.date) {
      Moment next = period.start;
      next.value.local_s += day_s;
      end = next.utc_s(floating);
    }
    if (end > start ? range.from() < end && range.to() > start : holds(range, start)) return true;
  }
  return false;
}

}  // namespace pollux
