// The service on a map, with three users, and requests in few words.
#pragma once

#include <gtest/gtest.h>

#include "fake_pair.h"
#include "state/changes.h"
#include "state/keys.h"
#include "state/rows.h"

namespace pollux::testing {

class StateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const auto* user : {"alice", "bob", "eve"}) {
      ASSERT_EQ(service.execute(AddUser{user, user, "hash"}).code, Code::ok);
    }
    alice = caller("alice");
    bob = caller("bob");
    eve = caller("eve");
  }

  Caller caller(const std::string& user) {
    const auto reply = service.query(GetCredentials{user});
    return {user, decode_groupware_reply<Credentials>(reply.payload)->credential_version};
  }
  static ResourcePath files(std::vector<std::string> names, const std::string& user = "alice") {
    return {DavSpace::files, user, std::move(names)};
  }
  static ResourcePath calendars(std::vector<std::string> names, const std::string& user = "alice") {
    return {DavSpace::calendars, user, std::move(names)};
  }
  static ResourcePath contacts(std::vector<std::string> names, const std::string& user = "alice") {
    return {DavSpace::contacts, user, std::move(names)};
  }

  ServiceReply put(const ResourcePath& path, const std::string& content = "content", Preconditions when = {},
                   std::optional<Caller> by = {}) {
    PutItem request{.caller = by.value_or(caller_of(path)),
                    .path = path,
                    .when = std::move(when),
                    .content = content,
                    .content_type = "text/plain",
                    .uid = {},
                    .component = {}};
    if (path.space != DavSpace::files) request.uid = "uid-" + path.names.back();
    if (path.space == DavSpace::calendars) request.component = "VEVENT";
    if (path.space == DavSpace::contacts) request.component = std::string(vcard_component);
    return service.execute(request);
  }
  ServiceReply make(const ResourcePath& path, std::optional<Caller> by = {}, Preconditions when = {}) {
    const auto kind = path.space == DavSpace::files       ? CollectionKind::plain
                      : path.space == DavSpace::calendars ? CollectionKind::calendar
                                                          : CollectionKind::addressbook;
    return service.execute(MakeCollection{by.value_or(caller_of(path)), path, kind, {}, std::move(when)});
  }
  ServiceReply transfer(const ResourcePath& from, const ResourcePath& to, bool move, Preconditions when = {},
                        std::optional<Caller> by = {}) {
    return service.execute(TransferResource{.caller = by.value_or(caller_of(from)),
                                            .from = from,
                                            .to = to,
                                            .when = std::move(when),
                                            .move = move});
  }
  ServiceReply copy(const ResourcePath& from, const ResourcePath& to, Preconditions when = {}) {
    return transfer(from, to, false, std::move(when));
  }
  ServiceReply move(const ResourcePath& from, const ResourcePath& to, Preconditions when = {}) {
    return transfer(from, to, true, std::move(when));
  }
  ServiceReply erase(const ResourcePath& path, Preconditions when = {}, std::optional<Caller> by = {}) {
    return service.execute(DeleteResource{by.value_or(caller_of(path)), path, std::move(when), false});
  }
  ServiceReply lock(const ResourcePath& path, const std::string& token, bool shared = false,
                    bool infinite = true, std::optional<Caller> by = {}) {
    return service.execute(LockResource{.caller = by.value_or(caller_of(path)),
                                        .path = path,
                                        .when = {},
                                        .token = token,
                                        .shared = shared,
                                        .infinite = infinite,
                                        .owner_xml = {}});
  }
  ServiceReply share(const ResourcePath& path, const std::string& with, Access access) {
    return service.execute(ShareCollection{caller_of(path), path, with, access});
  }

  /// An If header that submits these tokens, whatever is locked: (<token>) (Not <DAV:no-lock>).
  static Preconditions with_tokens(const std::vector<std::string>& tokens) {
    Preconditions when;
    for (const auto& token : tokens) when.lists.push_back({false, {}, {{false, {}, token}}});
    when.lists.push_back({false, {}, {{true, {}, "DAV:no-lock"}}});
    return when;
  }
  static Preconditions only_if(std::vector<IfCondition> conditions) {
    Preconditions when;
    when.lists.push_back({false, {}, std::move(conditions)});
    return when;
  }

  Caller caller_of(const ResourcePath& path) {
    return path.user == "alice" ? alice : path.user == "bob" ? bob : eve;
  }
  static Refusal refusal(const ServiceReply& reply) {
    return decode_groupware_reply<Refusal>(reply.payload).value_or(Refusal{});
  }
  static RefusalReason reason(const ServiceReply& reply) {
    EXPECT_NE(reply.code, Code::ok);
    return refusal(reply).reason;
  }
  static Stored stored(const ServiceReply& reply) {
    EXPECT_EQ(reply.code, Code::ok) << refusal(reply).text;
    return decode_groupware_reply<Stored>(reply.payload).value_or(Stored{});
  }
  /// The content at the path; none if there is nothing.
  std::optional<std::string> content(const ResourcePath& path, std::optional<Caller> by = {}) {
    const auto reply = service.query(GetItem{.caller = by.value_or(caller_of(path)), .path = path});
    if (reply.code != Code::ok) return std::nullopt;
    return decode_groupware_reply<Item>(reply.payload).value().content;
  }
  Listing list(const ResourcePath& path, std::optional<Caller> by = {}) {
    const auto reply = service.query(ListResources{.caller = by.value_or(caller_of(path)),
                                                   .path = path,
                                                   .depth = 1,
                                                   .with_dead = true,
                                                   .with_locks = true});
    EXPECT_EQ(reply.code, Code::ok) << refusal(reply).text;
    return decode_groupware_reply<Listing>(reply.payload).value_or(Listing{});
  }
  static std::string name_of(const Resource& resource) {
    return std::visit([](const auto& info) { return info.name; }, resource);
  }
  std::vector<std::string> names_in(const ResourcePath& path, std::optional<Caller> by = {}) {
    std::vector<std::string> names;
    for (const auto& child : list(path, by).children) names.push_back(name_of(child));
    return names;
  }
  CollectionInfo info(const ResourcePath& path, std::optional<Caller> by = {}) {
    return std::get<CollectionInfo>(list(path, by).self);
  }
  std::uint64_t used(const std::string& user) {
    const Caller by = caller(user);
    const auto reply = service.query(GetPrincipal{by, user});
    return decode_groupware_reply<PrincipalInfo>(reply.payload).value().used_bytes;
  }
  /// What the bodies that are stored have together.
  std::uint64_t bytes_stored() const {
    std::uint64_t bytes = 0;
    for (const auto& [key, value] : service.rows) {
      if (key[0] == 'b') bytes += value.size();
    }
    return bytes;
  }

  MapService service;
  Caller alice, bob, eve;
};

}  // namespace pollux::testing
