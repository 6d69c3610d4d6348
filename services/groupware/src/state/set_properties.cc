// SetProperties: PROPPATCH, all of it or nothing (RFC 4918, 9.2).
#include <algorithm>

#include "state/changes.h"

namespace pollux {
namespace {

ServiceReply too_large() {
  return refuse(Code::insufficient, RefusalReason::too_many,
                "The properties would be larger than " +
                    std::to_string(GroupwareLimits::properties_bytes_max) + " bytes together.");
}

void apply(const PropertyChange& change, std::vector<DeadProperty>* dead) {
  std::erase_if(*dead, [&](const DeadProperty& property) {
    return property.space == change.dead.space && property.name == change.dead.name;
  });
  if (!change.remove) dead->push_back(change.dead);
}

void apply(const PropertyChange& change, CollectionProperties* properties) {
  const std::string value = change.remove ? std::string() : change.value;
  switch (change.field) {
    case PropertyField::display_name:
      properties->display_name = value;
      return;
    case PropertyField::description:
      properties->description = value;
      return;
    case PropertyField::color:
      properties->color = value;
      return;
    case PropertyField::order:
      properties->order = value;
      return;
    case PropertyField::timezone:
      properties->timezone = value;
      return;
    case PropertyField::dead:
      break;
  }
  apply(change, &properties->dead);
}

/// Those who synchronize the collection over it see that it has changed.
void touch_entry(const Place& place, WallTime now, WriteTxn& txn) {
  EntryRow entry = *place.entry;
  CollectionChange change(place.parent, now, txn);
  entry.change = change.counters.change;
  txn.put(entry_key(place.parent, entry.name), encode(entry));
  change.stored(entry.name, place.entry);
  change.write();
}

std::optional<ServiceReply> set_of_collection(const SetProperties& request, const Place& place, WallTime now,
                                              WriteTxn& txn) {
  auto row = read_needed_row<CollectionRow>(txn, collection_key(place.collection()));
  for (const auto& change : request.changes) apply(change, &row.properties);
  if (size_of(row.properties) > GroupwareLimits::properties_bytes_max) return too_large();
  txn.put(collection_key(place.collection()), encode(row));
  if (place.entry) touch_entry(place, now, txn);
  return std::nullopt;
}

std::optional<ServiceReply> set_of_item(const SetProperties& request, const Place& place, WriteTxn& txn) {
  EntryRow entry = *place.entry;
  DeadRow row;
  if (entry.has_dead) row = read_needed_row<DeadRow>(txn, dead_key(entry.id));
  for (const auto& change : request.changes) apply(change, &row.properties);
  if (size_of(row.properties) > GroupwareLimits::properties_bytes_max) return too_large();
  entry.has_dead = !row.properties.empty();
  if (entry.has_dead) {
    txn.put(dead_key(entry.id), encode(row));
  } else {
    txn.erase(dead_key(entry.id));
  }
  txn.put(entry_key(place.parent, entry.name), encode(entry));
  return std::nullopt;
}

}  // namespace

ServiceReply execute(const SetProperties& request, WallTime now, WriteTxn& txn) {
  const auto place = find_place(txn, request.caller, request.path);
  if (!place) return place.error();
  const bool there =
      place->is_home() || (place->entry && (place->entry->collection || !request.as_collection));
  if (!there) return nothing_here();
  if (auto refused = check_write(*place)) return *refused;
  const Terms terms{request.caller, request.when, now};
  if (auto refused = check_preconditions(txn, terms, *place)) return *refused;
  if (auto refused = check_locks(txn, terms, *place, {})) return *refused;
  if (request.changes.size() > GroupwareLimits::property_changes_max) {
    return refuse(Code::invalid_argument, RefusalReason::too_many, "Too many properties in one request.");
  }
  const auto refused = place->collection() != 0 ? set_of_collection(request, *place, now, txn)
                                                : set_of_item(request, *place, txn);
  if (refused) return *refused;
  return answer(Stored{.etag = {}, .created = false, .modified = now});
}

}  // namespace pollux
