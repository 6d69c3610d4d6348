#include "state/queries.h"

#include <algorithm>

#include "state/changes.h"

namespace pollux {
ItemInfo info_of(const EntryRow& entry) {
  return {.name = entry.name,
          .etag = entry.etag,
          .content_type = entry.content_type,
          .component = entry.component,
          .uid = entry.uid,
          .bytes = entry.bytes,
          .created = entry.created,
          .modified = entry.modified,
          .change = entry.change,
          .first_s = entry.first_s,
          .last_s = entry.last_s,
          .dead = {},
          .locks = {}};
}

namespace {

/// What of a resource is told besides its row, and to whom.
struct Teller {
  ReadTxn& txn;
  const ListResources& query;
  const Place& place;
  WallTime now;
  std::optional<LockBook> book;

  Teller(ReadTxn& read, const ListResources& asked, const Place& at, WallTime time)
      : txn(read), query(asked), place(at), now(time) {
    if (query.with_locks) book.emplace(txn, place.home, now);
  }

  ItemInfo item(const EntryRow& entry, const std::vector<std::uint64_t>& above) {
    ItemInfo info = info_of(entry);
    if (query.with_dead && entry.has_dead) {
      info.dead = read_needed_row<DeadRow>(txn, dead_key(entry.id)).properties;
    }
    if (book) info.locks = book->covering(entry.id, above);
    return info;
  }

  /// `entry`: as it is called where it was found; a home has none.
  CollectionInfo collection(std::uint64_t id, const EntryRow* entry, const std::vector<std::uint64_t>& above,
                            Access access) {
    auto row = read_needed_row<CollectionRow>(txn, collection_key(id));
    const auto counters = read_needed_row<CounterRow>(txn, counter_key(id));
    const auto owner = read_needed_row<PrincipalRow>(txn, principal_key(row.owner));
    CollectionInfo info{.name = entry != nullptr ? entry->name : std::move(row.name),
                        .kind = row.kind,
                        .properties = std::move(row.properties),
                        .id = id,
                        .change = counters.change,
                        .items = counters.items,
                        .bytes = counters.bytes,
                        .created = row.created,
                        .modified = counters.modified,
                        .owner = row.owner,
                        .access = access,
                        .shared = entry != nullptr && entry->shared_access != Access::none,
                        .sharing = false,
                        .locks = {},
                        .quota_bytes = owner.quota_bytes,
                        .used_bytes = used_bytes(txn, row.owner, owner)};
    if (info.shared) info.access = entry->shared_access;
    const auto grants = collection_range('g', id);
    txn.scan(grants.from, grants.to, [&](std::string_view, std::string_view) {
      info.sharing = true;
      return false;
    });
    if (!query.with_locks) return info;
    if (info.shared && place.home != owner.home(place.path.space)) {
      const std::uint64_t home = owner.home(place.path.space);
      info.locks = LockBook(txn, home, now).covering(id, {home});
    } else {
      info.locks = book->covering(id, above);
    }
    return info;
  }
};

/// What an entry costs in an answer, about.
std::size_t cost_of(const EntryRow& entry) {
  return 64 + entry.name.size() + entry.etag.size() + entry.content_type.size() + entry.uid.size();
}

std::size_t cost_of(const Resource& resource) {
  const auto* collection = std::get_if<CollectionInfo>(&resource);
  if (collection == nullptr) {
    std::size_t cost = 0;
    for (const auto& dead : std::get<ItemInfo>(resource).dead) cost += dead.xml.size();
    return cost;
  }
  std::size_t cost = 64 + collection->properties.timezone.size() + collection->properties.description.size();
  for (const auto& dead : collection->properties.dead) cost += dead.xml.size();
  return cost;
}

void add_children(Teller& teller, std::uint64_t collection, Listing* listing) {
  ReadTxn& txn = teller.txn;
  const ListResources& query = teller.query;
  std::vector<std::uint64_t> above = teller.place.above;
  if (above.empty() || above.back() != collection) above.push_back(collection);
  const std::size_t limit = std::clamp<std::size_t>(query.limit, 1, GroupwareLimits::page_entries_max);
  auto range = collection_range('e', collection);
  if (!query.after.empty()) range.from = entry_key(collection, query.after) + '\0';
  std::vector<EntryRow> entries;
  std::size_t cost = 0;
  txn.scan(range.from, range.to, [&](std::string_view, std::string_view value) {
    if (entries.size() == limit || cost > GroupwareLimits::page_bytes_max) {
      listing->more = true;
      return false;
    }
    entries.push_back(decode_row<EntryRow>(value));
    cost += cost_of(entries.back());
    return true;
  });
  listing->children.reserve(entries.size());
  for (const auto& entry : entries) {
    if (cost > 2 * GroupwareLimits::page_bytes_max) {  // calendars with long properties: fewer a page
      listing->more = true;
      break;
    }
    listing->children.push_back(entry.collection
                                    ? Resource(teller.collection(entry.id, &entry, above, listing->access))
                                    : Resource(teller.item(entry, above)));
    cost += cost_of(listing->children.back());
    listing->last = entry.name;
  }
}

}  // namespace

ServiceReply query(const GetCredentials& query, WallTime, ReadTxn& txn) {
  std::optional<CredentialRow> credentials;
  std::optional<PrincipalRow> principal;
  if (check_user_name(query.user)) {
    credentials = read_row<CredentialRow>(txn, credential_key(query.user));
    principal = read_row<PrincipalRow>(txn, principal_key(query.user));
  }
  if (!credentials || !principal) {
    return refuse(Code::not_found, RefusalReason::none, "There is no user \"" + query.user + "\".");
  }
  return answer(Credentials{query.user, credentials->password_hash, principal->credential_version});
}

ServiceReply query(const ListUsers& query, WallTime, ReadTxn& txn) {
  if (query.caller) {
    if (const auto caller = admit(txn, *query.caller); !caller) return caller.error();
  }
  const std::size_t limit = std::clamp<std::size_t>(query.limit, 1, GroupwareLimits::page_entries_max);
  auto range = table_range('p');
  if (!query.after.empty())
    range.from = principal_key(query.after.substr(0, GroupwareLimits::user_name_bytes_max)) + '\0';
  UserList list;
  txn.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    if (list.users.size() == limit) {
      list.more = true;
      return false;
    }
    const auto row = decode_row<PrincipalRow>(value);
    list.users.push_back(
        {.user = std::string(key.substr(1)), .display_name = row.display_name, .created = row.created});
    return true;
  });
  return answer(list);
}

ServiceReply query(const GetPrincipal& query, WallTime, ReadTxn& txn) {
  const auto caller = admit(txn, query.caller);
  if (!caller) return caller.error();
  const auto principal = find_user(txn, query.user);
  if (!principal) return no_user(query.user);
  PrincipalInfo info{
      .user = query.user, .display_name = principal->display_name, .created = principal->created};
  if (query.user == query.caller.user) {
    info.quota_bytes = principal->quota_bytes;
    info.used_bytes = used_bytes(txn, query.user, *principal);
  }
  return answer(info);
}

std::expected<Item, ServiceReply> read_item(const GetItem& query, WallTime now, ReadTxn& txn) {
  const auto place = find_place(txn, query.caller, query.path);
  if (!place) return std::unexpected(place.error());
  if (place->collection() != 0) {
    return std::unexpected(refuse(Code::conflict, RefusalReason::is_collection, "This is a collection."));
  }
  if (!place->entry || query.as_collection) return std::unexpected(nothing_here());
  const EntryRow& entry = *place->entry;
  // If-None-Match has an answer of its own here: not modified.
  Preconditions when = query.when;
  when.none_match.reset();
  if (auto refused = check_preconditions(txn, {query.caller, when, now}, *place))
    return std::unexpected(std::move(*refused));
  Item item{.info = info_of(entry), .content = {}, .not_modified = false};
  if (query.when.none_match) {
    item.not_modified = matches(*query.when.none_match, entry.etag, true);
  } else if (query.modified_since_s) {
    item.not_modified = entry.modified.us / 1'000'000 <= *query.modified_since_s;
  }
  if (!item.not_modified && !query.without_content) {
    auto content = txn.get(body_key(entry.id));
    if (!content) throw std::runtime_error("An item's content is missing: verify the audit trail.");
    item.content = std::move(*content);
  }
  return item;
}

ServiceReply query(const GetItem& query, WallTime now, ReadTxn& txn) {
  auto item = read_item(query, now, txn);
  return item ? answer(*item) : std::move(item.error());
}

ServiceReply query(const ListResources& query, WallTime now, ReadTxn& txn) {
  const auto place = find_place(txn, query.caller, query.path);
  if (!place) return place.error();
  Teller teller(txn, query, *place, now);
  Listing listing{
      .self = {}, .children = {}, .more = false, .last = {}, .access = place->access, .owner = place->owner};
  if (const std::uint64_t collection = place->collection(); collection != 0) {
    listing.self =
        teller.collection(collection, place->entry ? &*place->entry : nullptr, place->above, place->access);
    if (query.depth > 0) add_children(teller, collection, &listing);
  } else if (place->entry && !query.as_collection) {
    listing.self = teller.item(*place->entry, place->above);
  } else {
    return nothing_here();
  }
  return answer(listing);
}

ServiceReply query(const ListShares& query, WallTime, ReadTxn& txn) {
  const auto place = find_place(txn, query.caller, query.path);
  if (!place) return place.error();
  if (place->access != Access::owner || place->collection() == 0) return nothing_here();
  ShareList list;
  const auto range = collection_range('g', place->collection());
  constexpr std::size_t key_head = 9;
  txn.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    list.shares.push_back({std::string(key.substr(key_head)), decode_row<GrantRow>(value).access});
    return true;
  });
  return answer(list);
}

}  // namespace pollux
