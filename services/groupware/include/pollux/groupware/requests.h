// What the groupware pair is asked and what it answers: plain structs, and their encoding into the payloads
// of `Requester::call` (changes) and `Requester::query` (reads).
//
// A reply with Code::ok holds the struct named at the request. Any other service code (not_found,
// already_exists, precondition_failed, invalid_argument, forbidden, conflict) comes with a `Refusal`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pollux/core/result.h"
#include "pollux/core/types.h"

namespace pollux {

/// Every size the groupware service bounds. The pair's record and reply limits bound contents.
struct GroupwareLimits {
  static constexpr std::size_t user_name_bytes_max = 64;
  static constexpr std::size_t display_name_bytes_max = 1024;
  static constexpr std::size_t password_hash_bytes_max = 256;
  static constexpr std::size_t name_bytes_max = 1024;  ///< one path segment, decoded
  static constexpr std::size_t path_depth_max = 16;    ///< segments below a home
  static constexpr std::size_t uid_bytes_max = 4096;
  static constexpr std::size_t content_type_bytes_max = 256;
  static constexpr std::size_t properties_bytes_max = 64u << 10;  ///< of one collection, all together
  static constexpr std::size_t collections_max = 10000;           ///< entries of one home
  static constexpr std::size_t tombstones_max = 10000;   ///< deletions a collection remembers for sync
  static constexpr std::size_t page_entries_max = 2000;  ///< entries in one answer to a listing
  static constexpr std::size_t page_bytes_max = 2u << 20;
  static constexpr std::size_t trash_rows_per_request =
      256;  ///< rows of deleted collections erased at a time
};

/// Where a resource lives. The URL is /dav/<space>/<user>/<names...>. Never renumber.
enum class DavSpace : std::uint8_t { calendars = 1 };

/// Kinds of collections. Never renumber.
enum class CollectionKind : std::uint8_t { home = 1, calendar = 2 };

/// On whose behalf. A gateway sends the version of the credentials it has verified: if they were changed
/// since, the pair answers `RefusalReason::stale_credentials` and does nothing. Version 0 is for the
/// operator's own tools, which reach the pair without a password.
struct Caller {
  std::string user;
  std::uint64_t credential_version = 0;
  bool operator==(const Caller&) const = default;
};

struct ResourcePath {
  DavSpace space = DavSpace::calendars;
  std::string user;
  std::vector<std::string> names;  ///< decoded; empty: the user's home
  bool operator==(const ResourcePath&) const = default;
};

/// An entity tag with its quotes (RFC 9110, 8.8.3).
struct EntityTag {
  bool weak = false;
  std::string value;
  bool operator==(const EntityTag&) const = default;
};
struct TagList {
  bool any = false;  ///< "*"
  std::vector<EntityTag> tags;
  bool operator==(const TagList&) const = default;
};
/// If-Match, If-None-Match and If-Unmodified-Since (RFC 9110, 13.1). Evaluated where the change is made, so
/// that of several writers with the same tag exactly one wins.
struct Preconditions {
  std::optional<TagList> match, none_match;
  std::optional<std::int64_t> unmodified_since_s;  ///< seconds since 1970, used without If-Match
  bool operator==(const Preconditions&) const = default;
};

/// A property the server only keeps (RFC 4918, 4): `xml` is the whole element, namespaces declared.
struct DeadProperty {
  std::string space, name, xml;
  bool operator==(const DeadProperty&) const = default;
};
struct CollectionProperties {
  std::string display_name, description, color, order, timezone;
  std::vector<std::string> components;  ///< of a calendar: VEVENT, VTODO, VJOURNAL; empty: all of them
  std::vector<DeadProperty> dead;
  bool operator==(const CollectionProperties&) const = default;
};

// --- changes -----------------------------------------------------------------------------------------

/// Adds a user with calendar home and a calendar named "default". Reply: PrincipalInfo. already_exists.
struct AddUser {
  std::string user, display_name;
  std::string password_hash;  ///< see passwords.h
  bool operator==(const AddUser&) const = default;
};
/// Logins verified before are void at once, at every gateway. Reply: Stored. not_found.
struct SetPassword {
  std::string user, password_hash;
  bool operator==(const SetPassword&) const = default;
};
/// Removes a user with all collections. Reply: Stored. not_found.
struct RemoveUser {
  std::string user;
  bool operator==(const RemoveUser&) const = default;
};
/// Stores an item. `content` must have passed check_calendar (calendar_check.h), which tells `uid` and
/// `component`. Reply: Stored.
struct PutItem {
  Caller caller;
  ResourcePath path;
  Preconditions when;
  std::string content, content_type, uid, component;
  bool operator==(const PutItem&) const = default;
};
/// Deletes an item, or a collection with everything in it. Reply: Stored.
struct DeleteResource {
  Caller caller;
  ResourcePath path;
  Preconditions when;
  bool as_collection = false;  ///< the path ended in a slash: an item is not found there
  bool operator==(const DeleteResource&) const = default;
};
/// Makes a collection. Reply: Stored (without etag).
struct MakeCollection {
  Caller caller;
  ResourcePath path;
  CollectionKind kind = CollectionKind::calendar;
  CollectionProperties properties;
  bool operator==(const MakeCollection&) const = default;
};
using GroupwareRequest =
    std::variant<AddUser, SetPassword, RemoveUser, PutItem, DeleteResource, MakeCollection>;

// --- queries -----------------------------------------------------------------------------------------

/// Reply: Credentials. not_found.
struct GetCredentials {
  std::string user;
  bool operator==(const GetCredentials&) const = default;
};
/// Reply: UserList, in name order, those after `after`.
struct ListUsers {
  std::string after;
  std::uint32_t limit = 1000;
  bool operator==(const ListUsers&) const = default;
};
/// Reply: Item; without content if `without_content`, or if the preconditions say "not modified".
struct GetItem {
  Caller caller;
  ResourcePath path;
  Preconditions when;
  bool as_collection = false;
  bool without_content = false;
  std::optional<std::int64_t> modified_since_s;  ///< If-Modified-Since, used without If-None-Match
  bool operator==(const GetItem&) const = default;
};
/// Reply: PrincipalInfo of `user`, which a user may ask about itself.
struct GetPrincipal {
  Caller caller;
  std::string user;
  bool operator==(const GetPrincipal&) const = default;
};
/// A resource, and with depth 1 what is in it, in pages. Reply: Listing.
struct ListResources {
  Caller caller;
  ResourcePath path;
  std::uint32_t depth = 0;
  std::string after;  ///< `last` of the page before
  std::uint32_t limit = GroupwareLimits::page_entries_max;
  bool as_collection = false;
  bool operator==(const ListResources&) const = default;
};
using GroupwareQuery = std::variant<GetCredentials, ListUsers, GetItem, GetPrincipal, ListResources>;

// --- replies -----------------------------------------------------------------------------------------

struct Credentials {
  std::string user, password_hash;
  std::uint64_t credential_version = 0;
  bool operator==(const Credentials&) const = default;
};
struct PrincipalInfo {
  std::string user, display_name;
  WallTime created;
  bool operator==(const PrincipalInfo&) const = default;
};
struct UserList {
  std::vector<PrincipalInfo> users;
  bool more = false;
  bool operator==(const UserList&) const = default;
};
struct ItemInfo {
  std::string name, etag, content_type, component, uid;
  std::uint64_t bytes = 0;
  WallTime created, modified;
  std::uint64_t change = 0;  ///< the collection's change number when it was stored
  bool operator==(const ItemInfo&) const = default;
};
struct CollectionInfo {
  std::string name;
  CollectionKind kind = CollectionKind::calendar;
  CollectionProperties properties;
  std::uint64_t id = 0;      ///< never used again, not even after the collection was deleted
  std::uint64_t change = 0;  ///< grows with every change of what is directly in it
  std::uint64_t items = 0, bytes = 0;
  WallTime created, modified;
  std::string owner;
  bool operator==(const CollectionInfo&) const = default;
};
struct Stored {
  std::string etag;
  bool created = false;  ///< false: replaced, changed or deleted something that was there
  WallTime modified;
  bool operator==(const Stored&) const = default;
};
struct Item {
  ItemInfo info;
  std::string content;
  bool not_modified = false;  ///< If-None-Match named the current tag
  bool operator==(const Item&) const = default;
};
using Resource = std::variant<ItemInfo, CollectionInfo>;
struct Listing {
  Resource self;
  std::vector<Resource> children;
  bool more = false;
  std::string last;  ///< with `more`: where the next page begins
  bool operator==(const Listing&) const = default;
};

/// Why a request was refused, finer than the code. Never renumber.
enum class RefusalReason : std::uint8_t {
  none = 0,
  stale_credentials = 1,      ///< forbidden: verify the password again
  not_yours = 2,              ///< forbidden
  no_parent = 3,              ///< conflict: the collection it would be in does not exist
  is_collection = 4,          ///< conflict
  uid_conflict = 5,           ///< conflict; `name` is the item that has the UID
  wrong_place = 6,            ///< forbidden: no such resource can be here
  unsupported_component = 7,  ///< forbidden
  bad_name = 8,               ///< invalid_argument
  too_many = 9,               ///< forbidden: a named limit is reached
};
struct Refusal {
  RefusalReason reason = RefusalReason::none;
  std::string text;  ///< one sentence for a person
  std::string name;
  bool operator==(const Refusal&) const = default;
};

// --- codec -------------------------------------------------------------------------------------------

std::string encode(const GroupwareRequest& request);
std::string encode(const GroupwareQuery& query);
Result<GroupwareRequest> decode_groupware_request(std::string_view payload);  ///< malformed
Result<GroupwareQuery> decode_groupware_query(std::string_view payload);      ///< malformed

std::string encode(const Credentials&);
std::string encode(const PrincipalInfo&);
std::string encode(const UserList&);
std::string encode(const Stored&);
std::string encode(const Item&);
std::string encode(const Listing&);
std::string encode(const Refusal&);
/// Decodes a reply of the type asked for: Credentials, PrincipalInfo, UserList, Stored, Item, Listing,
/// Refusal.
template <class Reply>
Result<Reply> decode_groupware_reply(std::string_view payload);

// --- names -------------------------------------------------------------------------------------------

/// User names: 1 to 64 of letters, digits and . _ - + @, beginning with a letter or digit; invalid_argument.
Result<void> check_user_name(std::string_view user);
/// A path segment: 1 to name_bytes_max bytes of UTF-8 without control characters, not "." or "..", and
/// none of these between slashes in it; invalid_argument.
Result<void> check_resource_name(std::string_view name);

}  // namespace pollux
