// What the groupware pair is asked and what it answers: plain structs, and their encoding into the payloads
// of `Requester::call` (changes) and `Requester::query` (reads).
//
// A reply with Code::ok holds the struct named at the request. Any other service code (not_found,
// already_exists, precondition_failed, invalid_argument, forbidden, conflict) comes with a `Refusal`.
#pragma once

#include <cstdint>
#include <limits>
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
  static constexpr std::size_t page_scan_max = 20000;  ///< entries looked at for one page of a search
  static constexpr std::size_t time_index_items_max = 200'000;  ///< for which an older calendar gets an index of times
  static constexpr std::size_t trash_rows_per_request =
      256;                                                   ///< rows of deleted collections erased at a time
  static constexpr std::size_t copy_resources_max = 10000;   ///< copied by one request
  static constexpr std::size_t copy_bytes_max = 24u << 20;   ///< octets copied by one request
  static constexpr std::size_t locks_max = 250;              ///< in one home
  static constexpr std::size_t lock_owner_bytes_max = 4096;  ///< what a client says about a lock's owner
  static constexpr std::size_t lock_token_bytes_max = 256;
  static constexpr std::uint64_t lock_timeout_s_max = 24 * 3600;
  static constexpr std::uint64_t lock_timeout_s_default = 3600;
  static constexpr std::size_t if_conditions_max = 200;      ///< of one If header
  static constexpr std::size_t property_changes_max = 1000;  ///< of one request
  static constexpr std::size_t shares_max = 100;             ///< users one collection is shared with
};

/// Where a resource lives. The URL is /dav/<space>/<user>/<names...>. Never renumber.
enum class DavSpace : std::uint8_t { calendars = 1, contacts = 2, files = 3 };

/// Kinds of collections. A home holds calendars, address books, or plain collections and items, by its space.
/// Never renumber.
enum class CollectionKind : std::uint8_t { home = 1, calendar = 2, addressbook = 3, plain = 4 };

/// What a user may do with a collection and all that is in it. Never renumber.
enum class Access : std::uint8_t { none = 0, read = 1, write = 2, owner = 3 };

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
/// One condition of an If header: an entity tag, or else a state token.
struct IfCondition {
  bool negated = false;
  std::optional<EntityTag> tag;
  std::string token;  ///< a URI, without < >
  bool operator==(const IfCondition&) const = default;
};
/// One list of an If header. It holds if all of its conditions do.
struct IfList {
  bool tagged = false;                   ///< it is about `resource`; otherwise about the request's own
  std::optional<ResourcePath> resource;  ///< none: something that is not on this server
  std::vector<IfCondition> conditions;
  bool operator==(const IfList&) const = default;
};
/// If-Match, If-None-Match and If-Unmodified-Since (RFC 9110, 13.1), and If (RFC 4918, 10.4). Evaluated where
/// the change is made, so that of several writers with the same tag exactly one wins. The tokens in `lists`
/// count as submitted, whatever the lists say about them.
struct Preconditions {
  std::optional<TagList> match, none_match;
  std::optional<std::int64_t> unmodified_since_s;  ///< seconds since 1970, used without If-Match
  std::vector<IfList> lists;                       ///< empty: no If header
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

/// The properties that are no dead ones and that a client may set. Never renumber.
enum class PropertyField : std::uint8_t {
  dead = 0,
  display_name = 1,
  description = 2,
  color = 3,
  order = 4,
  timezone = 5,
};
struct PropertyChange {
  PropertyField field = PropertyField::dead;
  bool remove = false;
  std::string value;  ///< of a field
  DeadProperty
      dead;  ///< its name, and unless removed its element; kept as it is where there is no such field
  bool operator==(const PropertyChange&) const = default;
};

/// A lock (RFC 4918, 6). It ends with `expires`, by the records' time.
struct Lock {
  std::string token;  ///< a URI
  bool shared = false;
  bool infinite = false;  ///< its depth
  std::string owner_xml;  ///< what is in DAV:owner, as the client wrote it
  std::string user;       ///< who made it: nobody else may use its token
  std::uint64_t timeout_s = 0;
  WallTime expires;
  ResourcePath root;  ///< the resource it was made for
  bool operator==(const Lock&) const = default;
};

// --- changes -----------------------------------------------------------------------------------------

/// Adds a user with a home in each space, two calendars ("default", and "tasks" for VTODO) and an address
/// book
/// ("default"). Reply: PrincipalInfo. already_exists.
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
/// Gives a user that was added by an older version what AddUser gives today. Does nothing if all is there.
/// Reply: Stored.
struct MakeHomes {
  Caller caller;
  bool operator==(const MakeHomes&) const = default;
};
/// Limits the bytes that all items of a user have together. Reply: Stored. not_found.
struct SetQuota {
  std::string user;
  std::uint64_t bytes = 0;  ///< 0: no limit
  bool operator==(const SetQuota&) const = default;
};
/// Stores an item. In a calendar, `content` must have passed check_calendar (calendar_check.h), which tells
/// `uid` and `component`; in an address book, check_card, and `component` is VCARD; elsewhere both are empty.
/// Reply: Stored.
struct PutItem {
  Caller caller;
  ResourcePath path;
  Preconditions when;
  std::string content, content_type, uid, component;
  /// Seconds since 1970, UTC: all its instances are within. Widened rather than exact: a first, coarse
  /// filter.
  std::int64_t first_s = 0, last_s = std::numeric_limits<std::int64_t>::max();
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
  Preconditions when;
  bool operator==(const MakeCollection&) const = default;
};
/// Changes properties, in their order: all of them, or none. Reply: Stored.
struct SetProperties {
  Caller caller;
  ResourcePath path;
  Preconditions when;
  std::vector<PropertyChange> changes;
  bool as_collection = false;
  bool operator==(const SetProperties&) const = default;
};
/// Copies or moves an item, or a collection with everything in it. What is at `to` is deleted before. A moved
/// resource keeps its ETag and its dead properties, and loses its locks. Reply: Stored; `created` says that
/// nothing was at `to`.
struct TransferResource {
  Caller caller;
  ResourcePath from, to;
  Preconditions when;  ///< about `from`
  bool move = false;
  bool overwrite = true;
  bool shallow = false;          ///< a copied collection stays empty (Depth: 0)
  bool from_collection = false;  ///< its path ended in a slash: an item is not found there
  bool operator==(const TransferResource&) const = default;
};
/// Locks a resource; where there is none, an empty item is made (RFC 4918, 7.3). Reply: LockReply.
struct LockResource {
  Caller caller;
  ResourcePath path;
  Preconditions when;
  std::string token;  ///< made by the asker, at random
  bool shared = false;
  bool infinite = true;
  std::string owner_xml;
  std::uint64_t timeout_s = GroupwareLimits::lock_timeout_s_default;  ///< at most lock_timeout_s_max
  bool as_collection = false;
  bool operator==(const LockResource&) const = default;
};
/// Starts the timeout of a lock anew; its token is the one in `when.lists`. Reply: LockReply.
struct RefreshLock {
  Caller caller;
  ResourcePath path;
  Preconditions when;
  std::uint64_t timeout_s = GroupwareLimits::lock_timeout_s_default;
  bool as_collection = false;
  bool operator==(const RefreshLock&) const = default;
};
/// Reply: Stored. no_such_lock.
struct UnlockResource {
  Caller caller;
  ResourcePath path;
  Preconditions when;
  std::string token;
  bool operator==(const UnlockResource&) const = default;
};
/// Lets another user use a calendar, an address book or a plain collection that lies in the caller's home: it
/// gets a second entry, in that user's home. Access::none ends that. Reply: Stored; `created` says that it
/// was not shared with that user before.
struct ShareCollection {
  Caller caller;
  ResourcePath path;
  std::string with;
  Access access = Access::read;  ///< none, read or write
  bool operator==(const ShareCollection&) const = default;
};
using GroupwareRequest = std::variant<AddUser, SetPassword, RemoveUser, PutItem, DeleteResource,
                                      MakeCollection, MakeHomes, SetProperties, TransferResource,
                                      LockResource, RefreshLock, UnlockResource, ShareCollection, SetQuota>;

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
  std::optional<Caller> caller;  ///< a user that asks; otherwise the operator's own tools
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
/// Reply: PrincipalInfo of `user`; how much it stores is told to itself only. not_found.
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
  bool with_dead = false;   ///< dead properties of items, too (those of collections always come)
  bool with_locks = false;  ///< the locks that cover each resource, too
  bool operator==(const ListResources&) const = default;
};
/// With whom a collection of the caller's is shared. Reply: ShareList.
struct ListShares {
  Caller caller;
  ResourcePath path;
  bool operator==(const ListShares&) const = default;
};
/// Items of one collection by their names. Reply: FoundItems with one for each name, in their order; if not
/// all fit into an answer (`more`), the first of them, and at least one.
struct GetItems {
  Caller caller;
  ResourcePath path;  ///< of the collection
  std::vector<std::string> names;
  bool with_content = false, with_dead = false;
  bool with_locks = false;  ///< the locks that cover each, too
  bool operator==(const GetItems&) const = default;
};
/// The items of a collection that may be of a component and may happen within [from_s, to_s], by the bounds
/// that were given with them: whoever asks has to look more closely. In name order, in pages. Reply:
/// FoundItems.
struct FindItems {
  Caller caller;
  ResourcePath path;      ///< of the collection
  std::string component;  ///< empty: any
  std::int64_t from_s = std::numeric_limits<std::int64_t>::min();
  std::int64_t to_s = std::numeric_limits<std::int64_t>::max();
  std::string after;  ///< `last` of the page before
  bool with_content = false, with_dead = false;
  bool with_locks = false;  ///< the locks that cover each, too
  bool operator==(const FindItems&) const = default;
};
/// What was stored and deleted in a collection since a change (RFC 6578), in the order of the changes, in
/// pages. Reply: FoundItems. precondition_failed/invalid_token: that can't be told.
struct ListChanges {
  Caller caller;
  ResourcePath path;  ///< of the collection
  std::uint64_t collection =
      0;  ///< whose change numbers these are; 0: everything is asked for, from the beginning
  std::uint64_t since = 0;
  /// Deletions are told from here on, if this is later: who is in the middle of a first synchronization does
  /// not know what was deleted before it began.
  std::uint64_t deleted_since = 0;
  std::uint64_t up_to = 0;  ///< what changed later is left out; 0: nothing is
  std::uint32_t limit = GroupwareLimits::page_entries_max;
  bool with_content = false, with_dead = false;
  bool with_locks = false;  ///< the locks that cover each, too
  bool operator==(const ListChanges&) const = default;
};
using GroupwareQuery = std::variant<GetCredentials, ListUsers, GetItem, GetPrincipal, ListResources,
                                    ListShares, GetItems, FindItems, ListChanges>;

// --- replies -----------------------------------------------------------------------------------------

struct Credentials {
  std::string user, password_hash;
  std::uint64_t credential_version = 0;
  bool operator==(const Credentials&) const = default;
};
struct PrincipalInfo {
  std::string user, display_name;
  WallTime created;
  std::uint64_t quota_bytes = 0;  ///< 0: no limit
  std::uint64_t used_bytes = 0;   ///< what was deleted just now may still count
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
  std::int64_t first_s = 0, last_s = std::numeric_limits<std::int64_t>::max();  ///< see PutItem
  std::vector<DeadProperty> dead;                                               ///< if asked for
  std::vector<Lock> locks;                                                      ///< if asked for
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
  Access access = Access::owner;                  ///< the caller's
  bool shared = false;                            ///< this is a second entry: it lives in another user's home
  bool sharing = false;                           ///< other users have second entries of it
  std::vector<Lock> locks;                        ///< if asked for
  std::uint64_t quota_bytes = 0, used_bytes = 0;  ///< of its owner
  bool operator==(const CollectionInfo&) const = default;
};
struct Stored {
  std::string etag;
  bool created = false;  ///< false: replaced, changed or deleted something that was there
  WallTime modified;
  bool operator==(const Stored&) const = default;
};
struct LockReply {
  Lock lock;
  bool created = false;  ///< an empty item was made
  bool operator==(const LockReply&) const = default;
};
struct Share {
  std::string user;
  Access access = Access::read;
  bool operator==(const Share&) const = default;
};
struct ShareList {
  std::vector<Share> shares;
  bool operator==(const ShareList&) const = default;
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
  std::string last;               ///< with `more`: where the next page begins
  Access access = Access::owner;  ///< the caller's, to `self`
  std::string owner;              ///< of `self`
  bool operator==(const Listing&) const = default;
};

/// One of what was looked for. `found` is false for a name that leads to nothing, and for what was deleted.
struct FoundItem {
  std::string name;
  bool found = false;
  Resource info;
  std::string content;
  bool operator==(const FoundItem&) const = default;
};
struct FoundItems {
  CollectionKind kind = CollectionKind::calendar;  ///< of the collection
  std::string timezone;                            ///< of the collection, for floating times
  std::string owner;
  Access access = Access::owner;  ///< the caller's, to what is in it
  std::uint64_t collection = 0;   ///< its id
  std::vector<FoundItem> items;
  bool more = false;
  std::string last;          ///< of FindItems with `more`: where the next page begins
  std::uint64_t change = 0;  ///< of ListChanges: all up to this one are told
  std::uint64_t newest = 0;  ///< of the collection; of ListChanges at most `up_to`
  bool operator==(const FoundItems&) const = default;
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
  homes_missing = 10,         ///< conflict: send MakeHomes, then this again
  locked = 11,                ///< conflict; `paths`: locked, and the token was not submitted
  lock_conflict = 12,         ///< conflict; `paths`: roots of locks that keep this one from being made
  no_such_lock = 13,          ///< conflict: the token belongs to no lock of this resource
  read_only = 14,             ///< forbidden: shared with the caller for reading
  same_resource = 15,         ///< forbidden: source and destination are one, or one lies in the other
  not_a_calendar_item = 16,   ///< forbidden: it was not stored as an item of this kind of collection
  quota = 17,                 ///< insufficient
  invalid_token = 40,         ///< precondition_failed: these are no changes of this collection, or too old
};
struct Refusal {
  RefusalReason reason = RefusalReason::none;
  std::string text;  ///< one sentence for a person
  std::string name;
  std::vector<ResourcePath> paths;
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
std::string encode(const LockReply&);
std::string encode(const ShareList&);
std::string encode(const Item&);
std::string encode(const Listing&);
std::string encode(const FoundItems&);
std::string encode(const Refusal&);
/// Decodes a reply of the type asked for: Credentials, PrincipalInfo, UserList, Stored, LockReply, ShareList,
/// Item, Listing, FoundItems, Refusal.
template <class Reply>
Result<Reply> decode_groupware_reply(std::string_view payload);

// --- names -------------------------------------------------------------------------------------------

/// User names: 1 to 64 of letters, digits and . _ - + @, beginning with a letter or digit; invalid_argument.
Result<void> check_user_name(std::string_view user);
/// A path segment: 1 to name_bytes_max bytes of UTF-8 without control characters, not "." or "..", and
/// none of these between slashes in it; invalid_argument.
Result<void> check_resource_name(std::string_view name);

}  // namespace pollux
