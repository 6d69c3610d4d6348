// ShareCollection: a second entry of a collection in another user's home.
#include <algorithm>

#include "state/changes.h"

namespace pollux {
namespace {

/// A free name for the second entry: as the owner calls it, or with more words.
std::string free_name(const std::string& name, const std::string& owner, std::uint64_t home, WriteTxn& txn) {
  const std::string base = name.substr(0, GroupwareLimits::name_bytes_max / 2);
  std::string candidate = name;
  for (std::uint64_t number = 1; txn.get(entry_key(home, candidate)); ++number) {
    // A name that was cut in the middle of a character would be none: then the owner's name has to do.
    candidate = (check_resource_name(base) ? base : std::string("shared")) + "-" + owner;
    if (number > 1) candidate += "-" + std::to_string(number);
  }
  return candidate;
}

void add_second_entry(std::uint64_t collection, std::uint64_t home, const std::string& name, Access access,
                      WallTime now, WriteTxn& txn) {
  CollectionChange change(home, now, txn);
  txn.put(entry_key(home, name), encode(EntryRow{.name = name,
                                                 .id = collection,
                                                 .collection = true,
                                                 .created = now,
                                                 .modified = now,
                                                 .change = change.counters.change,
                                                 .shared_access = access}));
  ++change.counters.items;
  change.stored(name, std::nullopt);
  change.write();
}

void remove_second_entry(std::uint64_t collection, const GrantRow& grant, WallTime now, WriteTxn& txn) {
  const auto entry = read_row<EntryRow>(txn, entry_key(grant.home, grant.name));
  if (!entry || entry->id != collection) return;
  CollectionChange change(grant.home, now, txn);
  --change.counters.items;
  txn.erase(entry_key(grant.home, grant.name));
  change.deleted(*entry);
  change.write();
}

std::vector<std::pair<std::string, GrantRow>> grants_of(ReadTxn& txn, std::uint64_t collection) {
  std::vector<std::pair<std::string, GrantRow>> grants;
  const auto range = collection_range('g', collection);
  txn.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    grants.emplace_back(key, decode_row<GrantRow>(value));
    return true;
  });
  return grants;
}

/// The second entry shows the new access to those who synchronize the home.
void change_access(const GrantRow& grant, Access access, WallTime now, WriteTxn& txn) {
  auto entry = read_needed_row<EntryRow>(txn, entry_key(grant.home, grant.name));
  const auto before = entry;
  CollectionChange change(grant.home, now, txn);
  entry.shared_access = access;
  entry.change = change.counters.change;
  txn.put(entry_key(grant.home, grant.name), encode(entry));
  change.stored(entry.name, before);
  change.write();
}

std::optional<ServiceReply> check_share(const ShareCollection& request, const Place& place) {
  if (place.path.user != request.caller.user || place.is_home() || place.path.names.size() != 1 ||
      place.is_second_entry()) {
    return refuse(Code::forbidden, RefusalReason::wrong_place,
                  "What can be shared is a collection of your own that lies directly in your home.");
  }
  if (place.collection() == 0) return nothing_here();
  if (request.with == request.caller.user) {
    return refuse(Code::forbidden, RefusalReason::same_resource, "It is yours already.");
  }
  if (request.access > Access::write) {
    return refuse(Code::invalid_argument, RefusalReason::none,
                  "Share it for reading, for writing, or not at all.");
  }
  return std::nullopt;
}

}  // namespace

void end_sharing(std::uint64_t collection, WallTime now, WriteTxn& txn) {
  for (const auto& [key, grant] : grants_of(txn, collection)) {
    remove_second_entry(collection, grant, now, txn);
    txn.erase(key);
  }
}

ServiceReply execute(const ShareCollection& request, WallTime now, WriteTxn& txn) {
  const auto place = find_place(txn, request.caller, request.path);
  if (!place) return place.error();
  if (auto refused = check_share(request, *place)) return *refused;
  const std::uint64_t collection = place->collection();
  // A user that is gone has no grants: ending them needs no user.
  auto other = find_user(txn, request.with);
  if (!other) return no_user(request.with);
  const std::string key = grant_key(collection, request.with);
  const auto before = read_row<GrantRow>(txn, key);
  const Stored done{.etag = {}, .created = !before && request.access != Access::none, .modified = now};
  if (request.access == Access::none) {
    if (before) remove_second_entry(collection, *before, now, txn);
    txn.erase(key);
    return answer(done);
  }
  if (before) {
    txn.put(key, encode(GrantRow{request.access, before->home, before->name}));
    change_access(*before, request.access, now, txn);
    return answer(done);
  }
  if (grants_of(txn, collection).size() >= GroupwareLimits::shares_max) {
    return refuse(
        Code::forbidden, RefusalReason::too_many,
        "A collection can be shared with " + std::to_string(GroupwareLimits::shares_max) + " users.");
  }
  if (other->home(request.path.space) == 0) make_homes(request.with, &*other, now, txn);
  const std::uint64_t home = other->home(request.path.space);
  if (read_needed_row<CounterRow>(txn, counter_key(home)).items >= GroupwareLimits::collections_max) {
    return refuse(Code::forbidden, RefusalReason::too_many, "The home of that user is full.");
  }
  const std::string name = free_name(request.path.names[0], request.caller.user, home, txn);
  txn.put(key, encode(GrantRow{request.access, home, name}));
  add_second_entry(collection, home, name, request.access, now, txn);
  return answer(done);
}

}  // namespace pollux
