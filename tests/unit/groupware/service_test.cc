#include "pollux/groupware/service.h"

#include <gtest/gtest.h>

#include <set>

#include "fake_pair.h"
#include "state/keys.h"
#include "state/rows.h"

namespace pollux::testing {
namespace {

class ServiceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(service.execute(AddUser{"alice", "Alice", "hash-a"}).code, Code::ok);
    ASSERT_EQ(service.execute(AddUser{"bob", "", "hash-b"}).code, Code::ok);
    alice = caller("alice");
    bob = caller("bob");
  }

  Caller caller(const std::string& user) {
    const auto reply = service.query(GetCredentials{user});
    return {user, decode_groupware_reply<Credentials>(reply.payload)->credential_version};
  }
  static ResourcePath path(std::vector<std::string> names, const std::string& user = "alice") {
    return {DavSpace::calendars, user, std::move(names)};
  }
  PutItem item(const std::string& name, const std::string& uid, const std::string& content = "content") {
    return {.caller = alice,
            .path = path({"default", name}),
            .when = {},
            .content = content,
            .content_type = "text/calendar",
            .uid = uid,
            .component = "VEVENT"};
  }
  ServiceReply put(const std::string& name, const std::string& uid, Preconditions when = {}) {
    auto request = item(name, uid);
    request.when = std::move(when);
    return service.execute(request);
  }
  std::string etag(const ServiceReply& reply) {
    EXPECT_EQ(reply.code, Code::ok);
    return decode_groupware_reply<Stored>(reply.payload).value().etag;
  }
  static RefusalReason reason(const ServiceReply& reply) {
    return decode_groupware_reply<Refusal>(reply.payload).value().reason;
  }
  Item get(const std::string& name) {
    const auto reply = service.query(GetItem{.caller = alice, .path = path({"default", name})});
    EXPECT_EQ(reply.code, Code::ok);
    return decode_groupware_reply<Item>(reply.payload).value_or(Item());
  }
  Listing list(std::vector<std::string> names, std::uint32_t depth = 1) {
    const auto reply =
        service.query(ListResources{.caller = alice, .path = path(std::move(names)), .depth = depth});
    EXPECT_EQ(reply.code, Code::ok);
    return decode_groupware_reply<Listing>(reply.payload).value_or(Listing());
  }

  MapService service;
  Caller alice, bob;
};

TEST_F(ServiceTest, AUserHasAHomeWithADefaultCalendar) {
  const auto home = list({});
  EXPECT_EQ(std::get<CollectionInfo>(home.self).kind, CollectionKind::home);
  ASSERT_EQ(home.children.size(), 2U);  // and the task list
  const auto& calendar = std::get<CollectionInfo>(home.children[0]);
  EXPECT_EQ(calendar.name, "default");
  EXPECT_EQ(calendar.kind, CollectionKind::calendar);
  EXPECT_EQ(calendar.owner, "alice");
}

TEST_F(ServiceTest, AUserCanNotBeAddedTwice) {
  EXPECT_EQ(service.execute(AddUser{"alice", "", "other"}).code, Code::already_exists);
  EXPECT_EQ(
      decode_groupware_reply<Credentials>(service.query(GetCredentials{"alice"}).payload)->password_hash,
      "hash-a");
}

TEST_F(ServiceTest, NamesThatNoUserCanHaveAreRefused) {
  for (const std::string& name : {std::string(), std::string("a/b"), std::string("-a"), std::string("a b"),
                                  std::string("a\0b", 3), std::string(65, 'a'), std::string("ä")}) {
    EXPECT_EQ(service.execute(AddUser{name, "", "hash"}).code, Code::invalid_argument) << name;
    EXPECT_EQ(service.query(GetCredentials{name}).code, Code::not_found) << name;
    EXPECT_EQ(service.execute(RemoveUser{name}).code, Code::not_found) << name;
  }
}

TEST_F(ServiceTest, UsersAreListedInPages) {
  const auto first = decode_groupware_reply<UserList>(service.query(ListUsers{"", 1}).payload).value();
  ASSERT_EQ(first.users.size(), 1U);
  EXPECT_EQ(first.users[0].user, "alice");
  EXPECT_EQ(first.users[0].display_name, "Alice");
  EXPECT_TRUE(first.more);
  const auto second = decode_groupware_reply<UserList>(service.query(ListUsers{"alice", 10}).payload).value();
  ASSERT_EQ(second.users.size(), 1U);
  EXPECT_EQ(second.users[0].display_name, "bob");
  EXPECT_FALSE(second.more);
}

TEST_F(ServiceTest, WhatWasPutComesBack) {
  auto request = item("a.ics", "uid-a", std::string("octets \0 \xff and more", 19));
  const auto stored = decode_groupware_reply<Stored>(service.execute(request).payload).value();
  EXPECT_TRUE(stored.created);
  const auto back = get("a.ics");
  EXPECT_EQ(back.content, request.content);
  EXPECT_EQ(back.info.etag, stored.etag);
  EXPECT_EQ(back.info.bytes, request.content.size());
}

TEST_F(ServiceTest, EveryPutGivesAStrongQuotedEtagOfItsOwn) {
  std::set<std::string> etags;
  etags.insert(etag(put("a.ics", "uid-a")));
  etags.insert(etag(put("a.ics", "uid-a")));
  ASSERT_EQ(service.execute(DeleteResource{alice, path({"default", "a.ics"}), {}, false}).code, Code::ok);
  etags.insert(etag(put("a.ics", "uid-a")));
  etags.insert(etag(put("b.ics", "uid-b")));
  EXPECT_EQ(etags.size(), 4U);
  for (const auto& tag : etags) EXPECT_TRUE(tag.starts_with('"') && tag.ends_with('"')) << tag;
}

TEST_F(ServiceTest, OfManyWritersWithOneEtagExactlyOneWins) {
  const auto tag = etag(put("a.ics", "uid-a"));
  const Preconditions when{.match = TagList{false, {{false, tag}}}, .none_match = {}};
  int won = 0;
  for (int writer = 0; writer < 10; ++writer) won += put("a.ics", "uid-a", when).code == Code::ok ? 1 : 0;
  EXPECT_EQ(won, 1);
}

TEST_F(ServiceTest, IfNoneMatchStarCreatesOnce) {
  const Preconditions when{.match = {}, .none_match = TagList{true, {}}};
  EXPECT_EQ(put("a.ics", "uid-a", when).code, Code::ok);
  EXPECT_EQ(put("a.ics", "uid-a", when).code, Code::precondition_failed);
}

TEST_F(ServiceTest, AWeakTagNeverMatchesInIfMatch) {
  const auto tag = etag(put("a.ics", "uid-a"));
  EXPECT_EQ(put("a.ics", "uid-a", {.match = TagList{false, {{true, tag}}}, .none_match = {}}).code,
            Code::precondition_failed);
  EXPECT_EQ(
      put("a.ics", "uid-a", {.match = TagList{false, {{true, "\"x\""}, {false, tag}}}, .none_match = {}})
          .code,
      Code::ok);
}

TEST_F(ServiceTest, IfMatchNeedsSomethingToMatch) {
  const Preconditions when{.match = TagList{true, {}}, .none_match = {}};
  EXPECT_EQ(put("a.ics", "uid-a", when).code, Code::precondition_failed);
  EXPECT_EQ(service.execute(DeleteResource{alice, path({"default", "a.ics"}), when, false}).code,
            Code::precondition_failed);
}

TEST_F(ServiceTest, AUidIsInACalendarOnce) {
  ASSERT_EQ(put("a.ics", "uid-a").code, Code::ok);
  const auto refused = put("b.ics", "uid-a");
  EXPECT_EQ(refused.code, Code::conflict);
  EXPECT_EQ(reason(refused), RefusalReason::uid_conflict);
  EXPECT_EQ(decode_groupware_reply<Refusal>(refused.payload)->name, "a.ics");
  ASSERT_EQ(service.execute(DeleteResource{alice, path({"default", "a.ics"}), {}, false}).code, Code::ok);
  EXPECT_EQ(put("b.ics", "uid-a").code, Code::ok);
}

TEST_F(ServiceTest, AUidMayBeInTwoCalendars) {
  ASSERT_EQ(service.execute(MakeCollection{alice, path({"work"}), CollectionKind::calendar, {}}).code,
            Code::ok);
  ASSERT_EQ(put("a.ics", "uid-a").code, Code::ok);
  auto other = item("a.ics", "uid-a");
  other.path = path({"work", "a.ics"});
  EXPECT_EQ(service.execute(other).code, Code::ok);
}

TEST_F(ServiceTest, AnItemKeepsItsUid) {
  ASSERT_EQ(put("a.ics", "uid-a").code, Code::ok);
  EXPECT_EQ(reason(put("a.ics", "uid-b")), RefusalReason::uid_conflict);
}

TEST_F(ServiceTest, LongUidsThatDifferAtTheirEndAreTwo) {
  const std::string uid(3000, 'u');
  EXPECT_EQ(put("a.ics", uid + "1").code, Code::ok);
  EXPECT_EQ(put("b.ics", uid + "2").code, Code::ok);
  EXPECT_EQ(reason(put("c.ics", uid + "1")), RefusalReason::uid_conflict);
}

TEST_F(ServiceTest, ItemsLiveInCalendarsOnly) {
  auto request = item("a.ics", "uid-a");
  request.path = path({"a.ics"});
  EXPECT_EQ(service.execute(request).code, Code::forbidden);
  request.path = path({"nowhere", "a.ics"});
  EXPECT_EQ(reason(service.execute(request)), RefusalReason::no_parent);
  request.path = path({"default"});
  EXPECT_EQ(reason(service.execute(request)), RefusalReason::is_collection);
  request.path = path({"default", "..", "x"});
  EXPECT_EQ(reason(service.execute(request)), RefusalReason::bad_name);
}

TEST_F(ServiceTest, AnItemIsNoCollectionForOthers) {
  ASSERT_EQ(put("a.ics", "uid-a").code, Code::ok);
  auto below = item("b.ics", "uid-b");
  below.path = path({"default", "a.ics", "b.ics"});
  EXPECT_EQ(reason(service.execute(below)), RefusalReason::no_parent);
}

TEST_F(ServiceTest, ACalendarTakesOnlyItsComponents) {
  MakeCollection make{alice, path({"todo"}), CollectionKind::calendar, {}, {}};
  make.properties.components = {"VTODO"};
  ASSERT_EQ(service.execute(make).code, Code::ok);
  auto request = item("a.ics", "uid-a");
  request.path = path({"todo", "a.ics"});
  EXPECT_EQ(reason(service.execute(request)), RefusalReason::unsupported_component);
  request.component = "VTODO";
  EXPECT_EQ(service.execute(request).code, Code::ok);
}

TEST_F(ServiceTest, NobodyReachesWhatBelongsToAnother) {
  ASSERT_EQ(put("a.ics", "uid-a").code, Code::ok);
  auto request = item("a.ics", "uid-a");
  request.caller = bob;
  EXPECT_EQ(reason(service.execute(request)), RefusalReason::not_yours);
  EXPECT_EQ(reason(service.query(GetItem{.caller = bob, .path = path({"default", "a.ics"})})),
            RefusalReason::not_yours);
  EXPECT_EQ(reason(service.query(ListResources{.caller = bob, .path = path({})})), RefusalReason::not_yours);
  EXPECT_EQ(reason(service.execute(DeleteResource{bob, path({"default"}), {}, false})),
            RefusalReason::not_yours);
  EXPECT_EQ(reason(service.execute(MakeCollection{bob, path({"x"}), CollectionKind::calendar, {}})),
            RefusalReason::not_yours);
  // Whether that other user exists makes no difference.
  EXPECT_EQ(reason(service.query(GetItem{.caller = bob, .path = path({"default", "a.ics"}, "nobody")})),
            RefusalReason::not_yours);
}

TEST_F(ServiceTest, ANewPasswordMakesOldLoginsStale) {
  ASSERT_EQ(service.execute(SetPassword{"alice", "hash-2"}).code, Code::ok);
  EXPECT_EQ(reason(put("a.ics", "uid-a")), RefusalReason::stale_credentials);
  EXPECT_EQ(reason(service.query(GetItem{.caller = alice, .path = path({"default", "a.ics"})})),
            RefusalReason::stale_credentials);
  alice = caller("alice");
  EXPECT_EQ(put("a.ics", "uid-a").code, Code::ok);
}

TEST_F(ServiceTest, ALoginIsStaleEvenIfTheUserIsAddedAnew) {
  ASSERT_EQ(service.execute(RemoveUser{"alice"}).code, Code::ok);
  ASSERT_EQ(service.execute(AddUser{"alice", "", "hash-a"}).code, Code::ok);
  EXPECT_EQ(reason(put("a.ics", "uid-a")), RefusalReason::stale_credentials);
}

TEST_F(ServiceTest, AnOperatorsToolNeedsNoLogin) {
  alice.credential_version = 0;
  EXPECT_EQ(put("a.ics", "uid-a").code, Code::ok);
  alice.user = "nobody";
  auto request = item("a.ics", "uid-a");
  request.path.user = "nobody";
  EXPECT_EQ(service.execute(request).code, Code::not_found);
}

TEST_F(ServiceTest, ARemovedUserIsGoneAndItsNameIsFree) {
  ASSERT_EQ(put("a.ics", "uid-a").code, Code::ok);
  ASSERT_EQ(service.execute(RemoveUser{"alice"}).code, Code::ok);
  EXPECT_EQ(service.query(GetCredentials{"alice"}).code, Code::not_found);
  EXPECT_EQ(service.execute(RemoveUser{"alice"}).code, Code::not_found);
  ASSERT_EQ(service.execute(AddUser{"alice", "", "hash-a"}).code, Code::ok);
  alice = caller("alice");
  EXPECT_TRUE(list({"default"}).children.empty());
}

TEST_F(ServiceTest, ChangeNumbersGrowWithEveryChange) {
  const auto number = [&] { return std::get<CollectionInfo>(list({"default"}, 0).self).change; };
  const auto before = number();
  put("a.ics", "uid-a");
  put("a.ics", "uid-a");
  EXPECT_EQ(number(), before + 2);
  put("b.ics", "uid-a");  // refused
  EXPECT_EQ(number(), before + 2);
  service.execute(DeleteResource{alice, path({"default", "a.ics"}), {}, false});
  EXPECT_EQ(number(), before + 3);
}

TEST_F(ServiceTest, WhatChangedAndWhatWentCanBeToldByChangeNumber) {
  put("a.ics", "uid-a");
  put("b.ics", "uid-b");
  put("a.ics", "uid-a");
  const auto info = std::get<CollectionInfo>(list({"default"}, 0).self);
  // One row for each item, at its last change: what sync-collection will read.
  EXPECT_FALSE(service.rows.contains(stored_key(info.id, info.change - 2)));
  EXPECT_EQ(service.rows.at(stored_key(info.id, info.change - 1)), "b.ics");
  EXPECT_EQ(service.rows.at(stored_key(info.id, info.change)), "a.ics");
  service.execute(DeleteResource{alice, path({"default", "b.ics"}), {}, false});
  EXPECT_FALSE(service.rows.contains(stored_key(info.id, info.change - 1)));
  EXPECT_EQ(service.rows.at(deleted_key(info.id, info.change + 1)), "b.ics");
}

TEST_F(ServiceTest, CountersTellItemsAndBytes) {
  service.execute(item("a.ics", "uid-a", std::string(100, 'x')));
  service.execute(item("b.ics", "uid-b", std::string(50, 'x')));
  service.execute(item("a.ics", "uid-a", std::string(10, 'x')));
  auto info = std::get<CollectionInfo>(list({"default"}, 0).self);
  EXPECT_EQ(info.items, 2U);
  EXPECT_EQ(info.bytes, 60U);
  service.execute(DeleteResource{alice, path({"default", "b.ics"}), {}, false});
  info = std::get<CollectionInfo>(list({"default"}, 0).self);
  EXPECT_EQ(info.items, 1U);
  EXPECT_EQ(info.bytes, 10U);
}

TEST_F(ServiceTest, AListingComesInPagesThatReachTheEnd) {
  std::set<std::string> names;
  for (int number = 0; number < 25; ++number) {
    const auto name = "item-" + std::to_string(number) + std::string(number == 7 ? 900 : 0, 'x') + ".ics";
    ASSERT_EQ(put(name, "uid-" + std::to_string(number)).code, Code::ok);
    names.insert(name);
  }
  std::set<std::string> seen;
  std::string after;
  for (int page = 0; page < 10; ++page) {
    ListResources query{.caller = alice, .path = path({"default"}), .depth = 1, .after = after, .limit = 10};
    const auto listing = decode_groupware_reply<Listing>(service.query(query).payload).value();
    for (const auto& child : listing.children)
      EXPECT_TRUE(seen.insert(std::get<ItemInfo>(child).name).second);
    if (!listing.more) break;
    after = listing.last;
  }
  EXPECT_EQ(seen, names);
}

TEST_F(ServiceTest, ACalendarIsMadeOnceAndOnlyInTheHome) {
  MakeCollection make{alice, path({"work"}), CollectionKind::calendar, {}};
  make.properties.display_name = "Work";
  EXPECT_EQ(service.execute(make).code, Code::ok);
  EXPECT_EQ(service.execute(make).code, Code::already_exists);
  make.path = path({"work", "inside"});
  EXPECT_EQ(reason(service.execute(make)), RefusalReason::wrong_place);
  make.path = path({"nowhere", "inside"});
  EXPECT_EQ(reason(service.execute(make)), RefusalReason::no_parent);
  make.path = path({});
  EXPECT_EQ(service.execute(make).code, Code::already_exists);
  make.path = path({"large"});
  make.properties.description = std::string(GroupwareLimits::properties_bytes_max, 'd');
  EXPECT_EQ(reason(service.execute(make)), RefusalReason::too_many);
}

TEST_F(ServiceTest, TheHomeCanNotBeDeleted) {
  EXPECT_EQ(service.execute(DeleteResource{alice, path({}), {}, true}).code, Code::forbidden);
}

TEST_F(ServiceTest, AnItemIsNotFoundUnderAUrlWithASlash) {
  put("a.ics", "uid-a");
  EXPECT_EQ(service.execute(DeleteResource{alice, path({"default", "a.ics"}), {}, true}).code,
            Code::not_found);
  EXPECT_EQ(
      service.query(GetItem{.caller = alice, .path = path({"default", "a.ics"}), .as_collection = true}).code,
      Code::not_found);
}

TEST_F(ServiceTest, GarbageIsRefused) {
  EXPECT_EQ(service.execute_payload("garbage").code, Code::invalid_argument);
  EXPECT_EQ(service.query_payload("").code, Code::invalid_argument);
}

TEST_F(ServiceTest, RowsOfANewerFormatAreNotTouched) {
  MetaRow meta;
  meta.format = state_format + 1;
  service.rows[meta_key()] = encode(meta);
  EXPECT_THROW(put("a.ics", "uid-a"), std::runtime_error);
}

TEST_F(ServiceTest, OnlyDeletionsFreeSpace) {
  const auto groupware = make_groupware_service();
  EXPECT_FALSE(groupware->frees_space(encode(GroupwareRequest(item("a.ics", "uid-a")))));
  EXPECT_TRUE(groupware->frees_space(encode(GroupwareRequest(DeleteResource{}))));
  EXPECT_TRUE(groupware->frees_space(encode(GroupwareRequest(RemoveUser{}))));
  EXPECT_FALSE(groupware->frees_space("nonsense"));
  EXPECT_FALSE(groupware->frees_space(std::string(1 << 20, 'x')));
}

TEST_F(ServiceTest, OneLineTellsAPersonWhatARequestDoes) {
  const auto told = make_groupware_service()->describe(encode(GroupwareRequest(item("a.ics", "uid-a"))));
  EXPECT_EQ(told, "put alice/default/a.ics, 7 bytes, UID uid-a");
}

}  // namespace
}  // namespace pollux::testing
