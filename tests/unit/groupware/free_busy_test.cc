#include "calendar/free_busy.h"

#include "calendar_samples.h"

namespace pollux::testing {
namespace {

const TimeRange week{at("20240101T000000Z"), at("20240108T000000Z")};

std::string periods(FreeBusy& busy) {
  const std::string text = busy.render(at("20240101T000000Z"));
  std::string out;
  std::size_t from = 0;
  while ((from = text.find("FREEBUSY", from)) != std::string::npos) {
    const std::size_t end = text.find("\r\n", from);
    if (from > 0 && text[from - 1] == '\n') out += text.substr(from, end - from) + "\n";
    from = end;
  }
  return out;
}

TEST(FreeBusy, BusyTimesAreJoinedAndCutToTheRange) {
  FreeBusy busy(week, nullptr);
  for (const char* event :
       {"DTSTART:20231231T230000Z\nDTEND:20240101T010000Z\n", "DTSTART:20240102T100000Z\nDURATION:PT1H\n",
        "DTSTART:20240102T110000Z\nDURATION:PT1H\n", "DTSTART:20240102T103000Z\nDURATION:PT10M\n",
        "DTSTART;VALUE=DATE:20240104\n", "DTSTART:20240301T100000Z\nDURATION:PT1H\n"}) {
    ASSERT_TRUE(busy.add(in_vcalendar(vevent(event))));
  }
  EXPECT_EQ(periods(busy),
            "FREEBUSY:20240101T000000Z/20240101T010000Z\nFREEBUSY:20240102T100000Z/20240102T120000Z\n"
            "FREEBUSY:20240104T000000Z/20240105T000000Z\n");
}

TEST(FreeBusy, TransparentAndCancelledEventsAndTasksAreNoBusyTime) {
  FreeBusy busy(week, nullptr);
  const std::string time = "DTSTART:20240102T100000Z\nDURATION:PT1H\n";
  ASSERT_TRUE(busy.add(in_vcalendar(vevent(time + "TRANSP:TRANSPARENT\n"))));
  ASSERT_TRUE(busy.add(in_vcalendar(vevent(time + "STATUS:CANCELLED\n"))));
  ASSERT_TRUE(busy.add(in_vcalendar(a_component("VTODO", time))));
  ASSERT_TRUE(busy.add("nonsense"));
  EXPECT_EQ(periods(busy), "");
  ASSERT_TRUE(busy.add(in_vcalendar(vevent(time + "STATUS:TENTATIVE\n"))));
  EXPECT_EQ(periods(busy), "FREEBUSY;FBTYPE=BUSY-TENTATIVE:20240102T100000Z/20240102T110000Z\n");
}

TEST(FreeBusy, RecurrencesCountWithTheirOverrides) {
  FreeBusy busy(week, nullptr);
  ASSERT_TRUE(busy.add(in_vcalendar(
      vevent("DTSTART:20230101T100000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;BYDAY=MO,TU,WE\n") +
      vevent("RECURRENCE-ID:20240102T100000Z\nDTSTART:20240102T150000Z\nDURATION:PT1H\n") +
      vevent(
          "RECURRENCE-ID:20240103T100000Z\nDTSTART:20240103T100000Z\nDURATION:PT1H\nTRANSP:TRANSPARENT\n"))));
  EXPECT_EQ(periods(busy),
            "FREEBUSY:20240101T100000Z/20240101T110000Z\nFREEBUSY:20240102T150000Z/20240102T160000Z\n");
}

TEST(FreeBusy, WhatAVfreebusyTellsCountsToo) {
  FreeBusy busy(week, nullptr);
  ASSERT_TRUE(busy.add(in_vcalendar(
      "BEGIN:VFREEBUSY\nUID:u\nFREEBUSY:20240102T100000Z/PT1H\nFREEBUSY;FBTYPE=FREE:20240103T100000Z/PT1H\n"
      "FREEBUSY;FBTYPE=BUSY-UNAVAILABLE:20240104T100000Z/20240104T110000Z\nEND:VFREEBUSY\n")));
  EXPECT_EQ(periods(busy),
            "FREEBUSY:20240102T100000Z/20240102T110000Z\nFREEBUSY;FBTYPE=BUSY-UNAVAILABLE:20240104T100000Z/"
            "20240104T110000Z\n");
}

TEST(FreeBusy, EverySecondForEverIsRefusedOrOneLongPeriod) {
  FreeBusy joined(week, nullptr);
  ASSERT_TRUE(
      joined.add(in_vcalendar(vevent("DTSTART:20240106T000000Z\nDURATION:PT1S\nRRULE:FREQ=SECONDLY\n"))));
  EXPECT_EQ(periods(joined), "FREEBUSY:20240106T000000Z/20240108T000000Z\n");
  FreeBusy many({at("20240101T000000Z"), at("20440101T000000Z")}, nullptr);
  const auto refused = many.add(
      in_vcalendar(vevent("DTSTART:20240102T000000Z\nDURATION:PT1S\nRRULE:FREQ=SECONDLY;INTERVAL=3\n")));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::too_large);
}

}  // namespace
}  // namespace pollux::testing
