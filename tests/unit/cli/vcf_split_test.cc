#include "vcf_split.h"

#include <gmock/gmock.h>

namespace pollux {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string card(const std::string& inside) {
  return "BEGIN:VCARD\r\nVERSION:3.0\r\n" + inside + "END:VCARD\r\n";
}

TEST(VcfSplit, GivesEachCardAsItStoodWithItsUid) {
  const std::string one = card("UID:1\r\nFN:Anna\r\nNOTE:long\r\n  er\r\n"),
                    two = card("item1.uid;x=y:2\r\nFN:B\r\n");
  const IcsSplit split = split_cards(one + "\r\n" + two);
  ASSERT_EQ(split.objects.size(), 2U);
  EXPECT_EQ(split.objects[0].content, one);
  EXPECT_EQ(split.objects[1].content, two);
  EXPECT_EQ(split.objects[0].uid, "1");
  EXPECT_EQ(split.objects[1].uid, "2");
  EXPECT_THAT(split.objects[1].numbers, ElementsAre(2));
  EXPECT_THAT(split.objects[1].lines, ElementsAre(9, 10, 11, 12, 13));
  EXPECT_TRUE(split.faults.empty());
  EXPECT_EQ(split.components, 2U);
}

TEST(VcfSplit, JoinsAFoldedUid) {
  EXPECT_EQ(split_cards(card("UID:urn:\r\n uuid:\r\n\t7\r\n")).objects.at(0).uid, "urn:uuid:7");
}

TEST(VcfSplit, ACardWithoutUidGetsOneThatIsTheSameNextTime) {
  const IcsSplit split = split_cards(card("FN:Anna\r\n") + card("FN:Bea\r\n"));
  ASSERT_EQ(split.objects.size(), 2U);
  EXPECT_THAT(split.objects[0].content, HasSubstr("\r\nUID:" + split.objects[0].uid + "\r\nEND:VCARD\r\n"));
  EXPECT_NE(split.objects[0].uid, split.objects[1].uid);
  EXPECT_EQ(split_cards(card("FN:Anna\r\n")).objects.at(0).content, split.objects[0].content);
}

TEST(VcfSplit, TakesBareLineFeedsAByteOrderMarkAndSmallLetters) {
  const IcsSplit split = split_cards(
      "\xef\xbb\xbf"
      "begin:vcard\nVERSION:3.0\nUID:1\nend:vcard");
  ASSERT_EQ(split.objects.size(), 1U);
  EXPECT_EQ(split.objects[0].content, "begin:vcard\r\nVERSION:3.0\r\nUID:1\r\nend:vcard\r\n");
}

TEST(VcfSplit, NamesWhatIsBrokenAndGoesOn) {
  const IcsSplit split = split_cards("junk\r\nmore\r\n" + card("UID:1\r\n") + "BEGIN:VCARD\r\nUID:2\r\n" +
                                     card("UID:3\r\n") + "BEGIN:VCARD\r\n");
  ASSERT_EQ(split.objects.size(), 2U);
  EXPECT_EQ(split.objects[1].uid, "3");
  ASSERT_EQ(split.faults.size(), 3U);
  EXPECT_EQ(split.faults[0].line, 1U);
  EXPECT_EQ(split.faults[0].number, 0U);
  EXPECT_EQ(split.faults[1].line, 7U);
  EXPECT_EQ(split.faults[1].number, 2U);
  EXPECT_EQ(split.faults[2].line, 13U);
  EXPECT_EQ(split.faults[2].number, 4U);
  EXPECT_EQ(split.components, 4U);
}

TEST(VcfSplit, KnowsAFileOfCardsByItsBegin) {
  EXPECT_TRUE(is_card_file("\xef\xbb\xbf\r\n begin:VCARD\r\n"));
  EXPECT_FALSE(is_card_file("BEGIN:VCALENDAR\r\n"));
  EXPECT_FALSE(is_card_file(""));
}

TEST(IcsParts, AreHeadZonesAndComponents) {
  const std::string zone =
      "BEGIN:VTIMEZONE\r\nTZID:Office\r\nBEGIN:STANDARD\r\nTZNAME:x\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n";
  const std::string event =
      "BEGIN:VEVENT\r\nUID:1\r\nX-a:fold\r\n ed\r\nBEGIN:VALARM\r\nEND:VALARM\r\nEND:VEVENT\r\n";
  const IcsParts parts =
      take_apart("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nCALSCALE:GREGORIAN\r\nX-WR-CALNAME:n\r\n" +
                 event + zone + event + "END:VCALENDAR\r\n");
  EXPECT_EQ(parts.head, "X-WR-CALNAME:n\r\n");
  ASSERT_EQ(parts.zones.size(), 1U);
  EXPECT_EQ(parts.zones[0].first, "Office");
  EXPECT_EQ(parts.zones[0].second, zone);
  EXPECT_EQ(parts.components, event + event);
  EXPECT_EQ(take_apart("END:X\r\nEND:Y\r\nnonsense").components, "");
}

TEST(FileLines, StandWhereTheSentenceNamesTheObjects) {
  const IcsSplit split = split_calendar(
      "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\nUID:1\nSUMMARY:fold\n "
      "ed\nX:y\nEND:VEVENT\nEND:VCALENDAR\n");
  ASSERT_EQ(split.objects.size(), 1U);
  const auto& object = split.objects[0];
  // VERSION, a PRODID of ours, and so on.
  EXPECT_THAT(object.lines, ElementsAre(0, 2, 0, 3, 4, 5, 6, 7, 8, 0));
  EXPECT_EQ(with_file_lines("bad: line 8: x, and line 1, line 99, line x", object.lines),
            "bad: line 7: x, and line 1, line 99, line x");
  EXPECT_EQ(with_file_lines("", object.lines), "");
}

}  // namespace
}  // namespace pollux
