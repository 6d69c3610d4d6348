// MakeCollection: a calendar, an address book, or a plain collection.
#include <algorithm>

#include "state/changes.h"

namespace pollux {
namespace {

std::optional<ServiceReply> check_kind(const MakeCollection& request, const Place& place, WriteTxn& txn) {
  const auto parent = read_needed_row<CollectionRow>(txn, collection_key(place.parent)).kind;
  switch (request.path.space) {
    case DavSpace::calendars:
      if (parent == CollectionKind::home && request.kind == CollectionKind::calendar) return std::nullopt;
      return refuse(
          Code::forbidden, RefusalReason::wrong_place,
          "A calendar home holds calendars (MKCALENDAR), and nothing else; a calendar holds no collections.");
    case DavSpace::contacts:
      if (parent == CollectionKind::home && request.kind == CollectionKind::addressbook) return std::nullopt;
      return refuse(
          Code::forbidden, RefusalReason::wrong_place,
          "An address book home holds address books (MKCOL with their resourcetype), and nothing else; an "
          "address book holds no collections.");
    case DavSpace::files:
      if (request.kind == CollectionKind::plain) return std::nullopt;
      return refuse(Code::forbidden, RefusalReason::wrong_place,
                    "Calendars are made in a calendar home, and address books in an address book home.");
  }
  return refuse(Code::forbidden, RefusalReason::wrong_place, "Nothing can be made here.");
}

}  // namespace

ServiceReply execute(const MakeCollection& request, WallTime now, WriteTxn& txn) {
  const auto place = find_place(txn, request.caller, request.path);
  if (!place) return place.error();
  const Terms terms{request.caller, request.when, now};
  if (place->is_home() || place->entry) {
    return refuse(Code::already_exists, RefusalReason::none, "There is something with this name already.");
  }
  if (place->lacks_parent()) return no_parent(txn, *place);
  if (auto refused = check_write(*place)) return *refused;
  if (auto refused = check_kind(request, *place, txn)) return *refused;
  if (size_of(request.properties) > GroupwareLimits::properties_bytes_max) {
    return refuse(Code::forbidden, RefusalReason::too_many,
                  "The properties are larger than " + std::to_string(GroupwareLimits::properties_bytes_max) +
                      " bytes together.");
  }
  if (auto refused = check_preconditions(txn, terms, *place)) return *refused;
  if (auto refused = check_locks(txn, terms, *place, {.itself = true, .member = true})) return *refused;
  const auto counters = read_needed_row<CounterRow>(txn, counter_key(place->parent));
  if (counters.items >= GroupwareLimits::collections_max && place->above.size() == 1) {
    return refuse(Code::forbidden, RefusalReason::too_many,
                  "A home has room for " + std::to_string(GroupwareLimits::collections_max) + " entries.");
  }
  add_collection({.kind = request.kind,
                  .owner = place->owner,
                  .parent = place->parent,
                  .name = request.path.names.back(),
                  .created = now,
                  .properties = request.properties},
                 txn);
  return answer(Stored{.etag = {}, .created = true, .modified = now});
}

}  // namespace pollux
