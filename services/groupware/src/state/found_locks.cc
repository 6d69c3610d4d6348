#include "state/found_locks.h"

#include "pollux/core/check.h"
#include "state/locks.h"

namespace pollux {
namespace {

/// Those of a collection in the one that was asked; a second entry's are in its owner's home.
std::vector<Lock> locks_of(const CollectionInfo& inner, const LockBook& book,
                           const std::vector<std::uint64_t>& above, const ResourcePath& path, WallTime now,
                           ReadTxn& txn) {
  if (!inner.shared) return book.covering(inner.id, above);
  const auto home = read_needed_row<PrincipalRow>(txn, principal_key(inner.owner)).home(path.space);
  return LockBook(txn, home, now).covering(inner.id, {home});
}

}  // namespace

ServiceReply with_found_locks(ServiceReply reply, const Caller& caller, const ResourcePath& path,
                              WallTime now, ReadTxn& txn) {
  if (reply.code != Code::ok) return reply;
  auto found = decode_groupware_reply<FoundItems>(reply.payload);
  const auto place = find_place(txn, caller, path);
  POLLUX_CHECK(found && place && place->collection() != 0);
  const LockBook book(txn, place->home, now);
  std::vector<std::uint64_t> above = place->above;
  if (above.empty() || above.back() != place->collection()) above.push_back(place->collection());
  for (auto& item : found->items) {
    if (!item.found) continue;
    if (auto* inner = std::get_if<CollectionInfo>(&item.info)) {
      inner->locks = locks_of(*inner, book, above, path, now, txn);
      continue;
    }
    if (book.empty()) continue;
    const auto entry = read_needed_row<EntryRow>(txn, entry_key(place->collection(), item.name));
    std::get<ItemInfo>(item.info).locks = book.covering(entry.id, above);
  }
  return answer(*found);
}

}  // namespace pollux
