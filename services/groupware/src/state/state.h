// Typed reads of the service's map, shared by requests and queries.
#pragma once

#include <expected>
#include <optional>
#include <stdexcept>
#include <string>

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
template <class Reply>
ServiceReply answer(const Reply& reply) {
  return {Code::ok, encode(reply)};
}

/// Where a path leads.
struct Place {
  PrincipalRow owner;
  std::uint64_t parent = 0;       ///< the collection its last name is in; 0: the path is the home
  std::optional<EntryRow> entry;  ///< what has that name
  /// The collection the path names; 0: none, or an item.
  [[nodiscard]] std::uint64_t collection() const {
    if (parent == 0) return owner.calendars;
    return entry && entry->collection ? entry->id : 0;
  }
};

/// The caller's principal, if its login is still good.
std::expected<PrincipalRow, ServiceReply> admit(ReadTxn& txn, const Caller& caller);
/// Admits the caller, checks the path's names and follows them. A missing collection on the way is
/// conflict/no_parent; a missing last name is a Place without entry.
std::expected<Place, ServiceReply> find_place(ReadTxn& txn, const Caller& caller, const ResourcePath& path);

/// RFC 9110, 13.2.2: `etag` is the tag of what is there; none: nothing is; empty: it has no tag.
bool matches(const TagList& list, const std::optional<std::string>& etag, bool weak_too);

}  // namespace pollux
