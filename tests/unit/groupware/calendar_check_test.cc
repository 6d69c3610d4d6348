#include "pollux/groupware/calendar_check.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "gateway_fixture.h"

namespace pollux::testing {
namespace {

std::string in_calendar(const std::string& lines) {
  return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" + lines + "END:VCALENDAR\r\n";
}
std::string component(const std::string& kind, const std::string& lines) {
  return "BEGIN:" + kind + "\r\nDTSTAMP:20240101T000000Z\r\n" + lines + "END:" + kind + "\r\n";
}
std::string simple(const std::string& uid, const std::string& kind = "VEVENT", const std::string& more = {}) {
  return component(kind, "UID:" + uid + "\r\nDTSTART:20240101T100000Z\r\n" + more);
}

void expect_refused(const std::string& content, CalendarFault fault, const std::string& words) {
  const auto checked = check_calendar(content);
  ASSERT_FALSE(checked) << content;
  EXPECT_EQ(checked.error().fault, fault) << checked.error().text;
  EXPECT_NE(checked.error().text.find(words), std::string::npos) << checked.error().text;
}

TEST(CalendarCheck, EveryFileOfTheCorpusIsTaken) {
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(POLLUX_TEST_DATA)) {
    if (file.path().extension() != ".ics") continue;
    const auto checked = check_calendar(read_data(file.path().filename()));
    EXPECT_TRUE(checked) << file.path() << ": " << checked.error().text;
    ++files;
  }
  EXPECT_GT(files, 20U);
}

TEST(CalendarCheck, TellsUidAndComponent) {
  EXPECT_EQ(check_calendar(read_data("todo_alarm.ics")).value(),
            (CalendarObject{"todo-alarm@example.com", "VTODO"}));
  EXPECT_EQ(check_calendar(read_data("lower_case.ics")).value(),
            (CalendarObject{"lower@example.com", "VEVENT"}));
  EXPECT_EQ(check_calendar(read_data("timezone_and_overrides.ics")).value().uid, "weekly@example.com");
}

TEST(CalendarCheck, ATriggerOrRuleThatCannotBeReadIsRefused) {
  for (const char* line :
       {"TRIGGER:soon\r\n", "TRIGGER;VALUE=DATE-TIME:yesterday\r\n", "TRIGGER:\r\n", "TRIGGER:P1X\r\n"}) {
    expect_refused(
        in_calendar(simple("u", "VEVENT", "BEGIN:VALARM\r\n" + std::string(line) + "END:VALARM\r\n")),
        CalendarFault::data, "TRIGGER");
  }
  for (const char* line :
       {"TRIGGER:-PT15M\r\n", "TRIGGER;RELATED=END:PT0S\r\n", "TRIGGER;VALUE=DATE-TIME:20240101T000000Z\r\n",
        "trigger:-P1DT2H\r\n", "ACTION:AUDIO\r\n"}) {
    EXPECT_TRUE(check_calendar(
        in_calendar(simple("u", "VEVENT", "BEGIN:VALARM\r\n" + std::string(line) + "END:VALARM\r\n"))))
        << line;
  }
  for (const char* rule : {"FREQ=SOMETIMES", "FREQ=DAILY;COUNT=0", "FREQ=DAILY;BYHOUR=25", "COUNT=3",
                           "RSCALE=CHINESE;FREQ=YEARLY"}) {
    expect_refused(in_calendar(simple("u", "VEVENT", "RRULE:" + std::string(rule) + "\r\n")),
                   CalendarFault::data, "RRULE");
  }
}

TEST(CalendarCheck, WhatClientsLeaveOutMayBeMissing) {
  EXPECT_TRUE(check_calendar(
      "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:u\nDTSTART:20240101T100000Z\nEND:VEVENT\nEND:VCALENDAR"));
}

TEST(CalendarCheck, ADayOrTimeThatDoesNotExistIsRefused) {
  for (const char* line : {"DTEND:20241301T100000Z", "DTEND;VALUE=DATE:20230229", "DTEND:20240101T240000Z",
                           "DTEND:20240101T106000Z", "EXDATE:20240102T100000Z,20240132T100000Z",
                           "RDATE;VALUE=PERIOD:20240101T100000Z/20240431T100000Z"}) {
    expect_refused(in_calendar(simple("a", "VEVENT", std::string(line) + "\r\n")), CalendarFault::data,
                   "line 7: its");
  }
  for (const char* line : {"DTEND;VALUE=DATE:20240229", "DTEND:20240101T235960Z", "DTEND:20240101T235959",
                           "RDATE;VALUE=PERIOD:20240102T100000Z/PT1H,20240103T100000Z/20240103T110000Z"}) {
    EXPECT_TRUE(check_calendar(in_calendar(simple("a", "VEVENT", std::string(line) + "\r\n")))) << line;
  }
}

TEST(CalendarCheck, WhatIsNoICalendarIsRefusedWithItsLine) {
  expect_refused("", CalendarFault::data, "BEGIN:VCALENDAR");
  expect_refused("hello", CalendarFault::data, "BEGIN:VCALENDAR");
  expect_refused("<html></html>", CalendarFault::data, "BEGIN:VCALENDAR");
  expect_refused("BEGIN:VCARD\r\nEND:VCARD\r\n", CalendarFault::data, "VCARD");
  expect_refused(in_calendar(simple("a", "VEVENT", "no colon here\r\n")), CalendarFault::data, "line 7");
  expect_refused(in_calendar(simple("a", "VEVENT", ":no name\r\n")), CalendarFault::data, "line 7");
  expect_refused("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\n", CalendarFault::data, "cut off");
  expect_refused(in_calendar("BEGIN:VEVENT\r\nUID:a\r\nEND:VTODO\r\n"), CalendarFault::data, "END:VTODO");
  expect_refused(in_calendar(simple("a")) + "X-AFTER:1\r\n", CalendarFault::data, "outside");
  expect_refused(in_calendar(simple("a", "VEVENT", "SUMMARY:\xff\r\n")), CalendarFault::data, "UTF-8");
  expect_refused(in_calendar(simple("a", "VEVENT", std::string("SUMMARY:a\0b\r\n", 13))), CalendarFault::data,
                 "control");
  expect_refused(in_calendar(simple("a", "VEVENT", "SUMMARY:\x01\r\n")), CalendarFault::data, "control");
  expect_refused("BEGIN:VCALENDAR\r\nVERSION:1.0\r\nEND:VCALENDAR\r\n", CalendarFault::data, "VERSION");
}

TEST(CalendarCheck, TimesThatCanNotBeReadAreRefused) {
  expect_refused(in_calendar(component("VEVENT", "UID:a\r\nDTSTART:tomorrow\r\n")), CalendarFault::data,
                 "DTSTART");
  expect_refused(in_calendar(component("VEVENT", "UID:a\r\nDTSTART:\r\n")), CalendarFault::data, "DTSTART");
  expect_refused(in_calendar(component("VEVENT", "UID:a\r\n")), CalendarFault::data, "no DTSTART");
  expect_refused(in_calendar(simple("a", "VEVENT", "RRULE:FREQ=SOMETIMES\r\n")), CalendarFault::data,
                 "RRULE");
  expect_refused(in_calendar(simple("a", "VEVENT", "DURATION:long\r\n")), CalendarFault::data, "DURATION");
}

TEST(CalendarCheck, AnItemHasOneUidAndOneKindOfComponent) {
  expect_refused(in_calendar(component("VEVENT", "DTSTART:20240101T100000Z\r\n")), CalendarFault::object,
                 "no UID");
  expect_refused(in_calendar(simple("")), CalendarFault::object, "empty");
  expect_refused(in_calendar(simple("a") + simple("b")), CalendarFault::object, "one UID");
  expect_refused(in_calendar(simple("a", "VEVENT", "UID:b\r\n")), CalendarFault::object, "second UID");
  expect_refused(in_calendar(simple("a") + simple("a", "VTODO")), CalendarFault::object, "kind");
  expect_refused(in_calendar(simple("a") + simple("a")), CalendarFault::object, "RECURRENCE-ID");
  expect_refused(in_calendar(simple("a")) + in_calendar(simple("a")), CalendarFault::object,
                 "second calendar");
  expect_refused(in_calendar(""), CalendarFault::object, "no VEVENT");
}

TEST(CalendarCheck, MessagesForSchedulingAreNoItems) {
  expect_refused(in_calendar("METHOD:REQUEST\r\n" + simple("a")), CalendarFault::object, "METHOD");
}

TEST(CalendarCheck, OtherComponentsAreRefused) {
  expect_refused(in_calendar(simple("a", "VFREEBUSY")), CalendarFault::component, "VFREEBUSY");
  expect_refused(in_calendar(simple("a", "X-THING")), CalendarFault::component, "X-THING");
}

TEST(CalendarCheck, NestingHasALimit) {
  std::string deep;
  for (int level = 0; level < 100000; ++level) deep += "BEGIN:VALARM\r\n";
  expect_refused(in_calendar("BEGIN:VEVENT\r\nUID:a\r\n" + deep), CalendarFault::data, "deeply");
}

TEST(CalendarCheck, UidsOfAlarmsAndTimeZonesDoNotCount) {
  EXPECT_TRUE(check_calendar(in_calendar(simple("a", "VEVENT", component("VALARM", "UID:b\r\n")))));
}

TEST(CalendarCheck, NoRuleIsExpanded) {
  const auto began = std::chrono::steady_clock::now();
  for (int round = 0; round < 100; ++round)
    EXPECT_TRUE(check_calendar(read_data("secondly_without_end.ics")));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
}

TEST(CalendarCheck, ALargeFileIsCheckedInLinearTime) {
  const auto file = in_calendar(simple("a", "VEVENT", "DESCRIPTION:" + std::string(7u << 20, 'x') + "\r\n"));
  const auto began = std::chrono::steady_clock::now();
  EXPECT_TRUE(check_calendar(file));
  std::string folded = "DESCRIPTION:";
  for (int line = 0; line < 100000; ++line) folded += "some text that is folded\r\n ";
  EXPECT_TRUE(check_calendar(in_calendar(simple("a", "VEVENT", folded + "\r\n"))));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(30));
}

}  // namespace
}  // namespace pollux::testing
