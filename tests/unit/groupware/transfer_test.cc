// COPY and MOVE where they are made.
#include "service_fixture.h"

namespace pollux::testing {
namespace {

using TransferTest = StateTest;

TEST_F(TransferTest, AnItemIsCopiedWithItsPropertiesAndGetsATagOfItsOwn) {
  const auto tag = stored(put(files({"a"}), "text")).etag;
  ASSERT_EQ(
      service
          .execute(SetProperties{
              alice, files({"a"}), {}, {{PropertyField::dead, false, "", {"urn:x", "y", "<y/>"}}}, false})
          .code,
      Code::ok);
  EXPECT_TRUE(stored(copy(files({"a"}), files({"b"}))).created);
  EXPECT_EQ(content(files({"a"})), "text");
  EXPECT_EQ(content(files({"b"})), "text");
  const auto home = list(files({}));
  const auto& b = std::get<ItemInfo>(home.children[1]);
  EXPECT_EQ(b.dead.size(), 1U);
  EXPECT_NE(b.etag, tag);
  EXPECT_FALSE(stored(copy(files({"a"}), files({"b"}))).created);
  EXPECT_EQ(used("alice"), 8U);
  EXPECT_EQ(used("alice"), bytes_stored());
}

TEST_F(TransferTest, AMovedItemKeepsItsTag) {
  const auto tag = stored(put(files({"a"}), "text")).etag;
  EXPECT_TRUE(stored(move(files({"a"}), files({"b"}))).created);
  EXPECT_EQ(content(files({"a"})), std::nullopt);
  EXPECT_EQ(std::get<ItemInfo>(list(files({})).children[0]).etag, tag);
  EXPECT_EQ(used("alice"), 4U);
}

TEST_F(TransferTest, WhatIsAtTheDestinationIsReplacedOnlyIfThatIsWanted) {
  put(files({"a"}), "new");
  put(files({"b"}), "old content");
  for (const bool moves : {false, true}) {
    TransferResource request{
        .caller = alice, .from = files({"a"}), .to = files({"b"}), .when = {}, .move = moves};
    request.overwrite = false;
    EXPECT_EQ(service.execute(request).code, Code::precondition_failed);
    EXPECT_EQ(content(files({"b"})), moves ? "new" : "old content");
    request.overwrite = true;
    EXPECT_FALSE(stored(service.execute(request)).created);
    EXPECT_EQ(content(files({"b"})), "new");
  }
  EXPECT_EQ(names_in(files({})), std::vector<std::string>{"b"});
  EXPECT_EQ(used("alice"), 3U);
  EXPECT_EQ(bytes_stored(), 3U);
  EXPECT_EQ(info(files({})).items, 1U);
  EXPECT_EQ(info(files({})).bytes, 3U);
}

TEST_F(TransferTest, ACollectionIsCopiedWithEverythingOrWithNothingInIt) {
  make(files({"x"}));
  make(files({"x", "y"}));
  put(files({"x", "a"}), "1");
  put(files({"x", "y", "b"}), "22");
  EXPECT_TRUE(stored(copy(files({"x"}), files({"z"}))).created);
  EXPECT_EQ(content(files({"z", "y", "b"})), "22");
  EXPECT_EQ(content(files({"x", "y", "b"})), "22");
  EXPECT_EQ(used("alice"), 6U);
  TransferResource shallow{
      .caller = alice, .from = files({"x"}), .to = files({"z"}), .when = {}, .shallow = true};
  EXPECT_FALSE(stored(service.execute(shallow)).created);  // what was there is gone with all that was in it
  EXPECT_TRUE(names_in(files({"z"})).empty());
  EXPECT_EQ(used("alice"), 3U);
  EXPECT_EQ(bytes_stored(), 3U);
}

TEST_F(TransferTest, ACollectionIsMovedInOneStep) {
  make(files({"x"}));
  make(files({"x", "y"}));
  put(files({"x", "y", "b"}), "22");
  make(files({"z"}));
  EXPECT_TRUE(stored(move(files({"x"}), files({"z", "x"}))).created);
  EXPECT_EQ(content(files({"z", "x", "y", "b"})), "22");
  EXPECT_EQ(names_in(files({})), std::vector<std::string>{"z"});
  EXPECT_EQ(used("alice"), 2U);
}

TEST_F(TransferTest, NothingGoesIntoItself) {
  make(files({"x"}));
  make(files({"x", "y"}));
  put(files({"x", "a"}));
  for (const bool moves : {false, true}) {
    EXPECT_EQ(reason(transfer(files({"x"}), files({"x"}), moves)), RefusalReason::same_resource);
    EXPECT_EQ(reason(transfer(files({"x"}), files({"x", "y", "z"}), moves)), RefusalReason::same_resource);
    EXPECT_EQ(reason(transfer(files({"x", "y"}), files({"x"}), moves)), RefusalReason::same_resource);
    EXPECT_EQ(reason(transfer(files({"x", "a"}), files({"x"}), moves)), RefusalReason::same_resource);
    EXPECT_EQ(reason(transfer(files({}), files({"x"}), moves)), RefusalReason::wrong_place);
    EXPECT_EQ(reason(transfer(files({"x"}), files({}), moves)), RefusalReason::wrong_place);
    EXPECT_EQ(transfer(files({"none"}), files({"z"}), moves).code, Code::not_found);
    EXPECT_EQ(reason(transfer(files({"x"}), files({"none", "z"}), moves)), RefusalReason::no_parent);
  }
}

TEST_F(TransferTest, UidsStayUniqueInACalendar) {
  make(calendars({"work"}));
  put(calendars({"default", "a.ics"}));
  put(calendars({"default", "b.ics"}));
  EXPECT_EQ(reason(copy(calendars({"default", "a.ics"}), calendars({"default", "c.ics"}))),
            RefusalReason::uid_conflict);
  EXPECT_EQ(reason(copy(calendars({"default", "a.ics"}), calendars({"default", "b.ics"}))),
            RefusalReason::uid_conflict);
  EXPECT_EQ(move(calendars({"default", "a.ics"}), calendars({"default", "c.ics"})).code, Code::ok);
  EXPECT_EQ(copy(calendars({"default", "c.ics"}), calendars({"work", "c.ics"})).code, Code::ok);
  EXPECT_EQ(reason(move(calendars({"default", "c.ics"}), calendars({"work", "d.ics"}))),
            RefusalReason::uid_conflict);
  EXPECT_EQ(move(calendars({"default", "c.ics"}), calendars({"work", "c.ics"})).code, Code::ok);
  EXPECT_EQ(put(calendars({"default", "a.ics"})).code, Code::ok);  // its UID is free again
}

TEST_F(TransferTest, OnlyCalendarItemsGetIntoCalendars) {
  put(files({"a.ics"}));
  put(contacts({"default", "a.vcf"}));
  put(calendars({"default", "a.ics"}));
  EXPECT_EQ(reason(copy(files({"a.ics"}), calendars({"default", "b.ics"}))),
            RefusalReason::not_a_calendar_item);
  EXPECT_EQ(reason(copy(contacts({"default", "a.vcf"}), calendars({"default", "b.ics"}))),
            RefusalReason::not_a_calendar_item);
  EXPECT_EQ(reason(copy(calendars({"default", "a.ics"}), contacts({"default", "b.vcf"}))),
            RefusalReason::not_a_calendar_item);
  EXPECT_EQ(reason(copy(calendars({"default", "a.ics"}), calendars({"tasks", "b.ics"}))),
            RefusalReason::unsupported_component);
  EXPECT_EQ(reason(copy(calendars({"default"}), files({"x"}))), RefusalReason::wrong_place);
  EXPECT_EQ(copy(calendars({"default", "a.ics"}), files({"b.ics"})).code, Code::ok);
  EXPECT_EQ(copy(files({"b.ics"}), calendars({"default", "a.ics"})).code,
            Code::ok);  // back where it came from
  EXPECT_EQ(copy(calendars({"default"}), calendars({"other"})).code, Code::ok);
  EXPECT_EQ(content(calendars({"other", "a.ics"})), "content");
  EXPECT_EQ(reason(put(calendars({"other", "a.ics"}), "x", {}, bob)), RefusalReason::not_yours);
}

TEST_F(TransferTest, APathNeverGetsDeeperThanTheLimit) {
  std::vector<std::string> names;
  for (std::size_t level = 0; level < GroupwareLimits::path_depth_max; ++level) {
    names.push_back("x");
    ASSERT_EQ(make(files(names)).code, Code::ok);
  }
  ASSERT_EQ(make(files({"y"})).code, Code::ok);
  EXPECT_EQ(reason(move(files({"x"}), files({"y", "x"}))), RefusalReason::too_many);
  EXPECT_EQ(reason(copy(files({"x"}), files({"y", "x"}))), RefusalReason::too_many);
  EXPECT_EQ(move(files({"x"}), files({"z"})).code, Code::ok);
}

TEST_F(TransferTest, ATooLargeCopyIsRefusedWhole) {
  make(files({"x"}));
  const std::string half(GroupwareLimits::copy_bytes_max / 2 + 1, 'x');
  ASSERT_EQ(put(files({"x", "a"}), half).code, Code::ok);
  ASSERT_EQ(put(files({"x", "b"}), half).code, Code::ok);
  const auto refused = copy(files({"x"}), files({"y"}));
  EXPECT_EQ(refused.code, Code::insufficient);
  EXPECT_EQ(names_in(files({})), std::vector<std::string>{"x"});
  EXPECT_EQ(move(files({"x"}), files({"y"})).code, Code::ok);
}

TEST_F(TransferTest, WhatWasReplacedIsNoDeletionForThoseWhoSynchronize) {
  put(files({"a"}), "1");
  put(files({"b"}), "2");
  const auto home = decode_row<PrincipalRow>(service.rows.at(principal_key("alice"))).files;
  move(files({"a"}), files({"b"}));
  std::vector<std::string> gone, there;
  for (const auto& [key, value] : service.rows) {
    if (const auto range = collection_range('t', home); key >= range.from && key < range.to)
      gone.push_back(value);
    if (const auto range = collection_range('s', home); key >= range.from && key < range.to)
      there.push_back(value);
  }
  EXPECT_EQ(gone, std::vector<std::string>{"a"});
  EXPECT_EQ(there, std::vector<std::string>{"b"});
}

}  // namespace
}  // namespace pollux::testing
