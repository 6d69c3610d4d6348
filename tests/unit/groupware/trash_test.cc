// Deleting a collection is atomic and quick; its rows go with the requests that follow.
#include <gtest/gtest.h>

#include "fake_pair.h"

namespace pollux::testing {
namespace {

class TrashTest : public ::testing::Test {
 protected:
  void SetUp() override { service.execute(AddUser{"alice", "", "hash"}); }

  static ResourcePath path(std::vector<std::string> names) {
    return {DavSpace::calendars, "alice", std::move(names)};
  }
  void fill(const std::string& calendar, int count) {
    for (int number = 0; number < count; ++number) {
      const auto text = std::to_string(number);
      const PutItem put{.caller = operator_for_alice,
                        .path = path({calendar, text}),
                        .when = {},
                        .content = "c",
                        .content_type = "t",
                        .uid = "u" + text,
                        .component = "VEVENT"};
      ASSERT_EQ(service.execute(put).code, Code::ok);
    }
  }
  /// Something that changes nothing by itself.
  void another_request() { service.execute(RemoveUser{"nobody"}); }

  MapService service;
  const Caller operator_for_alice{"alice", 0};
};

TEST_F(TrashTest, AfterAWhileNothingIsLeftOfADeletedCalendar) {
  const auto make = MakeCollection{operator_for_alice, path({"work"}), CollectionKind::calendar, {}};
  service.execute(make);
  const auto del = DeleteResource{operator_for_alice, path({"work"}), {}, false};
  service.execute(del);
  const auto rows_before = service.rows.size();
  service.execute(make);
  fill("work", 500);
  service.execute(DeleteResource{operator_for_alice, path({"work", "3"}), {}, false});
  ASSERT_GT(service.rows.size(), rows_before + 1500);
  ASSERT_EQ(service.execute(del).code, Code::ok);
  EXPECT_EQ(service.query(GetItem{.caller = operator_for_alice, .path = path({"work", "1"})}).code,
            Code::not_found);
  for (int request = 0; request < 20; ++request) another_request();
  EXPECT_EQ(service.rows.size(), rows_before + 1);  // one more deletion is remembered by the home
}

TEST_F(TrashTest, OneRequestErasesABoundedNumberOfRows) {
  fill("default", 1000);
  const auto before = service.rows.size();
  service.execute(DeleteResource{operator_for_alice, path({"default"}), {}, false});
  EXPECT_GE(service.rows.size() + GroupwareLimits::trash_rows_per_request + 2, before);
  EXPECT_LT(service.rows.size(), before);
}

TEST_F(TrashTest, ACalendarMadeAnewIsEmptyWhileTheOldOneIsStillBeingErased) {
  fill("default", 1000);
  service.execute(DeleteResource{operator_for_alice, path({"default"}), {}, false});
  ASSERT_EQ(
      service.execute(MakeCollection{operator_for_alice, path({"default"}), CollectionKind::calendar, {}})
          .code,
      Code::ok);
  fill("default", 5);
  for (int request = 0; request < 30; ++request) another_request();
  const auto listing = decode_groupware_reply<Listing>(
      service.query(ListResources{.caller = operator_for_alice, .path = path({"default"}), .depth = 1})
          .payload);
  EXPECT_EQ(listing->children.size(), 5U);
}

TEST_F(TrashTest, NothingIsLeftOfARemovedUser) {
  fill("default", 300);
  ASSERT_EQ(service.execute(RemoveUser{"alice"}).code, Code::ok);
  for (int request = 0; request < 20; ++request) another_request();
  EXPECT_EQ(service.rows.size(), 1U);  // the next id
}

TEST_F(TrashTest, ACalendarRemembersABoundedNumberOfDeletions) {
  for (std::size_t number = 0; number < GroupwareLimits::tombstones_max + 50; ++number) {
    fill("default", 1);
    service.execute(DeleteResource{operator_for_alice, path({"default", "0"}), {}, false});
  }
  const auto deletions = std::count_if(service.rows.begin(), service.rows.end(),
                                       [](const auto& row) { return row.first.starts_with('t'); });
  EXPECT_EQ(static_cast<std::size_t>(deletions), GroupwareLimits::tombstones_max);
}

}  // namespace
}  // namespace pollux::testing
