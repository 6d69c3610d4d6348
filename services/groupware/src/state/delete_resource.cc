// DeleteResource: deletes an item, or a collection with everything in it.
#include "state/changes.h"

namespace pollux {

ServiceReply execute(const DeleteResource& request, WallTime now, WriteTxn& txn) {
  const auto place = find_place(txn, request.caller, request.path);
  if (!place) return place.error();
  if (place->is_home()) {
    return refuse(Code::forbidden, RefusalReason::wrong_place,
                  "A home goes with its user only: remove the user instead.");
  }
  const bool there = place->entry && (place->entry->collection || !request.as_collection);
  const Terms terms{request.caller, request.when, now};
  if (auto refused = check_preconditions(txn, terms, *place, there ? place->entry : std::nullopt)) {
    return *refused;
  }
  if (!there) return nothing_here();
  // Whoever was given a second entry may always throw it away.
  const bool own_entry = place->is_second_entry() && place->path.user == request.caller.user;
  if (!own_entry) {
    if (auto refused = check_write(*place)) return *refused;
    if (place->path.user != request.caller.user && place->path.names.size() == 1) {
      return refuse(Code::forbidden, RefusalReason::read_only, "Only its owner can delete this collection.");
    }
  }
  if (auto refused =
          check_locks(txn, terms, *place, {.itself = !own_entry, .member = true, .below = !own_entry})) {
    return *refused;
  }
  CollectionChange change(place->parent, now, txn);
  remove_entry(*place, now, &change, txn);
  change.write();
  return answer(Stored{.etag = {}, .created = false, .modified = now});
}

}  // namespace pollux
