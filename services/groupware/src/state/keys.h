// The keys of the service's sorted map. One letter for the table, then numbers as 8 bytes big-endian.
//
//   m                      the format and the next id
//   u <user>               password hash
//   p <user>               principal: display name, credential version, home
//   c <collection>         what a collection is
//   k <collection>         its counters: change number, number and bytes of its items
//   e <collection> <name>  an entry: an item's metadata, or which collection this is
//   b <item>               an item's octets
//   i <collection> <uid>   the name of the item that has this UID
//   s <collection> <change>  the name that was stored with this change (sync: what is new)
//   t <collection> <change>  the name that was deleted with this change (sync: what is gone)
//   x <calendar> <level> <first second> <item>  an item by when it may happen (time_index.h)
//   d <item>               an item's dead properties
//   l <home> <resource>    the locks of a resource in that home (a home's own included)
//   g <collection> <user>  whom it is shared with, and where that user's entry is
//   q <user>               bytes that the user's items have together
//   z <collection>         a deleted collection whose rows are still to be erased
//
// Collections and items have ids, never used twice: moving one changes its entry and nothing below it, a
// shared collection is a second entry, and what belongs to a resource (locks, dead properties, an index)
// can be keyed by its id.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pollux {

/// Longer names and UIDs are cut here and continued by their hash, so that a key stays within 480 bytes.
inline constexpr std::size_t key_text_bytes_max = 400;

std::string meta_key();
std::string credential_key(std::string_view user);
std::string principal_key(std::string_view user);
std::string collection_key(std::uint64_t collection);
std::string counter_key(std::uint64_t collection);
std::string entry_key(std::uint64_t collection, std::string_view name);
std::string body_key(std::uint64_t item);
std::string uid_key(std::uint64_t collection, std::string_view uid);
std::string stored_key(std::uint64_t collection, std::uint64_t change);
std::string deleted_key(std::uint64_t collection, std::uint64_t change);
/// What the rows of the index of times of one level begin with.
std::string time_level_key(std::uint64_t collection, std::size_t level, std::int64_t first_s);
std::string dead_key(std::uint64_t item);
std::string locks_key(std::uint64_t home, std::uint64_t resource);
std::string grant_key(std::uint64_t collection, std::string_view user);
std::string usage_key(std::string_view user);
std::string trash_key(std::uint64_t collection);

/// The range of rows of one collection in table `table`: from <= key < to.
struct KeyRange {
  std::string from, to;
};
KeyRange collection_range(char table, std::uint64_t collection);
KeyRange table_range(char table);
/// 8 bytes that sort as the numbers do, the negative ones first; and back.
std::string ordered_number(std::int64_t number);
std::int64_t number_of_ordered(std::string_view bytes);
/// The number that ends a `t`, `s`, `l` or `z` key.
std::uint64_t number_at_end(std::string_view key);

}  // namespace pollux
