// What users have: homes in each space, and how those of an older format get theirs.
#include "service_fixture.h"

namespace pollux::testing {
namespace {

using HomesTest = StateTest;

TEST_F(HomesTest, ANewUserHasACalendarATaskListAndAnAddressBook) {
  EXPECT_EQ(names_in(calendars({})), (std::vector<std::string>{"default", "tasks"}));
  EXPECT_EQ(info(calendars({"tasks"})).properties.components, std::vector<std::string>{"VTODO"});
  EXPECT_EQ(names_in(contacts({})), std::vector<std::string>{"default"});
  EXPECT_EQ(info(contacts({"default"})).kind, CollectionKind::addressbook);
  EXPECT_TRUE(names_in(files({})).empty());
}

TEST_F(HomesTest, EachKindOfCollectionHasItsPlace) {
  const auto make_kind = [&](const ResourcePath& path, CollectionKind kind) {
    return service.execute(MakeCollection{alice, path, kind, {}, {}});
  };
  EXPECT_EQ(reason(make_kind(calendars({"x"}), CollectionKind::plain)), RefusalReason::wrong_place);
  EXPECT_EQ(reason(make_kind(calendars({"default", "x"}), CollectionKind::calendar)),
            RefusalReason::wrong_place);
  EXPECT_EQ(reason(make_kind(contacts({"x"}), CollectionKind::calendar)), RefusalReason::wrong_place);
  EXPECT_EQ(reason(make_kind(files({"x"}), CollectionKind::addressbook)), RefusalReason::wrong_place);
  EXPECT_EQ(make_kind(contacts({"x"}), CollectionKind::addressbook).code, Code::ok);
  EXPECT_EQ(make_kind(files({"x"}), CollectionKind::plain).code, Code::ok);
  EXPECT_EQ(make_kind(files({"x", "y"}), CollectionKind::plain).code, Code::ok);
  EXPECT_EQ(put(files({"x", "y", "a"})).code, Code::ok);
  EXPECT_EQ(put(files({"a"})).code, Code::ok);
  EXPECT_EQ(reason(put(calendars({"a"}))), RefusalReason::wrong_place);
  EXPECT_EQ(reason(put(contacts({"a"}))), RefusalReason::wrong_place);
  EXPECT_EQ(reason(put(files({"nowhere", "a"}))), RefusalReason::no_parent);
  EXPECT_EQ(reason(put(files({"a", "b"}))), RefusalReason::no_parent);
}

TEST_F(HomesTest, AnAddressBookTakesCardsAndKeepsTheirUids) {
  ASSERT_EQ(put(contacts({"default", "a.vcf"})).code, Code::ok);
  PutItem event{.caller = alice,
                .path = contacts({"default", "b.vcf"}),
                .when = {},
                .content = "x",
                .content_type = {},
                .uid = "u",
                .component = "VEVENT"};
  EXPECT_EQ(reason(service.execute(event)), RefusalReason::unsupported_component);
  event.component = vcard_component;
  event.uid = "uid-a.vcf";
  EXPECT_EQ(reason(service.execute(event)), RefusalReason::uid_conflict);
}

TEST_F(HomesTest, TheTimesOfAnItemAreKept) {
  PutItem event{.caller = alice,
                .path = calendars({"default", "a.ics"}),
                .when = {},
                .content = "x",
                .content_type = {},
                .uid = "u",
                .component = "VEVENT",
                .first_s = -5,
                .last_s = 77};
  ASSERT_EQ(service.execute(event).code, Code::ok);
  const auto item = std::get<ItemInfo>(list(calendars({"default"})).children[0]);
  EXPECT_EQ(item.first_s, -5);
  EXPECT_EQ(item.last_s, 77);
}

/// As the version before this one has left it: calendars only, and no word of the other homes.
class OldFormatTest : public StateTest {
 protected:
  void SetUp() override {
    StateTest::SetUp();
    ASSERT_EQ(put(calendars({"default", "a.ics"}), "12345").code, Code::ok);
    auto principal = decode_row<PrincipalRow>(service.rows.at(principal_key("alice")));
    for (const std::uint64_t home : {principal.contacts, principal.files}) {
      service.rows.erase(collection_key(home));
      service.rows.erase(counter_key(home));
      std::erase_if(service.rows, [&](const auto& row) {
        const auto range = collection_range('e', home);
        return row.first >= range.from && row.first < range.to;
      });
    }
    principal.contacts = principal.files = 0;
    service.rows[principal_key("alice")] = encode(principal);
    service.rows.erase(usage_key("alice"));
    service.rows.erase(entry_key(principal.calendars, "tasks"));
    auto meta = decode_row<MetaRow>(service.rows.at(meta_key()));
    meta.format = 1;
    service.rows[meta_key()] = encode(meta);
  }
};

TEST_F(OldFormatTest, CalendarsAreUsedAsBefore) {
  EXPECT_EQ(put(calendars({"default", "b.ics"})).code, Code::ok);
  EXPECT_EQ(names_in(calendars({"default"})), (std::vector<std::string>{"a.ics", "b.ics"}));
  EXPECT_EQ(used("alice"), 5U + 7U);
}

TEST_F(OldFormatTest, TheOtherHomesAreMadeWhenTheyAreNeeded) {
  EXPECT_EQ(reason(service.query(ListResources{.caller = alice, .path = contacts({})})),
            RefusalReason::homes_missing);
  EXPECT_EQ(reason(put(files({"a"}))), RefusalReason::homes_missing);
  ASSERT_EQ(service.execute(MakeHomes{alice}).code, Code::ok);
  EXPECT_EQ(names_in(contacts({})), std::vector<std::string>{"default"});
  EXPECT_EQ(names_in(calendars({})), (std::vector<std::string>{"default", "tasks"}));
  EXPECT_EQ(put(files({"a"})).code, Code::ok);
  EXPECT_EQ(used("alice"), 5U + 7U);
  ASSERT_EQ(service.execute(MakeHomes{alice}).code, Code::ok);  // a second time it does nothing
  EXPECT_EQ(names_in(files({})), std::vector<std::string>{"a"});
}

TEST_F(OldFormatTest, SharingWithSuchAUserMakesItsHomes) {
  ASSERT_EQ(make(files({"team"}, "bob")).code, Code::ok);
  ASSERT_EQ(share(files({"team"}, "bob"), "alice", Access::read).code, Code::ok);
  EXPECT_EQ(names_in(files({})), std::vector<std::string>{"team"});
}

TEST_F(HomesTest, DataOfANewerFormatIsRefused) {
  auto meta = decode_row<MetaRow>(service.rows.at(meta_key()));
  meta.format = state_format + 1;
  service.rows[meta_key()] = encode(meta);
  EXPECT_THROW(put(files({"a"})), std::runtime_error);
}

TEST_F(HomesTest, WhatAUserStoresIsCountedAndLimited) {
  ASSERT_EQ(put(files({"a"}), "12345").code, Code::ok);
  ASSERT_EQ(put(files({"a"}), "123").code, Code::ok);
  ASSERT_EQ(put(calendars({"default", "a.ics"}), "1234").code, Code::ok);
  EXPECT_EQ(used("alice"), 7U);
  ASSERT_EQ(service.execute(SetQuota{"alice", 10}).code, Code::ok);
  EXPECT_EQ(put(files({"b"}), "123").code, Code::ok);
  EXPECT_EQ(reason(put(files({"c"}), "1")), RefusalReason::quota);
  EXPECT_EQ(put(files({"c"}), "1").code, Code::insufficient);
  EXPECT_EQ(put(files({"b"}), "12").code, Code::ok);  // smaller than before is never too much
  EXPECT_EQ(reason(copy(files({"a"}), files({"c"}))), RefusalReason::quota);
  ASSERT_EQ(erase(files({"a"})).code, Code::ok);
  EXPECT_EQ(used("alice"), 6U);
  EXPECT_EQ(used("alice"), bytes_stored());
  EXPECT_EQ(info(files({})).quota_bytes, 10U);
  EXPECT_EQ(service.execute(SetQuota{"nobody", 10}).code, Code::not_found);
}

TEST_F(HomesTest, DeletedCollectionsGiveTheirRoomBack) {
  ASSERT_EQ(make(files({"x"})).code, Code::ok);
  ASSERT_EQ(make(files({"x", "y"})).code, Code::ok);
  ASSERT_EQ(put(files({"x", "y", "a"}), "12345").code, Code::ok);
  ASSERT_EQ(erase(files({"x"})).code, Code::ok);
  EXPECT_EQ(used("alice"), 0U);
  EXPECT_EQ(bytes_stored(), 0U);
}

TEST_F(HomesTest, ARemovedUsersNameBeginsWithNothing) {
  ASSERT_EQ(make(files({"x"})).code, Code::ok);
  for (int number = 0; number < 300; ++number) {  // more than one request erases
    ASSERT_EQ(put(files({"x", std::to_string(number)}), "12345").code, Code::ok);
  }
  ASSERT_EQ(erase(files({"x"})).code, Code::ok);
  ASSERT_EQ(service.execute(RemoveUser{"alice"}).code, Code::ok);
  ASSERT_EQ(service.execute(AddUser{"alice", "", "hash"}).code, Code::ok);
  alice = caller("alice");
  ASSERT_EQ(put(files({"a"}), "123").code, Code::ok);
  for (int round = 0; round < 20; ++round) ASSERT_EQ(put(files({"a"}), "123").code, Code::ok);
  EXPECT_EQ(used("alice"), 3U);
  EXPECT_EQ(bytes_stored(), 3U);
}

}  // namespace
}  // namespace pollux::testing
