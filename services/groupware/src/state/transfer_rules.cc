#include "state/transfer_rules.h"

#include <algorithm>

namespace pollux {
namespace {

using Refused = std::optional<ServiceReply>;

bool contains(const std::vector<std::uint64_t>& ids, std::uint64_t id) {
  return id != 0 && std::ranges::find(ids, id) != ids.end();
}

/// RFC 4918, 9.8.5 and 9.9.4: 403 if source and destination are one. One in the other can't be either.
Refused check_apart(const TransferResource& request, const Place& from, const Place& to) {
  const bool same = request.from == request.to || (to.entry && to.entry->id == from.entry->id);
  const bool into_itself = contains(to.above, from.collection()) && !(request.shallow && !request.move);
  if (!same && !into_itself && !contains(from.above, to.collection())) return std::nullopt;
  return refuse(
      Code::forbidden, RefusalReason::same_resource,
      same ? "Source and destination are the same." : "Source and destination can't lie one in the other.");
}

Refused check_item(const TransferResource& request, const Place& from, const Place& to,
                   const CollectionRow& parent, WriteTxn& txn) {
  if (auto refused = check_item_place(to, parent.kind)) return refused;
  if (!keeps_uids(parent.kind)) return std::nullopt;
  const EntryRow& entry = *from.entry;
  const bool card = entry.component == vcard_component;
  if (entry.uid.empty() || card != (parent.kind == CollectionKind::addressbook)) {
    return refuse(Code::forbidden, RefusalReason::not_a_calendar_item,
                  "It was not stored as an item of this kind of collection: GET it, and PUT it there.");
  }
  const auto& components = parent.properties.components;
  if (!card && !components.empty() && std::ranges::find(components, entry.component) == components.end()) {
    return refuse(Code::forbidden, RefusalReason::unsupported_component,
                  "This calendar does not take " + entry.component + ".");
  }
  const bool leaves = request.move && from.parent == to.parent;
  return check_uid(to, entry.uid, leaves ? entry.name : std::string(), txn);
}

Refused check_collection(const TransferResource& request, const Place& from, const Place& to,
                         const CollectionRow& parent, WriteTxn& txn) {
  const auto kind = read_needed_row<CollectionRow>(txn, collection_key(from.collection())).kind;
  const bool at_home = parent.kind == CollectionKind::home;
  const bool fits = (kind == CollectionKind::calendar && at_home && to.path.space == DavSpace::calendars) ||
                    (kind == CollectionKind::addressbook && at_home && to.path.space == DavSpace::contacts) ||
                    (kind == CollectionKind::plain && to.path.space == DavSpace::files);
  if (!fits) {
    return refuse(Code::forbidden, RefusalReason::wrong_place, "This kind of collection can't be there.");
  }
  if (!request.move) return std::nullopt;
  if (from.is_second_entry()) {
    if (from.path.user == request.caller.user && to.parent == from.parent) return std::nullopt;
    return refuse(
        Code::forbidden, RefusalReason::read_only,
        "What another user has shared with you can be renamed in your home, and not moved elsewhere.");
  }
  if (from.owner != to.owner || from.path.user != request.caller.user) {
    return refuse(Code::forbidden, RefusalReason::read_only,
                  "A collection stays with its owner: copy it instead.");
  }
  const auto grants = collection_range('g', from.collection());
  bool shared = false;
  txn.scan(grants.from, grants.to, [&](std::string_view, std::string_view) {
    shared = true;
    return false;
  });
  if (!shared || at_home) return std::nullopt;
  return refuse(Code::forbidden, RefusalReason::wrong_place,
                "It is shared with other users: it stays in the home until that is ended.");
}

/// Sizes: of the copy, of the owner's quota, and of the paths that there would be.
Refused check_sizes(const TransferResource& request, const Place& from, const Place& to, WriteTxn& txn) {
  TreeSize tree;
  const bool deeper = to.path.names.size() > from.path.names.size();
  const bool walks =
      from.collection() != 0 && !from.is_second_entry() && (request.move ? deeper : !request.shallow);
  if (walks || (from.is_second_entry() && !request.move && !request.shallow)) {
    const auto size = size_of_tree(txn, from.collection());
    if (!size) {
      return refuse(Code::insufficient, RefusalReason::too_many,
                    "There is more in it than one request can take along: at most " +
                        std::to_string(GroupwareLimits::copy_resources_max) + " resources. Do it in parts.");
    }
    tree = *size;
  }
  if (to.path.names.size() + tree.depth > GroupwareLimits::path_depth_max) {
    return refuse(
        Code::forbidden, RefusalReason::too_many,
        "The paths would get more than " + std::to_string(GroupwareLimits::path_depth_max) + " levels.");
  }
  if (from.collection() == 0) tree.bytes = from.entry->bytes;
  if (!request.move && tree.bytes > GroupwareLimits::copy_bytes_max) {
    return refuse(Code::insufficient, RefusalReason::too_many,
                  "More than " + std::to_string(GroupwareLimits::copy_bytes_max) +
                      " bytes can't be copied by one request. Do it in parts.");
  }
  const bool adds = !request.move || from.owner != to.owner;
  return adds ? check_quota(txn, to.owner, tree.bytes) : std::nullopt;
}

Refused check_all_locks(const Terms& terms, const TransferResource& request, const Place& from,
                        const Place& to, WriteTxn& txn) {
  if (request.move) {
    const bool second = from.is_second_entry();
    if (auto refused = check_locks(txn, terms, from, {.itself = !second, .member = true, .below = !second})) {
      return refused;
    }
  }
  return check_locks(
      txn, terms, to,
      {.itself = true, .member = !to.entry || request.move || to.collection() != 0, .below = true});
}

Refused check_rights(const TransferResource& request, const Place& from, const Place& to) {
  const auto foreign_top = [&](const Place& place) {
    return place.path.user != request.caller.user && place.path.names.size() == 1;
  };
  if (request.move && !from.is_second_entry()) {
    if (auto refused = check_write(from)) return refused;
  }
  if (auto refused = to.is_second_entry() ? std::nullopt : check_write(to)) return refused;
  if (foreign_top(to) || (request.move && foreign_top(from))) {
    return refuse(Code::forbidden, RefusalReason::read_only,
                  "Only its owner can move or replace this collection.");
  }
  return std::nullopt;
}

}  // namespace

std::optional<TreeSize> size_of_tree(ReadTxn& txn, std::uint64_t collection) {
  TreeSize size;
  std::vector<std::pair<std::uint64_t, std::size_t>> open{{collection, 1}};  // and the depth of what is in it
  while (!open.empty()) {
    const auto [id, depth] = open.back();
    open.pop_back();
    const auto range = collection_range('e', id);
    txn.scan(range.from, range.to, [&](std::string_view, std::string_view value) {
      const auto entry = decode_row<EntryRow>(value);
      size.depth = std::max(size.depth, depth);
      size.bytes += entry.bytes;
      if (entry.collection) open.emplace_back(entry.id, depth + 1);
      return ++size.resources <= GroupwareLimits::copy_resources_max;
    });
    if (size.resources > GroupwareLimits::copy_resources_max) return std::nullopt;
  }
  return size;
}

Refused check_transfer(const TransferResource& request, const Place& from, const Place& to, WallTime now,
                       WriteTxn& txn) {
  if (to.is_home() || from.is_home()) {
    return refuse(Code::forbidden, RefusalReason::wrong_place, "A home stays where it is, and as it is.");
  }
  if (!from.entry || (request.from_collection && !from.entry->collection)) return nothing_here();
  if (to.lacks_parent()) return no_parent(txn, to);
  if (auto refused = check_rights(request, from, to)) return refused;
  if (auto refused = check_apart(request, from, to)) return refused;
  const Terms terms{request.caller, request.when, now};
  if (auto refused = check_preconditions(txn, terms, from)) return refused;
  if (to.entry && !request.overwrite) {
    return refuse(Code::precondition_failed, RefusalReason::none,
                  "There is something at the destination, and Overwrite is F.");
  }
  const auto parent = read_needed_row<CollectionRow>(txn, collection_key(to.parent));
  if (auto refused = from.collection() != 0 ? check_collection(request, from, to, parent, txn)
                                            : check_item(request, from, to, parent, txn)) {
    return refused;
  }
  if (auto refused = check_all_locks(terms, request, from, to, txn)) return refused;
  const auto counters = read_needed_row<CounterRow>(txn, counter_key(to.parent));
  if (from.collection() != 0 && parent.kind == CollectionKind::home &&
      counters.items >= GroupwareLimits::collections_max) {
    return refuse(Code::forbidden, RefusalReason::too_many, "The home is full.");
  }
  return check_sizes(request, from, to, txn);
}

}  // namespace pollux
