#include "pollux/groupware/requests.h"

#include <gtest/gtest.h>

namespace pollux {
namespace {

TEST(GroupwareRequests, EveryRequestSurvivesItsEncoding) {
  const Caller caller{"alice", 7};
  const ResourcePath path{DavSpace::calendars, "alice", {"a", "b%/ü"}};
  const Preconditions when{.match = TagList{false, {{true, "\"x\""}, {false, "\"\xff\""}}},
                           .none_match = TagList{true, {}},
                           .unmodified_since_s = -7};
  const CollectionProperties properties{"n", "d", "#ff0000", "3", "tz", {"VTODO"}, {{"urn:x", "y", "<y/>"}}};
  const std::vector<GroupwareRequest> requests{
      AddUser{"a", "b", "c"},
      SetPassword{"a", "b"},
      RemoveUser{"a"},
      PutItem{caller, path, when, std::string("\0\xff", 2), "t", "u", "VEVENT"},
      DeleteResource{caller, path, when, true},
      MakeCollection{caller, path, CollectionKind::calendar, properties}};
  for (const auto& request : requests) EXPECT_EQ(decode_groupware_request(encode(request)).value(), request);
}

TEST(GroupwareRequests, EveryQuerySurvivesItsEncoding) {
  const Caller caller{"alice", 7};
  const ResourcePath path{DavSpace::calendars, "alice", {}};
  const std::vector<GroupwareQuery> queries{
      GetCredentials{"a"},
      ListUsers{"a", 5},
      GetItem{caller,
              path,
              {.match = TagList{true, {}}, .none_match = {}, .unmodified_since_s = {}},
              true,
              true,
              -5},
      GetItem{caller, path, {}, false, false, std::nullopt},
      GetPrincipal{caller, "a"},
      ListResources{caller, path, 1, "x", 3, true}};
  for (const auto& query : queries) EXPECT_EQ(decode_groupware_query(encode(query)).value(), query);
}

TEST(GroupwareRequests, EveryReplySurvivesItsEncoding) {
  const ItemInfo item{"n", "\"e\"", "t", "VEVENT", "u", 1, {2}, {3}, 4};
  const CollectionInfo collection{"n", CollectionKind::home, {}, 1, 2, 3, 4, {5}, {6}, "o"};
  const Listing listing{collection, {item, collection}, true, "n"};
  EXPECT_EQ(decode_groupware_reply<Listing>(encode(listing)).value(), listing);
  const Item whole{item, "content", true};
  EXPECT_EQ(decode_groupware_reply<Item>(encode(whole)).value(), whole);
  const UserList users{{{"a", "b", {1}}}, true};
  EXPECT_EQ(decode_groupware_reply<UserList>(encode(users)).value(), users);
  const Refusal refusal{RefusalReason::uid_conflict, "text", "name"};
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
