#include "calendar/filter.h"

#include <algorithm>

#include "calendar/content_lines.h"

namespace pollux {
bool fits_parameter(const ParamFilter& filter, const TextProperty& property) {
  bool defined = false, fits = false;
  for_each_parameter(property.parameters, [&](std::string_view name, std::string_view values) {
    if (!equal_ignoring_case(name, filter.name)) return true;
    defined = true;
    if (filter.text) {
      for_each_parameter_value(values, [&](std::string_view value) {
        fits = fits || filter.text->fits(value);
        return !fits;
      });
    }
    return true;
  });
  if (filter.is_not_defined) return !defined;
  return defined && (!filter.text || fits != filter.text->negates());
}

CalendarFilter::CalendarFilter(CompFilter root, ZonePtr floating)
    : root_(std::move(root)),
      floating_(floating ? std::move(floating) : ZonePtr(&Zone::utc(), [](const Zone*) {})) {}

bool CalendarFilter::matches(std::string_view content) {
  auto view = CalendarView::read(content, zones_);
  if (!view) return false;
  if (root_.is_not_defined || !view->calendar().is(root_.name))
    return root_.is_not_defined && !view->calendar().is(root_.name);
  WorkBudget budget(
      std::clamp(budget_, RecurrenceLimits::object_steps_min, RecurrenceLimits::object_steps_max));
  const std::uint64_t before = budget.left();
  const bool found = fits(root_, view->calendar(), nullptr, *view, budget);
  budget_ -= std::min(budget_, before - budget.left());
  return found;
}

bool CalendarFilter::fits_property(const PropFilter& filter, const TextComponent& component,
                                   CalendarView& view) const {
  bool defined = false;
  for (const auto& property : component.properties) {
    if (!property.is(filter.name)) continue;
    defined = true;
    if (filter.is_not_defined) return false;
    if (filter.range && !property_in(*filter.range, property, view, *floating_)) continue;
    if (filter.text && filter.text->fits(unescape_text(property.value)) == filter.text->negates()) continue;
    const bool parameters = std::ranges::all_of(
        filter.parameters, [&](const ParamFilter& parameter) { return fits_parameter(parameter, property); });
    if (parameters) return true;
  }
  return filter.is_not_defined && !defined;
}

bool CalendarFilter::fits(const CompFilter& filter, const TextComponent& component,
                          const TimedComponent* timed, CalendarView& view, WorkBudget& budget) {
  for (const auto& property : filter.properties) {
    if (!fits_property(property, component, view)) return false;
  }
  return std::ranges::all_of(filter.components, [&](const CompFilter& inner) {
    return fits_one(inner, component, timed == nullptr, timed, view, budget);
  });
}

/// Whether one of the parent's components fits, or with is-not-defined that there is none of that name.
bool CalendarFilter::fits_one(const CompFilter& filter, const TextComponent& parent, bool top,
                              const TimedComponent* timed, CalendarView& view, WorkBudget& budget) {
  std::optional<Overlap> overlap;
  if (filter.range && top) overlap = components_in(*filter.range, view, *floating_, budget);
  std::size_t index = 0;
  for (const auto& component : parent.components) {
    const bool zone = component.is("VTIMEZONE");
    const std::size_t own = top && !zone ? index++ : 0;
    if (!component.is(filter.name)) continue;
    if (filter.is_not_defined) return false;
    const TimedComponent* self = top && !zone ? &view.components[own] : timed;
    if (overlap && (zone || !(overlap->components[own] || overlap->exhausted))) continue;
    if (filter.range && !top) {
      if (!component.is("VALARM") || timed == nullptr) continue;
      if (!alarm_in(*filter.range, component, *timed, view, *floating_, budget)) continue;
    }
    if (fits(filter, component, self, view, budget)) return true;
  }
  return filter.is_not_defined;
}

CalendarFilter::Coarse CalendarFilter::coarse() const {
  Coarse coarse;
  for (const auto& component : root_.components) {
    if (component.is_not_defined) continue;
    std::string name = component.name;
    for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    if (name == "VTIMEZONE") continue;
    coarse.component = std::move(name);
    if (component.range) coarse.range = *component.range;
    for (const auto& inner : component.components) {
      // Alarms are within an object's bounds, too.
      if (!component.range && !inner.is_not_defined && inner.range) coarse.range = *inner.range;
    }
    break;
  }
  return coarse;
}

}  // namespace pollux
