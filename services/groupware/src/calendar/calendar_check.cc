// The only file that knows libical. It reads lines and whole objects here; it never expands a rule.
#include "pollux/groupware/calendar_check.h"

#include <libical/ical.h>

#include <memory>
#include <mutex>

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

/// What is stored must be readable later, when a query needs it.
bool parses_whole(std::string_view content, const ObjectScan& scan) {
  if (content.starts_with("\xef\xbb\xbf")) content.remove_prefix(3);
  const ComponentPtr root(icalparser_parse_string(std::string(content).c_str()));
  if (!root || icalcomponent_isa(root.get()) != ICAL_VCALENDAR_COMPONENT) return false;
  const auto kind = icalcomponent_string_to_kind(scan.object.component.c_str());
  return static_cast<std::size_t>(icalcomponent_count_components(root.get(), kind)) == scan.components;
}

}  // namespace

std::expected<CalendarObject, CalendarRefusal> check_calendar(std::string_view content) {
  prepare_calendar_library();
  auto scan = scan_calendar_object(content, is_readable);
  if (!scan) return std::unexpected(scan.error());
  if (!parses_whole(content, *scan)) {
    return std::unexpected(CalendarRefusal{CalendarFault::data, "This can't be read as iCalendar by libical."});
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
