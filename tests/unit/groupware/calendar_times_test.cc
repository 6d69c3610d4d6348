#include "calendar/time_range.h"
#include "calendar_samples.h"
#include "pollux/groupware/calendar_check.h"

namespace pollux::testing {
namespace {

constexpr auto never_ends = CalendarTimes::never_ends_s;

CalendarTimes times(const std::string& components) { return calendar_times(in_vcalendar(components)); }
CalendarTimes exactly(const std::string& from, const std::string& to) { return {at(from), at(to)}; }

TEST(CalendarTimes, AnEventInAZoneIsBoundedExactly) {
  EXPECT_EQ(times(vevent("DTSTART:20240101T100000Z\nDTEND:20240101T110000Z\n")),
            exactly("20240101T100000Z", "20240101T110000Z"));
  EXPECT_EQ(times(berlin + vevent("DTSTART;TZID=Europe/Berlin:20240101T100000\nDURATION:PT1H\n")),
            exactly("20240101T090000Z", "20240101T100000Z"));
  EXPECT_EQ(times(vevent("DTSTART:20240101T100000Z\nRRULE:FREQ=DAILY;COUNT=3\n")),
            exactly("20240101T100000Z", "20240103T100000Z"));
}

TEST(CalendarTimes, FloatingTimesAndDaysHaveADayAround) {
  EXPECT_EQ(times(vevent("DTSTART:20240110T100000\n")), exactly("20240109T100000Z", "20240111T100000Z"));
  EXPECT_EQ(times(vevent("DTSTART;VALUE=DATE:20240110\n")), exactly("20240109T000000Z", "20240112T000000Z"));
}

TEST(CalendarTimes, WhatRecursWithoutEndHasNone) {
  EXPECT_EQ(times(vevent("DTSTART:20240101T100000Z\nRRULE:FREQ=SECONDLY\n")),
            (CalendarTimes{at("20240101T100000Z"), never_ends}));
  // Too long to count, or nobody knows.
  EXPECT_EQ(times(vevent("DTSTART:20240101T100000Z\nRRULE:FREQ=SECONDLY;COUNT=100000000\n")).last_s,
            never_ends);
  EXPECT_EQ(times(vevent("DTSTART:20240101T100000Z\nRRULE:FREQ=WHENEVER\n")).last_s, never_ends);
  EXPECT_EQ(
      times(vevent("DTSTART:20240101T100000Z\nRRULE:FREQ=YEARLY;COUNT=3;BYMONTH=2;BYMONTHDAY=30\n")).last_s,
      never_ends);
}

TEST(CalendarTimes, OverridesDatesAndAlarmsWidenThem) {
  EXPECT_EQ(times(vevent("DTSTART:20240101T100000Z\nRRULE:FREQ=DAILY;COUNT=3\nRDATE:20250101T100000Z\n") +
                  vevent("RECURRENCE-ID:20240102T100000Z\nDTSTART:20230101T100000Z\n")),
            exactly("20230101T100000Z", "20250101T100000Z"));
  const auto ringing =
      times(vevent("DTSTART:20240110T100000Z\nBEGIN:VALARM\nTRIGGER:-P3D\nEND:VALARM\n"
                   "BEGIN:VALARM\nTRIGGER;VALUE=DATE-TIME:20200101T000000Z\nEND:VALARM\n"));
  EXPECT_LE(ringing.first_s, at("20200101T000000Z"));
  EXPECT_GE(ringing.last_s, at("20240110T100000Z"));
}

TEST(CalendarTimes, AnUndatedTodoIsLookedAtByItsOtherTimesOrAlways) {
  const auto todo = [](const std::string& p) { return a_component("VTODO", p); };
  EXPECT_EQ(times(todo("")), CalendarTimes());
  EXPECT_EQ(times(todo("CREATED:20240101T000000Z\n")), (CalendarTimes{at("20240101T000000Z"), never_ends}));
  EXPECT_EQ(times(todo("CREATED:20240101T000000Z\nCOMPLETED:20240105T000000Z\n")),
            exactly("20240101T000000Z", "20240105T000000Z"));
  EXPECT_EQ(times(todo("DUE:20240105T000000Z\n")), exactly("20240105T000000Z", "20240105T000000Z"));
  EXPECT_EQ(times(a_component("VJOURNAL", "")), (CalendarTimes{never_ends, never_ends}));
}

TEST(CalendarTimes, WhatCannotBeReadMayBeAnyTime) { EXPECT_EQ(calendar_times("nonsense"), CalendarTimes()); }

}  // namespace
}  // namespace pollux::testing
