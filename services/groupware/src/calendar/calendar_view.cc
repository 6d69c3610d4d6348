#include "calendar/calendar_view.h"

#include <algorithm>

#include "calendar/content_lines.h"

namespace pollux {
namespace {

ComponentKind kind_of(const TextComponent& component) {
  if (component.is("VEVENT")) return ComponentKind::event;
  if (component.is("VTODO")) return ComponentKind::todo;
  if (component.is("VJOURNAL")) return ComponentKind::journal;
  if (component.is("VFREEBUSY")) return ComponentKind::freebusy;
  return ComponentKind::other;
}

template <class Each>
void for_each_part(std::string_view list, Each each) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    each(trim_text(list.substr(0, end)));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

}  // namespace

ZonePtr ZoneCache::of_vtimezone(const TextComponent& vtimezone) {
  const std::string_view octets = vtimezone.octets();
  if (const auto found = zones_.find(octets); found != zones_.end()) return found->second;
  auto read = zone_from_vtimezone(vtimezone);
  ZonePtr zone = read ? std::make_shared<const Zone>(std::move(*read)) : nullptr;
  if (zones_.size() < CalendarViewLimits::zones_cached_max) zones_.emplace(octets, zone);
  return zone;
}

ZonePtr ZoneCache::of_name(std::string_view tzid) {
  if (const auto found = names_.find(tzid); found != names_.end()) return found->second;
  ZonePtr zone = find_system_zone(tzid);
  if (names_.size() < CalendarViewLimits::zones_cached_max) names_.emplace(tzid, zone);
  return zone;
}

const Zone* CalendarView::zone(std::string_view tzid) {
  const auto met = std::ranges::find(zones_, tzid, &std::pair<std::string_view, ZonePtr>::first);
  if (met != zones_.end()) return met->second.get();
  ZonePtr zone;
  for (const auto& component : calendar().components) {
    if (!component.is("VTIMEZONE")) continue;
    const auto* own = component.find("TZID");
    if (own == nullptr || trim_text(own->value) != tzid) continue;
    zone = cache_->of_vtimezone(component);
    break;
  }
  if (!zone) zone = cache_->of_name(tzid);
  zones_.emplace_back(tzid, zone);
  return zone.get();
}

std::optional<Moment> CalendarView::moment_of(const TextProperty& property) {
  const auto value = parse_time(property.value);
  if (!value) return std::nullopt;
  Moment moment{.value = *value, .zone = nullptr};
  if (!value->utc && !value->date) {
    if (const auto tzid = property.parameter("TZID")) moment.zone = zone(*tzid);
  }
  return moment;
}

std::vector<PeriodValue> CalendarView::periods_of(const TextProperty& property) {
  std::vector<PeriodValue> periods;
  const auto tzid = property.parameter("TZID");
  const auto moment = [&](std::string_view text) -> std::optional<Moment> {
    const auto value = parse_time(text);
    if (!value) return std::nullopt;
    return Moment{.value = *value, .zone = tzid && !value->utc && !value->date ? zone(*tzid) : nullptr};
  };
  for_each_part(property.value, [&](std::string_view part) {
    const std::size_t slash = part.find('/');
    const auto start = moment(part.substr(0, slash));
    if (!start) return;
    PeriodValue period{.start = *start, .end = {}, .duration = {}};
    if (slash != std::string_view::npos) {
      period.end = moment(part.substr(slash + 1));
      if (!period.end) period.duration = parse_duration(part.substr(slash + 1));
    }
    periods.push_back(period);
  });
  return periods;
}

void CalendarView::read_property(const TextProperty& property, TimedComponent* out) {
  const auto is = [&](std::string_view name) { return property.is(name); };
  if (is("DTSTART")) {
    out->start = moment_of(property);
  } else if (is(out->kind == ComponentKind::todo ? "DUE" : "DTEND")) {
    out->end = moment_of(property);
  } else if (is("DURATION")) {
    out->duration = parse_duration(property.value);
    if (out->duration && out->duration->about_s() < 0) out->duration.reset();
  } else if (is("RRULE")) {
    auto rule = parse_rule(property.value);
    if (!rule) {
      out->unreadable_rule = true;
    } else if (out->rules.size() < CalendarViewLimits::rules_max) {
      out->rules.push_back(std::move(*rule));
    }
  } else if (is("RDATE")) {
    auto dates = periods_of(property);
    out->dates.insert(out->dates.end(), dates.begin(), dates.end());
  } else if (is("EXDATE")) {
    for (const auto& period : periods_of(property)) out->excluded.push_back(period.start);
  } else if (is("RECURRENCE-ID")) {
    out->recurrence_id = moment_of(property);
    const auto range = property.parameter("RANGE");
    out->this_and_future = range && equal_ignoring_case(*range, "THISANDFUTURE");
  } else if (is("COMPLETED")) {
    out->completed = moment_of(property);
  } else if (is("CREATED")) {
    out->created = moment_of(property);
  }
}

TimedComponent CalendarView::read_component(const TextComponent& component) {
  TimedComponent out{.text = &component, .kind = kind_of(component)};
  for (const auto& property : component.properties) read_property(property, &out);
  // What ends before it begins has no length.
  if (out.start && out.end && out.end->value.local_s < out.start->value.local_s &&
      out.start->zone == out.end->zone && out.kind == ComponentKind::event) {
    out.end = out.start;
  }
  return out;
}

std::optional<CalendarView> CalendarView::read(std::string_view text, ZoneCache& cache) {
  auto tree = TextTree::parse(text);
  if (!tree || tree->roots.empty() || !tree->roots.front().is("VCALENDAR")) return std::nullopt;
  CalendarView view(std::move(*tree), cache);
  for (const auto& component : view.calendar().components) {
    if (!component.is("VTIMEZONE")) view.components.push_back(view.read_component(component));
  }
  return view;
}

ZonePtr zone_of_calendar_text(std::string_view text) {
  const auto tree = TextTree::parse(text);
  if (!tree || tree->roots.empty()) return nullptr;
  for (const auto& component : tree->roots.front().components) {
    if (!component.is("VTIMEZONE")) continue;
    if (auto zone = zone_from_vtimezone(component)) return std::make_shared<const Zone>(std::move(*zone));
    if (const auto* tzid = component.find("TZID")) return find_system_zone(tzid->value);
  }
  return nullptr;
}

}  // namespace pollux
