#include "calendar/time_range.h"

#include "calendar_samples.h"

namespace pollux::testing {
namespace {

bool in_range(const std::string& components, const std::string& from, const std::string& to,
              const Zone& floating = Zone::utc()) {
  ZoneCache zones;
  const std::string content = in_vcalendar(components);
  auto view = CalendarView::read(content, zones);
  EXPECT_TRUE(view);
  TimeRange range;
  if (!from.empty()) range.start_s = at(from);
  if (!to.empty()) range.end_s = at(to);
  WorkBudget budget(RecurrenceLimits::object_steps_max);
  const auto found = components_in(range, *view, floating, budget);
  return std::ranges::find(found.components, true) != found.components.end();
}
std::string todo(const std::string& properties) { return a_component("VTODO", properties); }

TEST(TimeRange, AnEventEndsWhereTheNextBegins) {
  const auto event = vevent("DTSTART:20240101T100000Z\nDTEND:20240101T110000Z\n");
  EXPECT_TRUE(in_range(event, "20240101T105959Z", "20240101T120000Z"));
  EXPECT_FALSE(in_range(event, "20240101T110000Z", "20240101T120000Z"));
  EXPECT_TRUE(in_range(event, "20240101T090000Z", "20240101T100001Z"));
  EXPECT_FALSE(in_range(event, "20240101T090000Z", "20240101T100000Z"));
  EXPECT_TRUE(in_range(event, "20240101T103000Z", ""));
  EXPECT_FALSE(in_range(event, "", "20240101T100000Z"));
}

TEST(TimeRange, AnEventWithoutLengthCountsAtItsStart) {
  for (const char* event : {"DTSTART:20240101T100000Z\n", "DTSTART:20240101T100000Z\nDURATION:PT0S\n",
                            "DTSTART:20240101T100000Z\nDTEND:20240101T100000Z\n",
                            "DTSTART:20240101T100000Z\nDTEND:20240101T090000Z\n"}) {
    EXPECT_TRUE(in_range(vevent(event), "20240101T100000Z", "20240101T110000Z")) << event;
    EXPECT_FALSE(in_range(vevent(event), "20240101T090000Z", "20240101T100000Z")) << event;
    EXPECT_FALSE(in_range(vevent(event), "20240101T100001Z", "20240101T110000Z")) << event;
  }
}

TEST(TimeRange, ADurationOfDaysFollowsTheCalendar) {
  // From noon to noon, over the night in which an hour is missing.
  const auto event = berlin + vevent("DTSTART;TZID=Europe/Berlin:20240330T120000\nDURATION:P1D\n");
  EXPECT_TRUE(in_range(event, "20240331T095959Z", "20240401T000000Z"));
  EXPECT_FALSE(in_range(event, "20240331T100000Z", "20240401T000000Z"));
  const auto hours = berlin + vevent("DTSTART;TZID=Europe/Berlin:20240330T120000\nDURATION:PT24H\n");
  EXPECT_TRUE(in_range(hours, "20240331T105959Z", "20240401T000000Z"));
}

TEST(TimeRange, ADayEndsAtMidnightOfWhereItIsLookedAtFrom) {
  const auto day = vevent("DTSTART;VALUE=DATE:20240101\n");
  const auto days = vevent("DTSTART;VALUE=DATE:20240101\nDTEND;VALUE=DATE:20240103\n");
  EXPECT_TRUE(in_range(day, "20240101T235959Z", "20240102T120000Z"));
  EXPECT_FALSE(in_range(day, "20240102T000000Z", "20240102T120000Z"));
  EXPECT_TRUE(in_range(days, "20240102T230000Z", "20240103T120000Z"));
  EXPECT_FALSE(in_range(days, "20240103T000000Z", "20240103T120000Z"));
  const auto auckland = find_system_zone("Pacific/Auckland");
  EXPECT_TRUE(in_range(day, "20231231T110000Z", "20231231T120000Z", *auckland));
  EXPECT_FALSE(in_range(day, "20240101T110000Z", "20240101T120000Z", *auckland));
}

TEST(TimeRange, FloatingTimesAreReadInTheZoneOfTheQuery) {
  const auto event = vevent("DTSTART:20240701T100000\nDTEND:20240701T110000\n");
  const auto zone = find_system_zone("America/New_York");
  EXPECT_TRUE(in_range(event, "20240701T140000Z", "20240701T150000Z", *zone));
  EXPECT_FALSE(in_range(event, "20240701T100000Z", "20240701T110000Z", *zone));
  EXPECT_TRUE(in_range(event, "20240701T100000Z", "20240701T110000Z"));
}

TEST(TimeRange, EveryLineOfTheTableOfTodos) {
  const std::string start = "DTSTART:20240101T100000Z\n", due = "DUE:20240101T120000Z\n",
                    duration = "DURATION:PT2H\n", created = "CREATED:20240101T080000Z\n",
                    completed = "COMPLETED:20240101T150000Z\n";
  const auto before = [](const std::string& to) {
    return std::pair<std::string, std::string>("20240101T000000Z", to);
  };
  const auto after = [](const std::string& from) {
    return std::pair<std::string, std::string>(from, "20240102T000000Z");
  };
  const auto check = [](const std::string& properties, const std::pair<std::string, std::string>& range,
                        bool found) {
    EXPECT_EQ(in_range(todo(properties), range.first, range.second), found)
        << properties << range.first << " " << range.second;
  };
  // DTSTART and DURATION: to (and at) its end.
  check(start + duration, after("20240101T120000Z"), true);
  check(start + duration, after("20240101T120001Z"), false);
  check(start + duration, before("20240101T100001Z"), true);
  check(start + duration, before("20240101T100000Z"), false);
  // DTSTART and DUE.
  check(start + due, after("20240101T115959Z"), true);
  check(start + due, after("20240101T120000Z"), false);
  check(start + due, before("20240101T100000Z"), false);
  check(start + "DUE:20240101T100000Z\n", after("20240101T100000Z"), true);
  // DTSTART only.
  check(start, after("20240101T100000Z"), true);
  check(start, after("20240101T100001Z"), false);
  check(start, before("20240101T100000Z"), false);
  // DUE only: its moment belongs to what ends there.
  check(due, before("20240101T120000Z"), true);
  check(due, before("20240101T115959Z"), false);
  check(due, after("20240101T115959Z"), true);
  check(due, after("20240101T120000Z"), false);
  // Neither: when it was made and done.
  check(created + completed, before("20240101T080000Z"), true);
  check(created + completed, before("20240101T075959Z"), false);
  check(created + completed, after("20240101T150000Z"), true);
  check(created + completed, after("20240101T150001Z"), false);
  check(completed, after("20240101T150000Z"), true);
  check(completed, after("20240101T150001Z"), false);
  check(completed, before("20240101T150000Z"), true);
  check(completed, before("20240101T145959Z"), false);
  check(created, after("20240101T200000Z"), true);
  check(created, before("20240101T080001Z"), true);
  check(created, before("20240101T080000Z"), false);
  // Nothing at all.
  check("", before("20240101T080000Z"), true);
}

TEST(TimeRange, AJournalIsADayAMomentOrNever) {
  EXPECT_TRUE(in_range(a_component("VJOURNAL", "DTSTART;VALUE=DATE:20240101\n"), "20240101T230000Z", ""));
  EXPECT_FALSE(in_range(a_component("VJOURNAL", "DTSTART:20240101T100000Z\n"), "20240101T230000Z", ""));
  EXPECT_TRUE(in_range(a_component("VJOURNAL", "DTSTART:20240101T100000Z\n"), "20240101T100000Z", ""));
  EXPECT_FALSE(in_range(a_component("VJOURNAL", "SUMMARY:x\n"), "20240101T230000Z", ""));
}

TEST(TimeRange, FreeBusyByItsEndsOrItsPeriods) {
  const auto ends = a_component("VFREEBUSY", "DTSTART:20240101T100000Z\nDTEND:20240101T110000Z\n");
  EXPECT_TRUE(in_range(ends, "20240101T110000Z", ""));
  EXPECT_FALSE(in_range(ends, "20240101T110001Z", ""));
  const auto periods =
      a_component("VFREEBUSY", "FREEBUSY:20240101T100000Z/PT1H,20240105T100000Z/20240105T110000Z\n");
  EXPECT_TRUE(in_range(periods, "20240105T103000Z", ""));
  EXPECT_FALSE(in_range(periods, "20240105T110000Z", ""));
  EXPECT_FALSE(in_range(periods, "20240102T000000Z", "20240103T000000Z"));
  EXPECT_FALSE(in_range(a_component("VFREEBUSY", ""), "20240102T000000Z", "20240103T000000Z"));
}

bool rings(const std::string& component, const std::string& from, const std::string& to) {
  ZoneCache zones;
  const std::string content = in_vcalendar(component);
  auto view = CalendarView::read(content, zones);
  WorkBudget budget(RecurrenceLimits::object_steps_max);
  return alarm_in({at(from), at(to)}, view->components.front().text->components.front(),
                  view->components.front(), *view, Zone::utc(), budget);
}

TEST(TimeRange, AlarmsRingWithEveryInstance) {
  const auto event = [](const std::string& alarm, const std::string& more = {}) {
    return vevent("DTSTART:20240101T100000Z\nDTEND:20240101T110000Z\n" + more + "BEGIN:VALARM\n" + alarm +
                  "END:VALARM\n");
  };
  EXPECT_TRUE(rings(event("TRIGGER:-PT15M\n"), "20240101T094500Z", "20240101T094600Z"));
  EXPECT_FALSE(rings(event("TRIGGER:-PT15M\n"), "20240101T094400Z", "20240101T094500Z"));
  EXPECT_TRUE(rings(event("TRIGGER;RELATED=END:PT5M\n"), "20240101T110500Z", "20240101T110600Z"));
  EXPECT_TRUE(
      rings(event("TRIGGER;VALUE=DATE-TIME:20230601T000000Z\n"), "20230601T000000Z", "20230601T000100Z"));
  EXPECT_TRUE(rings(event("TRIGGER:-P40D\n", "RRULE:FREQ=YEARLY\n"), "20251122T095900Z", "20251122T100100Z"));
  EXPECT_FALSE(
      rings(event("TRIGGER:-P40D\n", "RRULE:FREQ=YEARLY\n"), "20251123T095900Z", "20251123T100100Z"));
  EXPECT_TRUE(
      rings(event("TRIGGER:PT0S\nREPEAT:4\nDURATION:PT10M\n"), "20240101T104000Z", "20240101T104001Z"));
  EXPECT_FALSE(
      rings(event("TRIGGER:PT0S\nREPEAT:4\nDURATION:PT10M\n"), "20240101T105000Z", "20240101T105001Z"));
  EXPECT_FALSE(rings(event("TRIGGER:soon\n"), "20230101T000000Z", "20250101T000000Z"));
}

TEST(TimeRange, AnEventThatOutlastsTheBudgetSaysSo) {
  ZoneCache zones;
  const auto content =
      in_vcalendar(vevent("DTSTART:20240101T000000Z\nRRULE:FREQ=SECONDLY;BYSECOND=0;COUNT=900000000\n"));
  auto view = CalendarView::read(content, zones);
  WorkBudget budget(1000);
  EXPECT_TRUE(
      components_in({at("20990101T000000Z"), at("20990101T000001Z")}, *view, Zone::utc(), budget).exhausted);
}

}  // namespace
}  // namespace pollux::testing
