// The rows of the service's map as plain structs (keys: keys.h). A row that can't be decoded is damaged:
// decoding throws, which aborts the request and changes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pollux/groupware/requests.h"

namespace pollux {

/// Data of a newer format is refused. An older one is taken over as it is, and called by this number with the
/// next id that is taken:
///   1  calendars only
///   2  contacts and files: a user's homes in them are made when they are first needed (MakeHomes)
///   3  calendars have an index of times: one of an older format gets it when something in it changes
inline constexpr std::uint32_t state_format = 3;

struct MetaRow {
  std::uint32_t format = state_format;
  std::uint64_t next_id = 1;
};
struct CredentialRow {
  std::string password_hash;
  WallTime changed;
};
struct PrincipalRow {
  std::string display_name;
  WallTime created;
  std::uint64_t credential_version = 0;   ///< an id of its own: not used again even if the user is added anew
  std::uint64_t calendars = 0;            ///< the calendar home
  std::uint64_t contacts = 0, files = 0;  ///< the other homes; 0: not made yet
  std::uint64_t quota_bytes = 0;          ///< 0: no limit
  [[nodiscard]] std::uint64_t home(DavSpace space) const {
    switch (space) {
      case DavSpace::calendars:
        return calendars;
      case DavSpace::contacts:
        return contacts;
      case DavSpace::files:
        return files;
    }
    return 0;
  }
};
struct UsageRow {
  std::uint64_t bytes = 0;
};
struct DeadRow {
  std::vector<DeadProperty> properties;
};
struct LocksRow {
  std::vector<Lock> locks;
  std::uint64_t parent = 0;  ///< the collection that has the resource; 0: it is the home
};
struct GrantRow {
  Access access = Access::none;
  std::uint64_t home = 0;  ///< where the other user's entry is, and its name
  std::string name;
};
struct CollectionRow {
  CollectionKind kind = CollectionKind::calendar;
  std::string owner;
  std::uint64_t parent = 0;  ///< 0: none
  std::string name;
  WallTime created;
  CollectionProperties properties;
  bool time_index = false;  ///< of a calendar: it has one
};
struct CounterRow {
  std::uint64_t change = 0;
  std::uint64_t items = 0, bytes = 0;
  WallTime modified;
  std::uint64_t tombstones = 0;
  std::uint64_t sync_floor = 0;  ///< deletions up to this change are forgotten
};
struct EntryRow {
  std::string name;
  std::uint64_t id = 0;
  bool collection = false;
  // Of an item:
  std::string etag, content_type, component, uid;
  std::uint64_t bytes = 0;
  WallTime created, modified;
  std::uint64_t change = 0;
  std::int64_t first_s = 0, last_s = std::numeric_limits<std::int64_t>::max();
  bool has_dead = false;
  Access shared_access = Access::none;  ///< otherwise: a second entry of another user's collection
};

std::string encode(const MetaRow&);
std::string encode(const CredentialRow&);
std::string encode(const PrincipalRow&);
std::string encode(const CollectionRow&);
std::string encode(const CounterRow&);
std::string encode(const EntryRow&);
std::string encode(const UsageRow&);
std::string encode(const DeadRow&);
std::string encode(const LocksRow&);
std::string encode(const GrantRow&);
/// Throws std::runtime_error if the row is damaged.
template <class Row>
Row decode_row(std::string_view bytes);

}  // namespace pollux
