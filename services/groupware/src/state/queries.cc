#include "state/queries.h"

#include <algorithm>

#include "state/changes.h"

namespace pollux {
namespace {

ServiceReply nothing_here() { return refuse(Code::not_found, RefusalReason::none, "There is nothing here."); }

/// For a reader, a missing collection on the way is as good as a missing item.
std::expected<Place, ServiceReply> find_for_reading(ReadTxn& txn, const Caller& caller,
                                                    const ResourcePath& path) {
  auto place = find_place(txn, caller, path);
  if (!place && place.error().code == Code::conflict) return std::unexpected(nothing_here());
  return place;
}

ItemInfo info_of(const EntryRow& entry) {
  return {.name = entry.name,
          .etag = entry.etag,
          .content_type = entry.content_type,
          .component = entry.component,
          .uid = entry.uid,
          .bytes = entry.bytes,
          .created = entry.created,
          .modified = entry.modified,
          .change = entry.change};
}

CollectionInfo collection_info(ReadTxn& txn, std::uint64_t id) {
  auto row = read_needed_row<CollectionRow>(txn, collection_key(id));
  const auto counters = read_needed_row<CounterRow>(txn, counter_key(id));
  return {.name = std::move(row.name),
          .kind = row.kind,
          .properties = std::move(row.properties),
          .id = id,
          .change = counters.change,
          .items = counters.items,
          .bytes = counters.bytes,
          .created = row.created,
          .modified = counters.modified,
          .owner = std::move(row.owner)};
}

/// What an entry costs in an answer, about.
std::size_t cost_of(const EntryRow& entry) {
  return 64 + entry.name.size() + entry.etag.size() + entry.content_type.size() + entry.uid.size();
}

std::size_t cost_of(const Resource& resource) {
  const auto* collection = std::get_if<CollectionInfo>(&resource);
  if (collection == nullptr) return 0;
  std::size_t cost = 64 + collection->properties.timezone.size() + collection->properties.description.size();
  for (const auto& dead : collection->properties.dead) cost += dead.xml.size();
  return cost;
}

void add_children(ReadTxn& txn, std::uint64_t collection, const ListResources& query, Listing* listing) {
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
    listing->children.push_back(entry.collection ? Resource(collection_info(txn, entry.id))
                                                 : Resource(info_of(entry)));
    cost += cost_of(listing->children.back());
    listing->last = entry.name;
  }
}

}  // namespace

ServiceReply query(const GetCredentials& query, ReadTxn& txn) {
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

ServiceReply query(const ListUsers& query, ReadTxn& txn) {
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
    list.users.push_back({std::string(key.substr(1)), row.display_name, row.created});
    return true;
  });
  return answer(list);
}

ServiceReply query(const GetPrincipal& query, ReadTxn& txn) {
  const auto principal = admit(txn, query.caller);
  if (!principal) return principal.error();
  if (query.user != query.caller.user) {
    return refuse(Code::forbidden, RefusalReason::not_yours, "This belongs to another user, if it exists.");
  }
  return answer(PrincipalInfo{query.user, principal->display_name, principal->created});
}

ServiceReply query(const GetItem& query, ReadTxn& txn) {
  const auto place = find_for_reading(txn, query.caller, query.path);
  if (!place) return place.error();
  if (place->collection() != 0) {
    return refuse(Code::conflict, RefusalReason::is_collection, "This is a collection.");
  }
  if (!place->entry || query.as_collection) return nothing_here();
  const EntryRow& entry = *place->entry;
  if (query.when.match && !matches(*query.when.match, entry.etag, false)) {
    return refuse(Code::precondition_failed, RefusalReason::none, "Its ETag is none of those in If-Match.");
  }
  if (modified_since(query.when, entry)) {
    return refuse(Code::precondition_failed, RefusalReason::none,
                  "It was changed since the date in If-Unmodified-Since.");
  }
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
  return answer(item);
}

ServiceReply query(const ListResources& query, ReadTxn& txn) {
  const auto place = find_for_reading(txn, query.caller, query.path);
  if (!place) return place.error();
  Listing listing;
  if (const std::uint64_t collection = place->collection(); collection != 0) {
    listing.self = collection_info(txn, collection);
    if (query.depth > 0) add_children(txn, collection, query, &listing);
  } else if (place->entry && !query.as_collection) {
    listing.self = info_of(*place->entry);
  } else {
    return nothing_here();
  }
  return answer(listing);
}

}  // namespace pollux
