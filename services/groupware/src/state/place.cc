// Who asks, and where a path leads.
#include "state/state.h"

namespace pollux {
namespace {

ServiceReply not_yours() {
  return refuse(Code::forbidden, RefusalReason::not_yours, "This belongs to another user, if it exists.");
}

std::optional<ServiceReply> check_path(const ResourcePath& path) {
  if (path.space < DavSpace::calendars || path.space > DavSpace::files ||
      path.names.size() > GroupwareLimits::path_depth_max) {
    return refuse(Code::forbidden, RefusalReason::wrong_place, "Nothing can be stored here.");
  }
  for (const auto& name : path.names) {
    if (const auto good = check_resource_name(name); !good) {
      return refuse(Code::invalid_argument, RefusalReason::bad_name, good.error().text);
    }
  }
  return std::nullopt;
}

/// The first name of a path may lead into another user's home. False: the caller may not go there.
bool enter_shared(ReadTxn& txn, const Caller& caller, Place* place) {
  if (!place->entry) return place->access != Access::none;
  if (!place->is_second_entry() && place->access != Access::none) return true;
  if (place->is_second_entry() && place->access == Access::none) return false;  // a share is not shared on
  const auto grant = read_row<GrantRow>(txn, grant_key(place->entry->id, caller.user));
  if (!grant) return false;
  place->access = grant->access;
  if (!place->is_second_entry()) return true;
  place->owner = read_needed_row<CollectionRow>(txn, collection_key(place->entry->id)).owner;
  place->home = read_needed_row<PrincipalRow>(txn, principal_key(place->owner)).home(place->path.space);
  place->above = {place->home};
  return true;
}

}  // namespace

ServiceReply no_user(const std::string& user) {
  return refuse(Code::not_found, RefusalReason::none, "There is no user \"" + user + "\".");
}

ServiceReply nothing_here() { return refuse(Code::not_found, RefusalReason::none, "There is nothing here."); }

ServiceReply no_parent(ReadTxn& txn, const Place& place) {
  // `above` has the home and one more for each name that was found.
  const std::size_t found = place.above.empty() ? 0 : place.above.size() - 1;
  const std::string& name = place.path.names[std::min(found, place.path.names.size() - 1)];
  const bool is_item = txn.get(entry_key(place.above.empty() ? 0 : place.above.back(), name)).has_value();
  return refuse(Code::conflict, RefusalReason::no_parent,
                is_item ? "\"" + name + "\" is no collection: nothing can be in it."
                        : "There is no collection \"" + name + "\" here: make it first.");
}

std::optional<PrincipalRow> find_user(ReadTxn& txn, const std::string& user) {
  if (!check_user_name(user)) return std::nullopt;
  return read_row<PrincipalRow>(txn, principal_key(user));
}

std::expected<PrincipalRow, ServiceReply> admit(ReadTxn& txn, const Caller& caller) {
  auto principal = find_user(txn, caller.user);
  if (!principal && caller.credential_version == 0) return std::unexpected(no_user(caller.user));
  if (!principal ||
      (caller.credential_version != 0 && caller.credential_version != principal->credential_version)) {
    return std::unexpected(refuse(Code::forbidden, RefusalReason::stale_credentials,
                                  "The user's password was changed, or the user removed."));
  }
  return std::move(*principal);
}

std::expected<Place, ServiceReply> find_place(ReadTxn& txn, const Caller& caller, const ResourcePath& path) {
  auto principal = admit(txn, caller);
  if (!principal) return std::unexpected(principal.error());
  const bool own = path.user == caller.user;
  std::optional<PrincipalRow> whose = own ? std::move(*principal) : find_user(txn, path.user);
  if (!own && (!whose || path.names.empty() || whose->home(path.space) == 0)) {
    return std::unexpected(not_yours());
  }
  if (auto refused = check_path(path)) return std::unexpected(std::move(*refused));
  Place place{.path = path,
              .owner = path.user,
              .access = own ? Access::owner : Access::none,
              .home = whose->home(path.space),
              .above = {},
              .parent = 0,
              .entry = {}};
  if (place.home == 0) {
    return std::unexpected(refuse(Code::conflict, RefusalReason::homes_missing,
                                  "This user was added by an older version: give it its homes first."));
  }
  std::uint64_t collection = place.home;
  for (std::size_t depth = 0; depth < path.names.size(); ++depth) {
    place.parent = collection;
    place.entry.reset();
    if (collection == 0) break;
    place.above.push_back(collection);
    place.entry = read_row<EntryRow>(txn, entry_key(collection, path.names[depth]));
    if (depth == 0 && !enter_shared(txn, caller, &place)) return std::unexpected(not_yours());
    collection = place.collection();
  }
  return place;
}

std::uint64_t used_bytes(ReadTxn& txn, const std::string& user, const PrincipalRow& principal) {
  if (const auto usage = read_row<UsageRow>(txn, usage_key(user))) return usage->bytes;
  // A user of format 1 has calendars only, and they have nothing below them.
  const auto range = collection_range('e', principal.calendars);
  std::vector<std::uint64_t> calendars;
  txn.scan(range.from, range.to, [&](std::string_view, std::string_view value) {
    const auto entry = decode_row<EntryRow>(value);
    if (entry.collection && entry.shared_access == Access::none) calendars.push_back(entry.id);
    return true;
  });
  std::uint64_t bytes = 0;
  for (const std::uint64_t id : calendars) {
    bytes += read_needed_row<CounterRow>(txn, counter_key(id)).bytes;
  }
  return bytes;
}

}  // namespace pollux
