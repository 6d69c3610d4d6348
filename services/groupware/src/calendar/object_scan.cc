#include "calendar/object_scan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <vector>

#include "calendar/content_lines.h"
#include "calendar/rule.h"
#include "calendar/values.h"
#include "pollux/groupware/requests.h"
#include "state/names.h"

namespace pollux {
namespace {

constexpr std::array<std::string_view, 3> stored_components{"VEVENT", "VTODO", "VJOURNAL"};
constexpr std::array<std::string_view, 8> time_properties{"DTSTART", "DTEND", "DUE",    "DURATION",
                                                          "RRULE",   "RDATE", "EXDATE", "RECURRENCE-ID"};

std::string_view trim(std::string_view text) {
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

std::string upper(std::string_view text) {
  std::string out(text.substr(0, 64));
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

/// The number that `count` digits at `at` make; none if they are no digits.
std::optional<unsigned> digits(std::string_view text, std::size_t at, std::size_t count) {
  if (text.size() < at + count) return std::nullopt;
  unsigned number = 0;
  const char* end = text.data() + at + count;
  const auto [stop, error] = std::from_chars(text.data() + at, end, number);
  return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

/// False for a DATE or DATE-TIME (RFC 5545, 3.3.4 and 3.3.5) of a day or an hour that there is not, which
/// libical would take for a later one. What has another form is libical's to judge.
bool there_is(std::string_view time) {
  const auto year = digits(time, 0, 4), month = digits(time, 4, 2), day = digits(time, 6, 2);
  if (!year || !month || !day) return true;
  const auto date =
      std::chrono::year(static_cast<int>(*year)) / std::chrono::month(*month) / std::chrono::day(*day);
  if (!date.ok()) return false;
  const auto hour = digits(time, 9, 2), minute = digits(time, 11, 2), second = digits(time, 13, 2);
  if (!hour || !minute || !second) return true;
  return *hour < 24 && *minute < 60 && *second <= 60;
}

/// The same of each of a list, and of both ends of a period.
bool there_are_all(std::string_view times) {
  while (!times.empty()) {
    const std::size_t end = std::min(times.find_first_of(",/"), times.size());
    if (!there_is(trim(times.substr(0, end)))) return false;
    times.remove_prefix(std::min(end + 1, times.size()));
  }
  return true;
}

/// XML can't carry these, so no client could be told of them in a multistatus (XML 1.0, 2.2).
bool has_unwelcome_characters(std::string_view text) {
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t'; }))
    return true;
  return text.contains("\xef\xbf\xbe") || text.contains("\xef\xbf\xbf");
}

class Scanner {
 public:
  std::expected<ObjectScan, CalendarRefusal> run(std::string_view content) {
    ContentLines lines(content);
    std::size_t count = 0;
    while (const auto line = lines.next()) {
      number_ = line->number;
      if (++count > CalendarLimits::lines_max) {
        data("it has more than " + std::to_string(CalendarLimits::lines_max) + " lines");
      } else {
        take(line->text);
      }
      if (refusal_) return std::unexpected(*refusal_);
    }
    finish();
    if (refusal_) return std::unexpected(*refusal_);
    return ObjectScan{{uid_, component_}, components_, std::move(outline_)};
  }

 private:
  void refuse(CalendarFault fault, std::string text) {
    if (!refusal_) refusal_ = CalendarRefusal{fault, std::move(text)};
  }
  void data(const std::string& what) {
    refuse(CalendarFault::data,
           "This can't be read as iCalendar: line " + std::to_string(number_) + ": " + what + ".");
  }
  void object(const std::string& what) {
    refuse(CalendarFault::object,
           "This is no calendar object: line " + std::to_string(number_) + ": " + what + ".");
  }

  void take(std::string_view line) {
    if (!is_utf8(line)) return data("it is not UTF-8");
    if (has_unwelcome_characters(line)) return data("it has a control character");
    const auto parts = split_line(line);
    if (!parts) {
      return data(number_ == 1 ? "it does not begin with BEGIN:VCALENDAR"
                               : "it is neither NAME:VALUE nor a continued line");
    }
    if (equal_ignoring_case(parts->name, "BEGIN")) return begin(upper(trim(parts->value)));
    if (equal_ignoring_case(parts->name, "END")) return end(upper(trim(parts->value)));
    if (stack_.empty()) return data("it stands outside of VCALENDAR");
    property(*parts, line);
  }

  void begin(std::string name) {
    if (stack_.empty() && calendars_ > 0) return object("a second calendar begins in the same body");
    if (stack_.empty() && name != "VCALENDAR")
      return data("it begins with " + name + " and not with VCALENDAR");
    if (stack_.size() >= CalendarLimits::nesting_max) return data("components are nested too deeply");
    if (stack_.empty()) ++calendars_;
    stack_.push_back(std::move(name));
    if (stack_.size() == 1 || in_component()) keep("BEGIN:" + stack_.back());
    if (in_component()) begin_component();
  }

  void begin_component() {
    const std::string& name = stack_.back();
    if (std::ranges::find(stored_components, name) == stored_components.end()) {
      return refuse(CalendarFault::component, "A calendar takes VEVENT, VTODO and VJOURNAL, and line " +
                                                  std::to_string(number_) + " begins a " + name + ".");
    }
    if (!component_.empty() && component_ != name) {
      return object("it begins a " + name + " after a " + component_ + ", and an item has only one kind");
    }
    if (++components_ > CalendarLimits::components_max) return object("there are too many components");
    component_ = name;
    own_uid_ = false;
    override_ = false;
    start_ = false;
  }

  void end(const std::string& name) {
    if (stack_.empty() || stack_.back() != name) {
      return data("END:" + name + " does not fit " +
                  (stack_.empty() ? "anything" : "BEGIN:" + stack_.back()));
    }
    if (in_component()) end_component();
    if (stack_.size() == 1 || in_component()) keep("END:" + name);
    stack_.pop_back();
  }

  void end_component() {
    if (!own_uid_) return object("the " + component_ + " that ends here has no UID");
    if (component_ == "VEVENT" && !start_) return data("the VEVENT that ends here has no DTSTART");
    if (override_) return;
    if (++masters_ > 1) {
      object("a second " + component_ + " with this UID ends here, and it has no RECURRENCE-ID");
    }
  }

  void property(const LineParts& parts, std::string_view line) {
    if (stack_.size() == 1) {
      if (equal_ignoring_case(parts.name, "METHOD")) {
        object("it has a METHOD: this is a message for scheduling and not an item of a calendar");
      }
      if (equal_ignoring_case(parts.name, "VERSION") && trim(parts.value) != "2.0") {
        data("its VERSION is not 2.0");
      }
      return;
    }
    if (stack_.size() == 3 && stack_.back() == "VALARM" && equal_ignoring_case(parts.name, "TRIGGER")) {
      if (!parse_duration(parts.value) && !parse_time(parts.value)) {
        data("its TRIGGER is neither a duration nor a time");
      }
      return;
    }
    if (!in_component()) return;
    if (equal_ignoring_case(parts.name, "UID")) return take_uid(parts.value);
    const auto* found = std::ranges::find_if(
        time_properties, [&](std::string_view name) { return equal_ignoring_case(parts.name, name); });
    if (found == time_properties.end()) return;
    if (*found != "DURATION" && *found != "RRULE" && !there_are_all(parts.value)) {
      return data("its " + std::string(*found) + " is at a day or time that does not exist");
    }
    if (*found == "RRULE" && !parse_rule(parts.value)) return data("its RRULE can't be read");
    if (*found == "RECURRENCE-ID") override_ = true;
    if (*found == "DTSTART") start_ = true;
    if (line.size() > CalendarLimits::time_line_bytes_max)
      return data("this " + std::string(*found) + " is too long");
    keep(line);
  }

  void take_uid(std::string_view value) {
    const std::string_view uid = trim(value);
    if (uid.empty()) return object("its UID is empty");
    if (own_uid_) return object("a second UID in the same " + component_);
    own_uid_ = true;
    if (uid_.empty()) uid_ = uid;
    if (uid.size() > GroupwareLimits::uid_bytes_max) return object("its UID is too long");
    keep("UID:" + std::string(uid));
    if (uid_ != uid) object("its UID is not that of the first " + component_ + ", and an item has one UID");
  }

  void finish() {
    if (calendars_ == 0) {
      return refuse(CalendarFault::data,
                    "This can't be read as iCalendar: it does not begin with BEGIN:VCALENDAR.");
    }
    if (!stack_.empty()) {
      return refuse(CalendarFault::data, "This can't be read as iCalendar: it ends within " + stack_.back() +
                                             ", as if it were cut off.");
    }
    if (components_ == 0) {
      refuse(CalendarFault::object,
             "This is no calendar object: there is no VEVENT, VTODO or VJOURNAL in it.");
    }
  }

  void keep(std::string_view line) { outline_.append(line).append("\r\n"); }
  [[nodiscard]] bool in_component() const { return stack_.size() == 2 && stack_.back() != "VTIMEZONE"; }

  std::optional<CalendarRefusal> refusal_;
  std::vector<std::string> stack_;
  std::size_t number_ = 1, calendars_ = 0, components_ = 0, masters_ = 0;
  std::string uid_, component_, outline_;
  bool own_uid_ = false, override_ = false, start_ = false;  // of the component being read
};

}  // namespace

std::expected<ObjectScan, CalendarRefusal> scan_calendar_object(std::string_view content) {
  return Scanner().run(content);
}

CalendarRefusal unreadable_line(std::string_view content, std::string_view line) {
  ContentLines lines(content);
  auto found = lines.next();
  while (found && found->text != line) found = lines.next();
  const std::string number = found ? "line " + std::to_string(found->number) + ": " : std::string();
  const auto parts = split_line(line);
  const std::string name = parts ? upper(parts->name) : "a line";
  return {CalendarFault::data,
          "This can't be read as iCalendar: " + number + "the value of " + name + " can't be read."};
}

}  // namespace pollux
