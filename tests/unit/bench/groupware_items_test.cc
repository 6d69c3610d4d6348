#include "groupware/groupware_items.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pollux/groupware/calendar_check.h"

namespace pollux {
namespace {

using ::testing::HasSubstr;

TEST(GroupwareItemsTest, AnItemHasItsSizeAndIsAGoodCalendarObject) {
  for (const auto bytes : item_sizes) {
    for (const std::uint64_t number : {0U, 1U, 99U, 31'999U}) {
      const auto text = item_text(bytes, number, 17);
      EXPECT_EQ(text.size(), bytes);
      const auto checked = check_calendar(text);
      ASSERT_TRUE(checked) << checked.error().text << "\n" << text;
      EXPECT_EQ(checked->component, "VEVENT");
    }
  }
  EXPECT_EQ(item_text(700, 5, 1).size(), item_text(700, 5, 999'999).size());
  EXPECT_NE(item_text(700, 5, 1), item_text(700, 5, 2));
}

TEST(GroupwareItemsTest, EveryLengthCanBeMadeWithoutABrokenFold) {
  for (std::uint32_t bytes = 400; bytes < 700; ++bytes) {
    const auto text = item_text(bytes, 0);
    ASSERT_EQ(text.size(), bytes);
    ASSERT_EQ(text.find("\r\n \r\n"), std::string::npos) << bytes;
    ASSERT_TRUE(check_calendar(text)) << bytes << "\n" << text;
  }
}

TEST(GroupwareItemsTest, EventsWithinAMonthAreThoseWhoseTimesAreInIt) {
  // 400 events in 40 days; numbers 0, 50, ... on days 0, 5, ... come back weekly, ten times in all.
  EXPECT_EQ(events_within(400, 0, 1), 10U);
  EXPECT_EQ(events_within(400, 7, 1), 11U) << "the ten of day 7 and the series of day 0";
  EXPECT_EQ(events_within(400, 50, 30), 8U) << "all eight series, and no event of its own";
  EXPECT_EQ(events_within(400, 0, 40), 400U);
  EXPECT_EQ(days_of(10'000), 1000U);
  const auto event = event_text(50);
  EXPECT_THAT(event, HasSubstr("DTSTART:20250106T080000Z"));
  EXPECT_THAT(event, HasSubstr("RRULE:FREQ=WEEKLY;COUNT=10"));
  EXPECT_TRUE(check_calendar(event));
  EXPECT_THAT(time_range_body(365, 30), HasSubstr(R"(start="20260101T000000Z" end="20260131T000000Z")"));
}

TEST(GroupwareItemsTest, ResponsesAreCountedWhateverTheirPrefix) {
  EXPECT_EQ(responses_in("<multistatus xmlns=\"DAV:\"><response><href>/a</href></response><response "
                         "></response></multistatus>"),
            2U);
  EXPECT_EQ(
      responses_in(
          "<D:multistatus><D:response>&lt;response&gt;</D:response><D:responsedescription/></D:multistatus>"),
      1U);
  EXPECT_EQ(responses_in(""), 0U);
  EXPECT_EQ(responses_in("<"), 0U);
  EXPECT_EQ(text_of_element("<a:x><ns0:sync-token>urn:1</ns0:sync-token></a:x>", "sync-token"), "urn:1");
  EXPECT_EQ(text_of_element("<sync-tokens>1</sync-tokens>", "sync-token"), "");
}

}  // namespace
}  // namespace pollux
