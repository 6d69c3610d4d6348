#include "office/office_day.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "file/file_plan.h"

namespace pollux {
namespace {

TEST(OfficeDayTest, EachPersonDecidesTwoToThreeHundredTimesAndTheDayIsAboutFiftyMegabytes) {
  const auto day = office_day({});
  std::map<unsigned, unsigned> decisions;
  for (const auto& act : day) ++decisions[act.person];
  EXPECT_EQ(decisions.size(), 100U);
  for (const auto& [person, count] : decisions) {
    EXPECT_GE(count, 200U) << person;
    EXPECT_LE(count, 300U) << person;
  }
  EXPECT_GE(item_bytes_of(day), 30'000'000U);
  EXPECT_LE(item_bytes_of(day), 60'000'000U);
}

TEST(OfficeDayTest, TheScheduleIsInOrderCompressedAndHasEveryKindAndSize) {
  const BenchOfficeOptions options{.compress = 1000, .settings = {}, .gateway_settings = {}};
  const auto day = office_day(options);
  EXPECT_TRUE(std::ranges::is_sorted(day, {}, &OfficeAct::due));
  EXPECT_LT(day.back().due, std::chrono::milliseconds(28'800));
  EXPECT_GT(day.back().due, std::chrono::milliseconds(28'000)) << "it lasts all day";
  for (const auto kind : office_kinds) EXPECT_GT(std::ranges::count(day, kind, &OfficeAct::kind), 1000);
  for (const std::uint32_t bytes : {700, 1500, 4000, 12'000}) {
    EXPECT_GT(std::ranges::count(day, bytes, &OfficeAct::item_bytes), 1000) << bytes;
  }
}

TEST(OfficeDayTest, TheSameSeedIsTheSameDayAndAnotherIsAnother) {
  const auto moments = [](std::uint64_t seed) {
    std::vector<std::chrono::nanoseconds> all;
    for (const auto& act : office_day({.people = 2, .seed = seed, .settings = {}, .gateway_settings = {}})) {
      all.push_back(act.due);
    }
    return all;
  };
  EXPECT_EQ(moments(7), moments(7));
  EXPECT_NE(moments(7), moments(8));
}

TEST(FileTextTest, IsOfItsSizeAndAnotherForAnotherNumber) {
  EXPECT_EQ(file_text(1000, 1).size(), 1000U);
  EXPECT_EQ(file_text(1000, 1), file_text(1000, 1));
  EXPECT_NE(file_text(1000, 1), file_text(1000, 2));
}

}  // namespace
}  // namespace pollux
