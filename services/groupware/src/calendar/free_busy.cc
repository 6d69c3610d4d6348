#include "calendar/free_busy.h"

#include <algorithm>
#include <array>

#include "calendar/content_lines.h"

namespace pollux {
namespace {

bool has_value(const TextComponent& component, std::string_view name, std::string_view value) {
  const auto* property = component.find(name);
  return property != nullptr && equal_ignoring_case(trim_text(property->value), value);
}

}  // namespace

FreeBusy::FreeBusy(TimeRange range, ZonePtr floating)
    : range_(range), floating_(floating ? std::move(floating) : ZonePtr(&Zone::utc(), [](const Zone*) {})) {}

void FreeBusy::add_period(Type type, std::int64_t from_s, std::int64_t to_s) {
  from_s = std::max(from_s, range_.from());
  to_s = std::min(to_s, range_.to());
  if (from_s >= to_s) return;
  auto& periods = periods_[type];
  if (!periods.empty() && from_s >= periods.back().from_s && from_s <= periods.back().to_s) {
    periods.back().to_s = std::max(periods.back().to_s, to_s);  // most come in order
    return;
  }
  periods.push_back({from_s, to_s});
}

void FreeBusy::add_told(const TextProperty& property, CalendarView& view) {
  const auto type_name = property.parameter("FBTYPE").value_or("BUSY");
  if (equal_ignoring_case(type_name, "FREE")) return;
  const Type type = equal_ignoring_case(type_name, "BUSY-TENTATIVE")     ? tentative
                    : equal_ignoring_case(type_name, "BUSY-UNAVAILABLE") ? unavailable
                                                                         : busy;
  for (const auto& period : view.periods_of(property)) {
    const std::int64_t from = period.start.utc_s(*floating_);
    if (period.end) add_period(type, from, period.end->utc_s(*floating_));
    if (period.duration) add_period(type, from, from + period.duration->about_s());
  }
}

void FreeBusy::join(std::vector<Period>* periods) {
  std::ranges::sort(*periods, {}, &Period::from_s);
  std::vector<Period> joined;
  for (const auto& period : *periods) {
    if (!joined.empty() && period.from_s <= joined.back().to_s) {
      joined.back().to_s = std::max(joined.back().to_s, period.to_s);
    } else {
      joined.push_back(period);
    }
  }
  *periods = std::move(joined);
}

Result<void> FreeBusy::check_size() {
  for (auto& periods : periods_) {
    if (periods.size() <= FreeBusyLimits::periods_max) continue;
    join(&periods);
    if (periods.size() > FreeBusyLimits::periods_max) {
      return fail(Code::too_large, "There are more than " + std::to_string(FreeBusyLimits::periods_max) +
                                       " busy periods in the time range: ask for a shorter one.");
    }
  }
  return {};
}

Result<void> FreeBusy::add(std::string_view content) {
  auto view = CalendarView::read(content, zones_);
  if (!view) return {};
  for (const auto& component : view->components) {
    if (component.kind != ComponentKind::freebusy) continue;
    for (const auto& property : component.text->properties) {
      if (property.is("FREEBUSY")) add_told(property, *view);
    }
  }
  WorkBudget budget(
      std::clamp(budget_, RecurrenceLimits::object_steps_min, RecurrenceLimits::object_steps_max));
  const std::uint64_t before = budget.left();
  Result<void> size;
  const auto end =
      for_each_instance(*view, {.from_s = range_.from(), .to_s = range_.to()}, *floating_, budget,
                        [&](const Instance& instance) {
                          const auto& component = *instance.component;
                          if (component.kind != ComponentKind::event || !instance.start_s || !instance.end_s)
                            return true;
                          if (has_value(*component.text, "TRANSP", "TRANSPARENT") ||
                              has_value(*component.text, "STATUS", "CANCELLED")) {
                            return true;
                          }
                          add_period(has_value(*component.text, "STATUS", "TENTATIVE") ? tentative : busy,
                                     *instance.start_s, *instance.end_s);
                          size = check_size();
                          return size.has_value();
                        });
  budget_ -= std::min(budget_, before - budget.left());
  if (!size) return size;
  if (end == ExpandEnd::exhausted) {
    return fail(Code::too_large, "An event recurs too often within the time range: ask for a shorter one.");
  }
  return {};
}

std::string FreeBusy::render(std::int64_t now_s) {
  std::string out =
      "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Pollux//Groupware//EN\r\nBEGIN:VFREEBUSY\r\nDTSTAMP:" +
      format_utc(now_s) + "\r\nDTSTART:" + format_utc(range_.from()) +
      "\r\nDTEND:" + format_utc(range_.to()) + "\r\n";
  constexpr std::array<std::string_view, 3> names{"", ";FBTYPE=BUSY-TENTATIVE", ";FBTYPE=BUSY-UNAVAILABLE"};
  for (std::size_t type = 0; type < names.size(); ++type) {
    join(&periods_[type]);
    for (const auto& period : periods_[type]) {
      out.append("FREEBUSY").append(names[type]).append(":").append(format_utc(period.from_s)).append("/");
      out.append(format_utc(period.to_s)).append("\r\n");
    }
  }
  return out.append("END:VFREEBUSY\r\nEND:VCALENDAR\r\n");
}

}  // namespace pollux
