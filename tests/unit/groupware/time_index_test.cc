// Searches by time: with the index they find what looking at every item finds.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>

#include "service_fixture.h"

namespace pollux::testing {
namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t day_s = 86400;

struct Times {
  std::int64_t first_s, last_s;
};

class TimeIndexTest : public StateTest {
 protected:
  void put_at(const ResourcePath& path, Times times, const std::string& uid = {}) {
    PutItem request{.caller = caller_of(path),
                    .path = path,
                    .when = {},
                    .content = "content",
                    .content_type = "text/calendar",
                    .uid = uid.empty() ? "uid-" + path.names.back() : uid,
                    .component = "VEVENT",
                    .first_s = times.first_s,
                    .last_s = times.last_s};
    stored(service.execute(request));
  }
  std::vector<std::string> find(const ResourcePath& calendar, std::int64_t from_s, std::int64_t to_s,
                                const std::string& component = {}) {
    std::vector<std::string> names;
    std::string after;
    for (;;) {
      const auto reply = service.query(FindItems{.caller = caller_of(calendar),
                                                 .path = calendar,
                                                 .component = component,
                                                 .from_s = from_s,
                                                 .to_s = to_s,
                                                 .after = after});
      EXPECT_EQ(reply.code, Code::ok);
      const auto found = decode_groupware_reply<FoundItems>(reply.payload).value();
      for (const auto& item : found.items) names.push_back(item.name);
      if (!found.more) return names;
      after = found.last;
    }
  }
  std::size_t rows_of_index() const {
    return static_cast<std::size_t>(std::distance(service.rows.lower_bound("x"), service.rows.lower_bound("y")));
  }
};

Times random_times(std::mt19937& random) {
  const auto any = [&](std::int64_t up_to) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(up_to));
  };
  const std::int64_t first = any(4000 * day_s) - 2000 * day_s;
  switch (random() % 6) {
    case 0: return {first, most};
    case 1: return {least, first};
    case 2: return {first, first};
    case 3: return {first, first + any(9 * day_s)};
    case 4: return {first, first + any(700 * day_s)};
    default: return {first, first + 3600};
  }
}

TEST_F(TimeIndexTest, FindsWhatLookingAtEveryItemFinds) {
  std::mt19937 random(5);
  const auto calendar = calendars({"default"});
  std::map<std::string, Times> model;
  for (int round = 0; round < 600; ++round) {
    const std::string name = "item-" + std::to_string(random() % 80);
    const auto path = calendars({"default", name});
    if (random() % 4 == 0) {
      if (model.erase(name) != 0) erase(path);
    } else {
      model[name] = random_times(random);
      put_at(path, model[name]);
    }
    if (round % 5 != 0) continue;
    std::int64_t from = random_times(random).first_s, to = random_times(random).last_s;
    if (from > to) std::swap(from, to);
    std::vector<std::string> expected;
    for (const auto& [item, times] : model) {
      if (times.first_s <= to && times.last_s >= from) expected.push_back(item);
    }
    EXPECT_EQ(find(calendar, from, to), expected) << from << " to " << to;
  }
  EXPECT_EQ(rows_of_index(), model.size());
}

TEST_F(TimeIndexTest, TheEndsOfASearchBelongToIt) {
  const auto calendar = calendars({"default"});
  put_at(calendars({"default", "a"}), {100, 200});
  EXPECT_EQ(find(calendar, 200, 300).size(), 1U);
  EXPECT_EQ(find(calendar, 201, 300).size(), 0U);
  EXPECT_EQ(find(calendar, 0, 100).size(), 1U);
  EXPECT_EQ(find(calendar, 0, 99).size(), 0U);
  EXPECT_EQ(find(calendar, 150, 150, "VEVENT").size(), 1U);
  EXPECT_EQ(find(calendar, 150, 150, "VTODO").size(), 0U);
}

TEST_F(TimeIndexTest, FollowsCopiesAndMoves) {
  ASSERT_EQ(make(calendars({"work"})).code, Code::ok);
  put_at(calendars({"default", "a"}), {100, 200});
  put_at(calendars({"default", "b"}), {1000, 2000});
  stored(copy(calendars({"default", "a"}), calendars({"work", "copied"})));
  stored(move(calendars({"default", "b"}), calendars({"work", "moved"})));
  EXPECT_EQ(find(calendars({"default"}), 0, 3000), (std::vector<std::string>{"a"}));
  EXPECT_EQ(find(calendars({"work"}), 0, 500), (std::vector<std::string>{"copied"}));
  EXPECT_EQ(find(calendars({"work"}), 1500, 1600), (std::vector<std::string>{"moved"}));
  // One that is replaced by a copy has the copy's times.
  stored(move(calendars({"work", "moved"}), calendars({"default", "b"})));
  stored(copy(calendars({"work", "copied"}), calendars({"default", "a"})));
  EXPECT_EQ(find(calendars({"default"}), 0, 500), (std::vector<std::string>{"a"}));
  stored(copy(calendars({"default"}), calendars({"third"})));
  EXPECT_EQ(find(calendars({"third"}), 0, 3000), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(rows_of_index(), 5U);
}

TEST_F(TimeIndexTest, ADeletedCalendarLeavesNothing) {
  ASSERT_EQ(make(calendars({"work"})).code, Code::ok);
  for (int i = 0; i < 20; ++i) put_at(calendars({"work", "item-" + std::to_string(i)}), {i * 100, i * 100 + 50});
  ASSERT_EQ(rows_of_index(), 20U);
  ASSERT_EQ(erase(calendars({"work"})).code, Code::ok);
  for (int i = 0; i < 10; ++i) put(files({"file-" + std::to_string(i)}));  // each erases a part
  EXPECT_EQ(rows_of_index(), 0U);
}

TEST_F(TimeIndexTest, ACalendarOfAnOlderFormatGetsOneWithItsNextChange) {
  put_at(calendars({"default", "a"}), {100, 200});
  put_at(calendars({"default", "b"}), {1000, 2000});
  // As format 2 left it.
  const auto id = info(calendars({"default"})).id;
  auto& row = service.rows.at(collection_key(id));
  auto collection = decode_row<CollectionRow>(row);
  collection.time_index = false;
  row = encode(collection);
  service.rows.erase(service.rows.lower_bound("x"), service.rows.lower_bound("y"));
  EXPECT_EQ(find(calendars({"default"}), 150, 160), (std::vector<std::string>{"a"}));
  put_at(calendars({"default", "c"}), {150, 155});
  EXPECT_EQ(rows_of_index(), 3U);
  EXPECT_EQ(find(calendars({"default"}), 150, 160), (std::vector<std::string>{"a", "c"}));
}

}  // namespace
}  // namespace pollux::testing
