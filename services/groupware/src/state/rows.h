// The rows of the service's map as plain structs (keys: keys.h). A row that can't be decoded is damaged:
// decoding throws, which aborts the request and changes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pollux/groupware/requests.h"

namespace pollux {

/// Raised when what is stored says something else than this program's format. Rows that a newer version
/// wrote are refused by it, too.
inline constexpr std::uint32_t state_format = 1;

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
  std::uint64_t credential_version = 0;  ///< an id of its own: not used again even if the user is added anew
  std::uint64_t calendars = 0;           ///< the calendar home
};
struct CollectionRow {
  CollectionKind kind = CollectionKind::calendar;
  std::string owner;
  std::uint64_t parent = 0;  ///< 0: none
  std::string name;
  WallTime created;
  CollectionProperties properties;
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
};

std::string encode(const MetaRow&);
std::string encode(const CredentialRow&);
std::string encode(const PrincipalRow&);
std::string encode(const CollectionRow&);
std::string encode(const CounterRow&);
std::string encode(const EntryRow&);
/// Throws std::runtime_error if the row is damaged.
template <class Row>
Row decode_row(std::string_view bytes);

}  // namespace pollux
