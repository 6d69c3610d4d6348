#include "pollux/groupware/requests.h"

#include <gtest/gtest.h>

namespace pollux {
namespace {

TEST(GroupwareRequests, EveryRequestSurvivesItsEncoding) {
  const Caller caller{"alice", 7};
  const ResourcePath path{DavSpace::calendars, "alice", {"a", "b%/ü"}};
  const Preconditions when{
      .match = TagList{false, {{true, "\"x\""}, {false, "\"\xff\""}}},
      .none_match = TagList{true, {}},
      .unmodified_since_s = -7,
      .lists = {{true, path, {{true, EntityTag{false, "\"y\""}, {}}, {false, {}, "urn:t"}}},
                {true, std::nullopt, {{false, {}, "DAV:no-lock"}}},
                {false, std::nullopt, {{false, {}, "urn:u"}}}}};
  const CollectionProperties properties{"n", "d", "#ff0000", "3", "tz", {"VTODO"}, {{"urn:x", "y", "<y/>"}}};
  const std::vector<GroupwareRequest> requests{
      AddUser{"a", "b", "c"},
      SetPassword{"a", "b"},
      RemoveUser{"a"},
      PutItem{caller, path, when, std::string("\0\xff", 2), "t", "u", "VEVENT", -3, 9},
      PutItem{caller, path, when, "", "t", "", ""},
      DeleteResource{caller, path, when, true},
      MakeCollection{caller, path, CollectionKind::addressbook, properties, when},
      MakeHomes{caller},
      SetProperties{caller,
                    path,
                    when,
                    {{PropertyField::color, false, "red", {"urn:x", "y", "<y/>"}},
                     {PropertyField::dead, true, "", {"", "z", ""}}},
                    true},
      TransferResource{caller, path, {DavSpace::files, "bob", {"x"}}, when, true, false, true, true},
      LockResource{caller, path, when, "urn:t", true, false, "<o/>", 17, true},
      RefreshLock{caller, path, when, 18, true},
      UnlockResource{caller, path, when, "urn:t"},
      ShareCollection{caller, path, "bob", Access::write},
      SetQuota{"alice", 1u << 31}};
  for (const auto& request : requests) EXPECT_EQ(decode_groupware_request(encode(request)).value(), request);
}

TEST(GroupwareRequests, EveryQuerySurvivesItsEncoding) {
  const Caller caller{"alice", 7};
  const ResourcePath path{DavSpace::calendars, "alice", {}};
  const std::vector<GroupwareQuery> queries{
      GetCredentials{"a"},
      ListUsers{"a", 5, {}},
      ListUsers{"a", 5, caller},
      GetItem{caller,
              path,
              {.match = TagList{true, {}}, .none_match = {}, .unmodified_since_s = {}, .lists = {}},
              true,
              true,
              -5},
      GetItem{caller, path, {}, false, false, std::nullopt},
      GetPrincipal{caller, "a"},
      ListResources{caller, path, 1, "x", 3, true, true, false},
      ListResources{caller, path, 0, "", 3, false, false, true},
      ListShares{caller, path},
      GetItems{caller, path, {"a", "b"}, true, false, true},
      FindItems{caller, path, "VTODO", -1, 2, "n", false, true, true},
      ListChanges{caller, path, 1, 2, 3, 4, 5, true, true, true}};
  for (const auto& query : queries) EXPECT_EQ(decode_groupware_query(encode(query)).value(), query);
}

TEST(GroupwareRequests, EveryReplySurvivesItsEncoding) {
  const Lock lock{"urn:t", true, true, "<o/>", "alice", 60, {7}, {DavSpace::files, "alice", {"a"}}};
  const ItemInfo item{"n",   "\"e\"", "t", "VEVENT", "u", 1, {2}, {3}, 4, -5, 6, {{"urn:x", "y", "<y/>"}},
                      {lock}};
  const CollectionInfo collection{"n", CollectionKind::home, {},   1,    2,      3, 4, {5}, {6},
                                  "o", Access::read,         true, true, {lock}, 8, 9};
  const Listing listing{collection, {item, collection}, true, "n", Access::write, "bob"};
  const LockReply locked{lock, true};
  EXPECT_EQ(decode_groupware_reply<LockReply>(encode(locked)).value(), locked);
  const ShareList shares{{{"bob", Access::read}, {"eve", Access::write}}};
  EXPECT_EQ(decode_groupware_reply<ShareList>(encode(shares)).value(), shares);
  EXPECT_EQ(decode_groupware_reply<Listing>(encode(listing)).value(), listing);
  const Item whole{item, "content", true};
  EXPECT_EQ(decode_groupware_reply<Item>(encode(whole)).value(), whole);
  const UserList users{{{"a", "b", {1}}}, true};
  EXPECT_EQ(decode_groupware_reply<UserList>(encode(users)).value(), users);
  const Refusal refusal{RefusalReason::uid_conflict, "text", "name", {{DavSpace::contacts, "a", {"b"}}}};
  EXPECT_EQ(decode_groupware_reply<Refusal>(encode(refusal)).value(), refusal);
  const Stored stored{"\"e\"", true, {9}};
  EXPECT_EQ(decode_groupware_reply<Stored>(encode(stored)).value(), stored);
  const Credentials credentials{"a", "h", 3};
  EXPECT_EQ(decode_groupware_reply<Credentials>(encode(credentials)).value(), credentials);
}

TEST(GroupwareRequests, GarbageIsMalformed) {
  EXPECT_EQ(decode_groupware_request("\xff\xff").error().code, Code::malformed);
  EXPECT_EQ(decode_groupware_request("").error().code, Code::malformed);
  EXPECT_EQ(decode_groupware_query("\x01").error().code, Code::malformed);
  EXPECT_EQ(decode_groupware_reply<Item>("\xff").error().code, Code::malformed);
}

}  // namespace
}  // namespace pollux
