#include "calendar/rule.h"

#include <gtest/gtest.h>

#include <chrono>

namespace pollux::testing {
namespace {

/// The first `count` instances, DTSTART included, as RFC 5545 writes them in its examples.
std::vector<std::string> first(const std::string& start, const std::string& rule, std::size_t count,
                               std::uint64_t steps = 1'000'000) {
  const auto time = parse_time(start).value();
  const auto parsed = parse_rule(rule);
  EXPECT_TRUE(parsed) << rule;
  if (!parsed) return {};
  std::vector<std::string> found{start};
  WorkBudget budget(steps);
  RuleIterator iterator(*parsed, time);
  while (found.size() < count) {
    const auto next = iterator.next(time_s_max, budget);
    if (!next || (parsed->until && *next > parsed->until->local_s)) break;
    found.push_back(format_time({.local_s = *next, .date = time.date, .utc = false}));
  }
  if (budget.is_spent()) found.emplace_back("!");
  return found;
}

using Times = std::vector<std::string>;

TEST(Rule, TheExamplesOfTheRfcGiveTheInstancesItLists) {
  EXPECT_EQ(
      first("19970902T090000", "FREQ=DAILY;INTERVAL=10;COUNT=5", 9),
      (Times{"19970902T090000", "19970912T090000", "19970922T090000", "19971002T090000", "19971012T090000"}));
  EXPECT_EQ(first("19970902T090000", "FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH", 9),
            (Times{"19970902T090000", "19970904T090000", "19970916T090000", "19970918T090000",
                   "19970930T090000", "19971002T090000", "19971014T090000", "19971016T090000"}));
  EXPECT_EQ(first("19970905T090000", "FREQ=MONTHLY;COUNT=4;BYDAY=1FR", 9),
            (Times{"19970905T090000", "19971003T090000", "19971107T090000", "19971205T090000"}));
  EXPECT_EQ(first("19970922T090000", "FREQ=MONTHLY;COUNT=6;BYDAY=-2MO", 9),
            (Times{"19970922T090000", "19971020T090000", "19971117T090000", "19971222T090000",
                   "19980119T090000", "19980216T090000"}));
  EXPECT_EQ(first("19970928T090000", "FREQ=MONTHLY;BYMONTHDAY=-3", 4),
            (Times{"19970928T090000", "19971029T090000", "19971128T090000", "19971229T090000"}));
  EXPECT_EQ(
      first("19970101T090000", "FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200", 5),
      (Times{"19970101T090000", "19970410T090000", "19970719T090000", "20000101T090000", "20000409T090000"}));
  EXPECT_EQ(first("19970519T090000", "FREQ=YEARLY;BYDAY=20MO", 3),
            (Times{"19970519T090000", "19980518T090000", "19990517T090000"}));
  EXPECT_EQ(first("19970512T090000", "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO", 3),
            (Times{"19970512T090000", "19980511T090000", "19990517T090000"}));
  EXPECT_EQ(first("19980213T090000", "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", 4),
            (Times{"19980213T090000", "19980313T090000", "19981113T090000", "19990813T090000"}));
  EXPECT_EQ(
      first("19961105T090000", "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8", 3),
      (Times{"19961105T090000", "20001107T090000", "20041102T090000"}));
  EXPECT_EQ(first("19970904T090000", "FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", 9),
            (Times{"19970904T090000", "19971007T090000", "19971106T090000"}));
  EXPECT_EQ(first("19970929T090000", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2", 3),
            (Times{"19970929T090000", "19971030T090000", "19971127T090000"}));
  EXPECT_EQ(first("19970902T090000", "FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T170000", 9),
            (Times{"19970902T090000", "19970902T120000", "19970902T150000"}));
  EXPECT_EQ(first("19970902T090000", "FREQ=MINUTELY;INTERVAL=90;COUNT=4", 9),
            (Times{"19970902T090000", "19970902T103000", "19970902T120000", "19970902T133000"}));
  EXPECT_EQ(first("19970805T090000", "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO", 9),
            (Times{"19970805T090000", "19970810T090000", "19970819T090000", "19970824T090000"}));
  EXPECT_EQ(first("19970805T090000", "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU", 9),
            (Times{"19970805T090000", "19970817T090000", "19970819T090000", "19970831T090000"}));
  EXPECT_EQ(
      first("20070115T090000", "FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5", 9),
      (Times{"20070115T090000", "20070130T090000", "20070215T090000", "20070315T090000", "20070330T090000"}));
}

TEST(Rule, TwoWaysToSayTheSameGiveTheSame) {
  const auto by_day =
      first("19970902T090000", "FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40", 100);
  EXPECT_EQ(by_day, first("19970902T090000", "FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16", 100));
  EXPECT_EQ(by_day.size(), 100U);
  EXPECT_EQ(first("19980101T090000", "FREQ=DAILY;BYMONTH=1", 70),
            first("19980101T090000", "FREQ=YEARLY;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA", 70));
}

TEST(Rule, ALeapDayComesEveryFourYearsAndNotInBetween) {
  EXPECT_EQ(first("20240229", "FREQ=YEARLY", 3), (Times{"20240229", "20280229", "20320229"}));
  EXPECT_EQ(first("20960229", "FREQ=YEARLY", 2), (Times{"20960229", "21040229"}));
}

TEST(Rule, DtstartIsTheFirstInstanceEvenIfTheRuleHasItNot) {
  EXPECT_EQ(first("20240103T100000", "FREQ=WEEKLY;BYDAY=MO;COUNT=3", 9),
            (Times{"20240103T100000", "20240108T100000", "20240115T100000"}));
}

TEST(Rule, WhatCannotBeReadIsNoRule) {
  for (const char* rule :
       {"", "FREQ=FORTNIGHTLY", "INTERVAL=2", "FREQ=DAILY;COUNT=0", "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;BYHOUR=24", "FREQ=DAILY;BYDAY=XX", "FREQ=DAILY;BYMONTHDAY=0", "FREQ=DAILY;UNTIL=soon",
        "FREQ=DAILY;BYMONTH=1,,2", "FREQ=YEARLY;RSCALE=CHINESE", "FREQ=DAILY;BYSETPOS=0", "FREQ"}) {
    EXPECT_FALSE(parse_rule(rule)) << rule;
  }
  for (const char* rule :
       {"FREQ=DAILY;", "freq=daily;byday=mo", "FREQ=DAILY;X-SKIP=1", "RSCALE=GREGORIAN;FREQ=YEARLY"}) {
    EXPECT_TRUE(parse_rule(rule)) << rule;
  }
}

TEST(Rule, SeekingFindsTheSameInstancesAsStepping) {
  for (const char* text :
       {"FREQ=YEARLY;INTERVAL=3;BYMONTH=2,7;BYDAY=2TU,-1FR", "FREQ=MONTHLY;INTERVAL=5;BYMONTHDAY=31,-1",
        "FREQ=WEEKLY;INTERVAL=3;BYDAY=MO,SU;WKST=WE", "FREQ=DAILY;INTERVAL=11",
        "FREQ=HOURLY;INTERVAL=7;BYDAY=MO", "FREQ=MINUTELY;INTERVAL=1001",
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,-1"}) {
    const auto start = parse_time("20010131T083000").value();
    const auto rule = parse_rule(text).value();
    RuleIterator stepping(rule, start);
    WorkBudget budget(100'000'000);
    std::vector<std::int64_t> all;
    while (const auto next = stepping.next(parse_time("20120101T000000")->local_s, budget))
      all.push_back(*next);
    ASSERT_GT(all.size(), 10U) << text;
    for (const std::size_t index : {std::size_t{0}, all.size() / 2, all.size() - 1}) {
      for (const std::int64_t off : {0, -1}) {
        RuleIterator seeking(rule, start);
        seeking.seek(all[index] + off);
        EXPECT_EQ(seeking.next(time_s_max, budget), all[index]) << text;
      }
    }
  }
}

TEST(Rule, ARuleThatNeverMatchesEndsByTheRangeOrTheBudget) {
  const auto begin = std::chrono::steady_clock::now();
  for (const char* rule : {"FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
                           "FREQ=DAILY;BYMONTH=4;BYMONTHDAY=31", "FREQ=MINUTELY;BYYEARDAY=366;BYMONTH=1",
                           "FREQ=SECONDLY;INTERVAL=60;BYSECOND=1", "FREQ=HOURLY;INTERVAL=24;BYHOUR=3",
                           "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=50"}) {
    const auto found = first("20240101T000000", rule, 2);
    EXPECT_TRUE(found == Times{"20240101T000000"} || found == (Times{"20240101T000000", "!"})) << rule;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(Rule, EverySecondForEverEndsByTheBudget) {
  EXPECT_EQ(first("20240101T000000", "FREQ=SECONDLY", 1'000'000'000, 1000).back(), "!");
}

}  // namespace
}  // namespace pollux::testing
