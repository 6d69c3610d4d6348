// Typed reads of the service's map, shared by requests and queries.
#pragma once

#include <expected>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "pollux/groupware/requests.h"
#include "pollux/services/service.h"
#include "state/keys.h"
#include "state/rows.h"

namespace pollux {

template <class Row>
std::optional<Row> read_row(ReadTxn& txn, std::string_view key) {
  const auto bytes = txn.get(key);
  if (!bytes) return std::nullopt;
  return decode_row<Row>(*bytes);
}

/// A row that another row says must be there. Throws std::runtime_error if it isn't.
template <class Row>
Row read_needed_row(ReadTxn& txn, std::string_view key) {
  auto row = read_row<Row>(txn, key);
  if (!row) throw std::runtime_error("A row of the groupware service is missing: verify the audit trail.");
  return std::move(*row);
}

ServiceReply refuse(Code code, RefusalReason reason, std::string text, std::string name = {});
ServiceReply refuse(Code code, Refusal refusal);
template <class Reply>
ServiceReply answer(const Reply& reply) {
  return {Code::ok, encode(reply)};
}

/// Where a path leads, and what the caller may do there.
struct Place {
  ResourcePath path;
  std::string owner;              ///< whose it is: not path.user if another user has shared it
  Access access = Access::owner;  ///< the caller's; never none
  /// The home that it lives in, and the collections over it there, that home first. With a second entry in
  /// another's home these are the owner's.
  std::uint64_t home = 0;
  std::vector<std::uint64_t> above;
  std::uint64_t parent = 0;       ///< the collection its last name is in; 0: it is a home, or has none
  std::optional<EntryRow> entry;  ///< what has that name

  [[nodiscard]] bool is_home() const { return path.names.empty(); }
  /// A collection on the way does not exist.
  [[nodiscard]] bool lacks_parent() const { return parent == 0 && !is_home(); }
  /// It is the second entry of a collection that another user has shared.
  [[nodiscard]] bool is_second_entry() const { return entry && entry->shared_access != Access::none; }
  /// The collection the path names; 0: none, or an item.
  [[nodiscard]] std::uint64_t collection() const {
    if (is_home()) return home;
    return entry && entry->collection ? entry->id : 0;
  }
  /// The collection's or the item's id; 0: there is nothing.
  [[nodiscard]] std::uint64_t resource() const {
    if (is_home()) return home;
    return entry ? entry->id : 0;
  }
};

/// The caller's principal, if its login is still good.
std::expected<PrincipalRow, ServiceReply> admit(ReadTxn& txn, const Caller& caller);
/// Admits the caller, checks the path's names and follows them. What is missing on the way is told by the
/// Place. Refuses what belongs to another user and was not shared with the caller.
std::expected<Place, ServiceReply> find_place(ReadTxn& txn, const Caller& caller, const ResourcePath& path);
/// A user's principal; a name that no user can have has none.
std::optional<PrincipalRow> find_user(ReadTxn& txn, const std::string& user);
ServiceReply no_user(const std::string& user);
/// conflict/no_parent, with the name that is missing.
ServiceReply no_parent(ReadTxn& txn, const Place& place);
ServiceReply nothing_here();

/// RFC 9110, 13.2.2: `etag` is the tag of what is there; none: nothing is; empty: it has no tag.
bool matches(const TagList& list, const std::optional<std::string>& etag, bool weak_too);

/// Bytes that the user's items have together.
std::uint64_t used_bytes(ReadTxn& txn, const std::string& user, const PrincipalRow& principal);

}  // namespace pollux
