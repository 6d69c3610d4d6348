// The only file that knows libical. It never expands a rule here.
#include "pollux/groupware/calendar_check.h"

#include <libical/ical.h>

#include <memory>
#include <mutex>

#include "calendar/content_lines.h"
#include "calendar/object_scan.h"

namespace pollux {
namespace {

struct FreeComponent {
  void operator()(icalcomponent* component) const { icalcomponent_free(component); }
};
using ComponentPtr = std::unique_ptr<icalcomponent, FreeComponent>;

bool is_readable(std::string_view line) {
  icalproperty* property = icalproperty_new_from_string(std::string(line).c_str());
  if (property == nullptr) return false;
  const bool readable = icalproperty_get_value(property) != nullptr;
  icalproperty_free(property);
  return readable;
}

/// The first line of the outline that libical can't read.
CalendarRefusal find_fault(std::string_view content, std::string_view outline) {
  ContentLines lines(outline);
  while (const auto line = lines.next()) {
    const auto parts = split_line(line->text);
    if (parts && (equal_ignoring_case(parts->name, "BEGIN") || equal_ignoring_case(parts->name, "END")))
      continue;
    if (!is_readable(line->text)) return unreadable_line(content, line->text);
  }
  return {CalendarFault::data, "This can't be read as iCalendar by libical."};
}

}  // namespace

std::expected<CalendarObject, CalendarRefusal> check_calendar(std::string_view content) {
  prepare_calendar_library();
  auto scan = scan_calendar_object(content);
  if (!scan) return std::unexpected(scan.error());
  // What is stored must be readable later, when a query needs it.
  const ComponentPtr root(icalparser_parse_string(scan->outline.c_str()));
  if (!root || icalcomponent_isa(root.get()) != ICAL_VCALENDAR_COMPONENT ||
      icalcomponent_count_errors(root.get()) > 0) {
    return std::unexpected(find_fault(content, scan->outline));
  }
  const auto kind = icalcomponent_string_to_kind(scan->object.component.c_str());
  if (static_cast<std::size_t>(icalcomponent_count_components(root.get(), kind)) != scan->components) {
    return std::unexpected(find_fault(content, scan->outline));
  }
  return std::move(scan->object);
}

void prepare_calendar_library() {
  static std::once_flag once;
  std::call_once(once, [] {
    icalerror_set_errors_are_fatal(0);
    icaltimezone_get_builtin_timezones();
  });
}

}  // namespace pollux
