// DeleteResource: deletes an item, or a collection with everything in it.
#include "state/changes.h"

namespace pollux {

ServiceReply execute(const DeleteResource& request, WallTime now, WriteTxn& txn) {
  const auto place = find_place(txn, request.caller, request.path);
  if (!place && place.error().code == Code::conflict) {
    return refuse(Code::not_found, RefusalReason::none, "There is nothing here.");
  }
  if (!place) return place.error();
  if (place->parent == 0) {
    return refuse(Code::forbidden, RefusalReason::wrong_place,
                  "A home goes with its user only: remove the user instead.");
  }
  const bool there = place->entry && (place->entry->collection || !request.as_collection);
  if (auto refused = check_preconditions(request.when, there ? place->entry : std::nullopt)) return *refused;
  if (!there) return refuse(Code::not_found, RefusalReason::none, "There is nothing here.");

  const EntryRow& entry = *place->entry;
  CollectionChange change(place->parent, now, txn);
  --change.counters.items;
  change.counters.bytes -= entry.bytes;
  txn.erase(entry_key(place->parent, entry.name));
  if (entry.collection) {
    txn.put(trash_key(entry.id), "");
  } else {
    txn.erase(body_key(entry.id));
    txn.erase(uid_key(place->parent, entry.uid));
  }
  change.deleted(entry);
  change.write();
  return answer(Stored{.etag = {}, .created = false, .modified = now});
}

}  // namespace pollux
