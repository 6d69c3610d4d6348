// The parsers of the groupware service that look into what is stored, and into what is asked: whatever the
// bytes, no crash and no endless work. See input_targets.h.
#pragma once

#include <string>
#include <string_view>

#include "calendar/filter.h"
#include "calendar/free_busy.h"
#include "calendar/render.h"
#include "contacts/card_filter.h"
#include "dav/report_parse.h"
#include "pollux/core/check.h"
#include "pollux/groupware/calendar_check.h"
#include "pollux/groupware/card_check.h"

namespace pollux::testing {

inline constexpr std::string_view fuzz_event =
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:u\r\nDTSTAMP:20240101T000000Z\r\nDTSTART:"
    "20240101T100000\r\n"
    "DURATION:PT1H\r\nRRULE:FREQ=WEEKLY;BYDAY=MO,TU\r\nEXDATE:20240108T100000\r\nSUMMARY;LANGUAGE=en:Tea\r\n"
    "BEGIN:VALARM\r\nTRIGGER:-PT15M\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
inline constexpr std::string_view fuzz_card =
    "BEGIN:VCARD\r\nVERSION:4.0\r\nUID:u\r\nFN:Ada\r\nitem1.EMAIL;TYPE=work:a@example.com\r\nEND:VCARD\r\n";

/// A calendar object in every way that queries look at one: bounds, ranges, expansion, free-busy.
inline void try_recurrence(std::string_view bytes) {
  ZoneCache zones;
  auto view = CalendarView::read(bytes, zones);
  if (!view) return;
  const CalendarTimes times = bounds_of(*view);
  POLLUX_CHECK(times.first_s >= time_s_min && times.last_s <= time_s_max);
  const std::int64_t start = day_number(2024, 1, 1) * day_s;
  for (const std::int64_t length : {day_s, 400 * day_s, 8000 * day_s}) {
    const TimeRange range{start, start + length};
    WorkBudget budget(20'000);
    const Overlap found = components_in(range, *view, Zone::utc(), budget);
    // The coarse index must not hide what a query finds.
    for (const bool one : found.components) {
      POLLUX_CHECK(!one || (times.first_s <= *range.end_s && times.last_s >= *range.start_s));
    }
    for (const auto& component : view->components) {
      for (const auto& inner : component.text->components) {
        WorkBudget little(2'000);
        if (inner.is("VALARM")) alarm_in(range, inner, component, *view, Zone::utc(), little);
      }
    }
    CalendarDataQuestion question;
    question.expand = range;
    WorkBudget expanding(20'000);
    static_cast<void>(render_calendar(bytes, question, Zone::utc(), zones, expanding));
    question = {};
    question.limit_recurrences = range;
    question.selection = CompSelection{.name = "VCALENDAR", .all_properties = true, .all_components = true};
    static_cast<void>(render_calendar(bytes, question, Zone::utc(), zones, expanding));
  }
  FreeBusy busy({start, start + 30 * day_s}, nullptr);
  static_cast<void>(busy.add(bytes));
  POLLUX_CHECK(check_calendar(busy.render(start)).has_value() || !busy.render(start).empty());
}

inline void try_card(std::string_view bytes) {
  const auto card = check_card(bytes);
  if (card) {
    POLLUX_CHECK(!card->uid.empty() && (card->version == "3.0" || card->version == "4.0"));
    const std::string part = render_card(bytes, {.all = false, .properties = {{"UID"}, {"FN"}, {"N"}}});
    const auto again = check_card(part);
    POLLUX_CHECK(again && *again == *card);
  } else {
    POLLUX_CHECK(!card.error().text.empty());
  }
  const CardFilter filter{
      .properties = {{.name = "EMAIL", .parameters = {{.name = "TYPE", .is_not_defined = true}}}}};
  static_cast<void>(filter.matches(bytes));
}

/// The body of a REPORT, read and then asked of an event and a card.
inline void try_report(std::string_view bytes) {
  const auto root = parse_xml(bytes);
  if (!root) return;
  HttpRequest http;
  const auto question = parse_report_question(*root, http);
  if (question && question->wants_calendar) {
    ZoneCache zones;
    WorkBudget budget(20'000);
    static_cast<void>(render_calendar(fuzz_event, question->calendar, Zone::utc(), zones, budget));
  }
  if (question && question->wants_card) static_cast<void>(render_card(fuzz_card, question->card));
  const auto zone = parse_timezone(*root);
  for (const auto& child : root->children) {
    if (const auto filter = parse_calendar_filter(child)) {
      CalendarFilter calendar(*filter, zone.value_or(nullptr));
      static_cast<void>(calendar.coarse());
      static_cast<void>(calendar.matches(fuzz_event));
    }
    if (const auto filter = parse_card_filter(child)) static_cast<void>(filter->matches(fuzz_card));
    static_cast<void>(parse_time_range(child, true));
  }
  static_cast<void>(parse_limit(*root, xmlns::dav));
}

}  // namespace pollux::testing
