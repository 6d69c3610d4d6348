#include "ics_split.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace pollux {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string event(const std::string& uid, const std::string& more = "") {
  return "BEGIN:VEVENT\r\nUID:" + uid + "\r\nDTSTAMP:20260101T000000Z\r\n" + more + "END:VEVENT\r\n";
}
std::string calendar(const std::string& inside) {
  return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//EN\r\n" + inside + "END:VCALENDAR\r\n";
}
std::string zone(const std::string& name) {
  return "BEGIN:VTIMEZONE\r\nTZID:" + name +
         "\r\nBEGIN:STANDARD\r\nTZOFFSETTO:+0100\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n";
}

TEST(IcsSplit, GivesOneObjectForEachUid) {
  const IcsSplit split = split_calendar(calendar(event("1") + event("2")));
  ASSERT_EQ(split.objects.size(), 2u);
  EXPECT_EQ(split.objects[0].content, calendar(event("1")));
  EXPECT_EQ(split.objects[1].content, calendar(event("2")));
  EXPECT_TRUE(split.faults.empty());
  EXPECT_EQ(split.components, 2u);
}

TEST(IcsSplit, KnowsWhereEachLineOfAnObjectStoodInTheFile) {
  const std::string file =
      "BEGIN:VCALENDAR\n"         // 1
      "METHOD:PUBLISH\n"          // 2: not kept
      "PRODID:-//x//EN\n"         // 3
      "\n"                        // 4
      "BEGIN:VEVENT\n"            // 5
      "UID:1\n"                   // 6
      "END:VEVENT\n"              // 7
      "BEGIN:VEVENT\n"            // 8
      "UID:2\n"                   // 9
      "SUMMARY;TZID=Here:folded\n"  // 10
      "  and on\n"                // 11
      "END:VEVENT\n"              // 12
      "BEGIN:VTIMEZONE\n"         // 13
      "TZID:Here\n"               // 14
      "END:VTIMEZONE\n"           // 15
      "END:VCALENDAR\n";          // 16
  const IcsSplit split = split_calendar(file);
  ASSERT_EQ(split.objects.size(), 2u);
  EXPECT_THAT(split.objects[0].lines, ElementsAre(0, 0, 3, 5, 6, 7, 0));
  EXPECT_THAT(split.objects[1].lines, ElementsAre(0, 0, 3, 13, 14, 15, 8, 9, 10, 11, 12, 0));
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(split.objects[1].content, '\n')), split.objects[1].lines.size());
  EXPECT_EQ(with_file_lines("Wrong: line 10: x, see line 7; line 99 of line x, line ", split.objects[1].lines),
            "Wrong: line 11: x, see line 8; line 99 of line x, line ");
}

TEST(IcsSplit, KeepsAnEventTogetherWithItsOverrides) {
  const std::string moved = event("1", "RECURRENCE-ID:20260105T090000Z\r\n");
  const IcsSplit split = split_calendar(calendar(event("1") + event("2") + moved));
  ASSERT_EQ(split.objects.size(), 2u);
  EXPECT_EQ(split.objects[0].content, calendar(event("1") + moved));
  EXPECT_THAT(split.objects[0].numbers, ElementsAre(1, 3));
}

TEST(IcsSplit, GivesEachObjectTheTimeZonesItUsesAndNoOthers) {
  const std::string berlin = event("1", "DTSTART;TZID=Europe/Berlin:20260105T090000\r\n");
  const std::string quoted = event("2", "DTSTART;VALUE=DATE-TIME;TZID=\"A:B\":20260105T090000\r\n");
  const IcsSplit split =
      split_calendar(calendar(zone("Europe/Berlin") + zone("A:B") + berlin + quoted + event("3")));
  ASSERT_EQ(split.objects.size(), 3u);
  EXPECT_EQ(split.objects[0].content, calendar(zone("Europe/Berlin") + berlin));
  EXPECT_EQ(split.objects[1].content, calendar(zone("A:B") + quoted));
  EXPECT_EQ(split.objects[2].content, calendar(event("3")));
}

TEST(IcsSplit, KeepsFoldedAndUnknownLinesAsTheyAre) {
  const std::string odd = event("1", "SUMMARY:one\r\n  two\r\n\tthree\r\nX-ODD;X-P=\"a;b\":value  \r\n");
  EXPECT_EQ(split_calendar(calendar(odd)).objects.at(0).content, calendar(odd));
}

TEST(IcsSplit, FindsAFoldedUid) {
  const IcsSplit split = split_calendar(calendar("BEGIN:VEVENT\r\nUI\r\n D:fold\r\n ed\r\nEND:VEVENT\r\n"));
  ASSERT_EQ(split.objects.size(), 1u);
  EXPECT_EQ(split.objects[0].uid, "folded");
}

TEST(IcsSplit, DropsTheMethodAndAddsWhatIsRequired) {
  const IcsSplit split = split_calendar("BEGIN:VCALENDAR\nMETHOD:PUBLISH\n" + event("1") + "END:VCALENDAR\n");
  ASSERT_EQ(split.objects.size(), 1u);
  EXPECT_THAT(split.objects[0].content, Not(HasSubstr("METHOD")));
  EXPECT_THAT(split.objects[0].content, HasSubstr("VERSION:2.0\r\n"));
  EXPECT_THAT(split.objects[0].content, HasSubstr("PRODID:"));
  EXPECT_THAT(split.objects[0].content, Not(HasSubstr("\nBEGIN:VCALENDAR\n")));
}

TEST(IcsSplit, AComponentWithoutUidIsReportedByNumberAndTheRestGoesOn) {
  const IcsSplit split =
      split_calendar(calendar(event("1") + "BEGIN:VEVENT\r\nSUMMARY:nobody\r\nEND:VEVENT\r\n" + event("3")));
  ASSERT_EQ(split.faults.size(), 1u);
  EXPECT_EQ(split.faults[0].number, 2u);
  EXPECT_EQ(split.faults[0].line, 8u);
  ASSERT_EQ(split.objects.size(), 2u);
  EXPECT_THAT(split.objects[1].numbers, ElementsAre(3));
}

TEST(IcsSplit, AComponentThatIsCutOffIsReportedAndTheOnesBeforeAreKept) {
  const IcsSplit split = split_calendar("BEGIN:VCALENDAR\r\n" + event("1") + "BEGIN:VEVENT\r\nUID:2\r\nSUMM");
  ASSERT_EQ(split.objects.size(), 1u);
  ASSERT_EQ(split.faults.size(), 1u);
  EXPECT_EQ(split.faults[0].number, 2u);
  EXPECT_THAT(split.faults[0].text, HasSubstr("ends within VEVENT"));
}

TEST(IcsSplit, AMissingEndCostsOnlyItsComponent) {
  const IcsSplit split = split_calendar(calendar("BEGIN:VEVENT\r\nUID:1\r\n") + calendar(event("2")));
  ASSERT_EQ(split.objects.size(), 1u);
  EXPECT_EQ(split.objects[0].uid, "2");
  EXPECT_FALSE(split.faults.empty());
}

TEST(IcsSplit, SeveralCalendarsInOneFileAndAByteOrderMarkAreFine) {
  const IcsSplit split = split_calendar("\xef\xbb\xbf" + calendar(event("1")) + calendar(event("1")));
  EXPECT_EQ(split.objects.size(), 2u);
  EXPECT_TRUE(split.faults.empty());
}

TEST(IcsSplit, GarbageIsAFewFaultsAndNoHarm) {
  std::string garbage;
  for (int i = 0; i < 20000; ++i) garbage += static_cast<char>((i * 7919 + i / 3) % 256);
  const IcsSplit split = split_calendar(garbage);
  EXPECT_TRUE(split.objects.empty());
  EXPECT_LE(split.faults.size(), 2u);
  for (const char* text : {"", "\n", " folded first", "END:VCALENDAR\n", "BEGIN:VEVENT\nEND:VEVENT\n",
                           "BEGIN:VCALENDAR\nBEGIN:VEVENT\nBEGIN:VALARM\nEND:VEVENT\nEND:VCALENDAR\n"}) {
    EXPECT_TRUE(split_calendar(text).objects.empty()) << text;
  }
}

}  // namespace
}  // namespace pollux
