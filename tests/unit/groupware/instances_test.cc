#include "calendar/instances.h"

#include <chrono>

#include "calendar_samples.h"
#include "gateway_fixture.h"

namespace pollux::testing {
namespace {

using Starts = std::vector<std::string>;

TEST(Instances, AWeeklyMeetingKeepsItsLocalTimeWhenClocksChange) {
  const auto content =
      in_vcalendar(berlin + vevent("DTSTART;TZID=Europe/Berlin:20240320T100000\n"
                                   "DTEND;TZID=Europe/Berlin:20240320T110000\nRRULE:FREQ=WEEKLY\n"));
  EXPECT_EQ(starts_of(content, "20240301T000000Z", "20240411T000000Z"),
            (Starts{"20240320T090000Z", "20240327T090000Z", "20240403T080000Z", "20240410T080000Z"}));
}

TEST(Instances, OneInTheGapOfADayIsAnHourLater) {
  const auto content =
      in_vcalendar(berlin + vevent("DTSTART;TZID=Europe/Berlin:20240330T023000\nRRULE:FREQ=DAILY;COUNT=3\n"));
  EXPECT_EQ(starts_of(content, "20240301T000000Z", "20240411T000000Z"),
            (Starts{"20240330T013000Z", "20240331T013000Z", "20240401T003000Z"}));
}

TEST(Instances, WithoutVtimezoneTheSystemsZoneIsMeant) {
  for (const char* zone : {"Europe/Berlin", "W. Europe Standard Time"}) {
    const auto content = in_vcalendar(vevent("DTSTART;TZID=" + std::string(zone) + ":20240715T120000\n"));
    EXPECT_EQ(starts_of(content, "20240701T000000Z", "20240801T000000Z"), Starts{"20240715T100000Z"}) << zone;
  }
  // Of an unknown zone, it floats.
  EXPECT_EQ(starts_of(in_vcalendar(vevent("DTSTART;TZID=Mars:20240715T120000\n")), "20240701T000000Z",
                      "20240801T000000Z"),
            Starts{"20240715T120000Z"});
}

TEST(Instances, ExdateRdateAndOverridesChangeTheSet) {
  const auto content = in_vcalendar(
      vevent("DTSTART:20240101T100000Z\nDTEND:20240101T110000Z\nRRULE:FREQ=DAILY;COUNT=5\nEXDATE:"
             "20240102T100000Z\n"
             "RDATE:20240110T100000Z,20240103T100000Z\nRDATE;VALUE=PERIOD:20240111T100000Z/PT2H\n") +
      vevent("RECURRENCE-ID:20240104T100000Z\nDTSTART:20240104T150000Z\n"));
  EXPECT_EQ(starts_of(content, "20240101T000000Z", "20240201T000000Z"),
            (Starts{"20240101T100000Z", "20240103T100000Z", "20240104T150000Z", "20240105T100000Z",
                    "20240110T100000Z", "20240111T100000Z"}));
}

TEST(Instances, AnExdateMayBeADayOrLackItsZone) {
  const auto content =
      in_vcalendar(berlin + vevent("DTSTART;TZID=Europe/Berlin:20240101T100000\nRRULE:FREQ=DAILY;COUNT=4\n"
                                   "EXDATE;VALUE=DATE:20240102\nEXDATE:20240103T100000\n"));
  EXPECT_EQ(starts_of(content, "20231201T000000Z", "20240201T000000Z"),
            (Starts{"20240101T090000Z", "20240104T090000Z"}));
}

TEST(Instances, ThisAndFutureMovesAllThatFollow) {
  const auto content = in_vcalendar(
      berlin + vevent("DTSTART;TZID=Europe/Berlin:20240318T100000\nRRULE:FREQ=WEEKLY;COUNT=5\n") +
      vevent("RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20240325T100000\n"
             "DTSTART;TZID=Europe/Berlin:20240326T140000\nDURATION:PT30M\n") +
      vevent(
          "RECURRENCE-ID;TZID=Europe/Berlin:20240408T100000\nDTSTART;TZID=Europe/Berlin:20240408T080000\n"));
  EXPECT_EQ(starts_of(content, "20240301T000000Z", "20240501T000000Z"),
            (Starts{"20240318T090000Z", "20240326T130000Z", "20240402T120000Z", "20240408T060000Z",
                    "20240416T120000Z"}));
}

TEST(Instances, UntilCountsInclusivelyInUtcAndAsADay) {
  EXPECT_EQ(starts_of(in_vcalendar(berlin + vevent("DTSTART;TZID=Europe/Berlin:20240101T100000\n"
                                                   "RRULE:FREQ=DAILY;UNTIL=20240103T090000Z\n")),
                      "20231201T000000Z", "20250101T000000Z")
                .size(),
            3U);
  EXPECT_EQ(starts_of(in_vcalendar(vevent("DTSTART;VALUE=DATE:20240101\nRRULE:FREQ=DAILY;UNTIL=20240103\n")),
                      "20231201T000000Z", "20250101T000000Z"),
            (Starts{"20240101T000000Z", "20240102T000000Z", "20240103T000000Z"}));
}

TEST(Instances, AnOverrideWithoutMasterStandsForItself) {
  EXPECT_EQ(starts_of(read_data("override_only.ics"), "20000101T000000Z", "20400101T000000Z").size(), 1U);
}

TEST(Instances, AWeekTwentyYearsOnIsFoundAtOnce) {
  const auto begin = std::chrono::steady_clock::now();
  for (const char* rule :
       {"FREQ=SECONDLY", "FREQ=MINUTELY", "FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"}) {
    const auto content = in_vcalendar(vevent("DTSTART:20040101T100000Z\nRRULE:" + std::string(rule) + "\n"));
    const auto found = starts_of(content, "20240101T000000Z", "20240101T120000Z", 100'000);
    EXPECT_FALSE(found.empty()) << rule;
    EXPECT_NE(found.back(), "!") << rule;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(Instances, AHundredThousandInARangeAreCountedByTheBudget) {
  const auto content = in_vcalendar(vevent("DTSTART:20240101T000000Z\nRRULE:FREQ=MINUTELY\n"));
  EXPECT_EQ(starts_of(content, "20240101T000000Z", "20240310T104000Z").size(), 100'000U);
  EXPECT_EQ(starts_of(in_vcalendar(vevent("DTSTART:20240101T000000Z\nRRULE:FREQ=SECONDLY\n")),
                      "20240101T000000Z", "20440101T000000Z", 1000)
                .back(),
            "!");
}

TEST(Instances, AnImpossibleRuleHasOnlyItsStart) {
  EXPECT_EQ(starts_of(read_data("impossible_rule.ics"), "19700101T000000Z", "20400101T000000Z").size(), 1U);
}

}  // namespace
}  // namespace pollux::testing
