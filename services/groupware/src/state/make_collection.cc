// MakeCollection: a calendar in the user's home.
#include <algorithm>

#include "state/changes.h"

namespace pollux {
namespace {

std::size_t size_of(const CollectionProperties& properties) {
  std::size_t size = properties.display_name.size() + properties.description.size() +
                     properties.color.size() + properties.order.size() + properties.timezone.size();
  for (const auto& component : properties.components) size += component.size();
  for (const auto& dead : properties.dead) size += dead.space.size() + dead.name.size() + dead.xml.size();
  return size;
}

}  // namespace

ServiceReply execute(const MakeCollection& request, WallTime now, WriteTxn& txn) {
  const auto place = find_place(txn, request.caller, request.path);
  if (!place) return place.error();
  if (place->parent == 0 || place->entry) {
    return refuse(Code::already_exists, RefusalReason::none, "There is something with this name already.");
  }
  if (place->parent != place->owner.calendars || request.kind != CollectionKind::calendar) {
    return refuse(Code::forbidden, RefusalReason::wrong_place,
                  "A calendar is made in the user's calendar home, not inside another collection.");
  }
  if (size_of(request.properties) > GroupwareLimits::properties_bytes_max) {
    return refuse(Code::forbidden, RefusalReason::too_many,
                  "The properties are larger than " + std::to_string(GroupwareLimits::properties_bytes_max) +
                      " bytes together.");
  }
  CollectionChange change(place->parent, now, txn);
  if (change.counters.items >= GroupwareLimits::collections_max) {
    return refuse(Code::forbidden, RefusalReason::too_many,
                  "A home has room for " + std::to_string(GroupwareLimits::collections_max) + " calendars.");
  }
  const std::string& name = request.path.names.back();
  const std::uint64_t id = make_collection_rows({.kind = request.kind,
                                                 .owner = request.path.user,
                                                 .parent = place->parent,
                                                 .name = name,
                                                 .created = now,
                                                 .properties = request.properties},
                                                txn);
  txn.put(entry_key(place->parent, name), encode(EntryRow{.name = name,
                                                          .id = id,
                                                          .collection = true,
                                                          .created = now,
                                                          .modified = now,
                                                          .change = change.counters.change}));
  ++change.counters.items;
  change.stored(name, std::nullopt);
  change.write();
  return answer(Stored{.etag = {}, .created = true, .modified = now});
}

}  // namespace pollux
