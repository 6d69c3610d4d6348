#include "calendar/render.h"

#include <algorithm>
#include <array>

#include "calendar/content_lines.h"

namespace pollux {
namespace {

const CompSelection* find_selection(const CompSelection& parent, std::string_view name) {
  const auto found = std::ranges::find_if(
      parent.components, [&](const CompSelection& one) { return equal_ignoring_case(one.name, name); });
  return found == parent.components.end() ? nullptr : &*found;
}

/// A selection for what a parent selects wholly.
const CompSelection& whole() {
  static const CompSelection all{.name = {}, .all_properties = true, .all_components = true};
  return all;
}

class Renderer {
 public:
  Renderer(CalendarView& view, const CalendarDataQuestion& question, const Zone& floating, WorkBudget& budget)
      : view_(view), question_(question), floating_(floating), budget_(budget) {}

  Result<std::string> run() {
    const TextComponent& root = view_.calendar();
    const CompSelection& selection = question_.selection ? *question_.selection : whole();
    append_line(&out_, root.begin);
    for (const auto& property : root.properties) add_property(property, selection);
    if (question_.expand) {
      if (auto expanded = add_instances(selection); !expanded) return std::unexpected(expanded.error());
    } else {
      std::size_t index = 0;
      for (const auto& component : root.components) {
        const bool zone = component.is("VTIMEZONE");
        if (!zone && !is_wanted(view_.components[index++])) continue;
        add_child(component, selection);
      }
    }
    append_line(&out_, root.end);
    return std::move(out_);
  }

 private:
  void add_property(const TextProperty& property, const CompSelection& selection) {
    if (selection.all_properties) return append_line(&out_, property.octets);
    for (const auto& one : selection.properties) {
      if (!property.is(one.name)) continue;
      return one.no_value ? append_without_value(&out_, property) : append_line(&out_, property.octets);
    }
  }

  [[nodiscard]] static const CompSelection* selected(std::string_view name, const CompSelection& parent) {
    return parent.all_components ? &whole() : find_selection(parent, name);
  }

  void add_child(const TextComponent& component, const CompSelection& parent) {
    const CompSelection* selection = selected(component.name, parent);
    if (selection == nullptr) return;
    append_line(&out_, component.begin);
    for (const auto& property : component.properties) {
      if (property.is("FREEBUSY") && question_.limit_freebusy) {
        add_freebusy(property, *selection);
      } else {
        add_property(property, *selection);
      }
    }
    for (const auto& inner : component.components) add_child(inner, *selection);
    append_line(&out_, component.end);
  }

  /// Only the periods within the range (RFC 4791, 9.6.7).
  void add_freebusy(const TextProperty& property, const CompSelection& selection) {
    if (!selection.all_properties &&
        std::ranges::none_of(selection.properties, [&](const auto& one) { return property.is(one.name); })) {
      return;
    }
    std::string periods;
    for (std::string_view rest = property.value; !rest.empty();) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      TextProperty one = property;
      one.value = rest.substr(0, end);
      if (property_in(*question_.limit_freebusy, one, view_, floating_)) {
        periods.append(periods.empty() ? "" : ",").append(one.value);
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (periods.empty()) return;
    out_.append(property.name).append(property.parameters).append(":").append(periods).append("\r\n");
  }

  /// With limit-recurrence-set: the master, and those overrides that say something about the range (RFC
  /// 4791, 9.6.6).
  [[nodiscard]] bool is_wanted(const TimedComponent& component) {
    if (!question_.limit_recurrences || !component.recurrence_id) return true;
    const TimeRange& range = *question_.limit_recurrences;
    const std::int64_t id_s = component.recurrence_id->utc_s(floating_);
    if (component.this_and_future) return id_s < range.to();
    Instance instance{.component = &component,
                      .start = component.start,
                      .end = component.start ? end_of(component, *component.start, floating_) : component.end,
                      .start_s = {},
                      .end_s = {},
                      .id = component.recurrence_id};
    if (instance.start) instance.start_s = instance.start->utc_s(floating_);
    if (instance.end) instance.end_s = instance.end->utc_s(floating_);
    if (overlaps(range, instance, view_, floating_)) return true;
    // Where it would have been: without it, a client would show it there.
    for (const auto& master : view_.components) {
      if (master.recurrence_id || !master.start) continue;
      instance.component = &master;
      instance.start_s = id_s;
      const auto end = end_of(master, *component.recurrence_id, floating_);
      instance.end_s = end ? std::optional(end->utc_s(floating_)) : std::nullopt;
      if (overlaps(range, instance, view_, floating_)) return true;
    }
    return false;
  }

  Result<void> add_instances(const CompSelection& selection) {
    std::size_t count = 0;
    const auto end =
        for_each_instance(view_, {.from_s = question_.expand->from(), .to_s = question_.expand->to()},
                          floating_, budget_, [&](const Instance& instance) {
                            if (!overlaps(*question_.expand, instance, view_, floating_)) return true;
                            if (++count > RecurrenceLimits::expanded_max) return false;
                            add_instance(instance, selection);
                            return true;
                          });
    if (end == ExpandEnd::complete) return {};
    return fail(Code::too_large,
                "An event recurs more often within the time range than this server expands (" +
                    std::to_string(RecurrenceLimits::expanded_max) + " times): ask for a shorter one.");
  }

  void add_time(std::string_view name, const Moment& moment) {
    out_.append(name);
    if (moment.value.date) {
      out_.append(";VALUE=DATE:").append(format_time(moment.value));
    } else if (moment.floats()) {
      out_.append(":").append(format_time(moment.value));
    } else {
      out_.append(":").append(format_utc(moment.utc_s(floating_)));
    }
    out_.append("\r\n");
  }

  /// One instance as a component of its own: times in UTC, no rules, told apart by RECURRENCE-ID (RFC
  /// 4791, 9.6.5).
  void add_instance(const Instance& instance, const CompSelection& parent) {
    const TextComponent& text = *instance.component->text;
    const CompSelection* selection = selected(text.name, parent);
    if (selection == nullptr) return;
    const bool todo = instance.component->kind == ComponentKind::todo;
    // Of a date with a length of its own, the component's DURATION does not hold.
    const bool own_end = instance.component->end || (instance.end && !instance.component->dates.empty());
    const auto wanted = [&](std::string_view name) {
      return selection->all_properties ||
             std::ranges::any_of(selection->properties, [&](const PropSelection& one) {
               return equal_ignoring_case(one.name, name);
             });
    };
    append_line(&out_, text.begin);
    if (instance.id && wanted("RECURRENCE-ID")) add_time("RECURRENCE-ID", *instance.id);
    if (instance.start && wanted("DTSTART")) add_time("DTSTART", *instance.start);
    if (own_end && instance.end && wanted(todo ? "DUE" : "DTEND"))
      add_time(todo ? "DUE" : "DTEND", *instance.end);
    constexpr std::array<std::string_view, 8> replaced{"DTSTART", "DTEND",  "DUE",   "RECURRENCE-ID",
                                                       "RRULE",   "EXRULE", "RDATE", "EXDATE"};
    for (const auto& property : text.properties) {
      if (std::ranges::any_of(replaced, [&](std::string_view name) { return property.is(name); })) continue;
      if (property.is("DURATION") && own_end) continue;
      // Its zone is not given: the time must tell itself when it is.
      const auto moment = property.parameter("TZID") ? view_.moment_of(property) : std::nullopt;
      if (moment && wanted(property.name)) {
        add_time(property.name, *moment);
      } else {
        add_property(property, *selection);
      }
    }
    for (const auto& inner : text.components) add_child(inner, *selection);
    append_line(&out_, text.end);
  }

  CalendarView& view_;
  const CalendarDataQuestion& question_;
  const Zone& floating_;
  WorkBudget& budget_;
  std::string out_;
};

}  // namespace

void append_line(std::string* out, std::string_view octets) {
  out->append(octets);
  if (!octets.ends_with('\n')) out->append(octets.ends_with('\r') ? "\n" : "\r\n");
}

void append_without_value(std::string* out, const TextProperty& property) {
  if (!property.group.empty()) out->append(property.group).append(".");
  out->append(property.name).append(property.parameters).append(":\r\n");
}

Result<std::string> render_calendar(std::string_view content, const CalendarDataQuestion& question,
                                    const Zone& floating, ZoneCache& zones, WorkBudget& budget) {
  if (question.is_whole()) return std::string(content);
  auto view = CalendarView::read(content, zones);
  if (!view) return fail(Code::malformed, "A stored item can't be read as a calendar object.");
  return Renderer(*view, question, floating, budget).run();
}

}  // namespace pollux
