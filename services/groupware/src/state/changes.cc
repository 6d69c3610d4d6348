#include "state/changes.h"

namespace pollux {

ServiceReply refuse(Code code, RefusalReason reason, std::string text, std::string name) {
  return {code, encode(Refusal{reason, std::move(text), std::move(name)})};
}

std::expected<PrincipalRow, ServiceReply> admit(ReadTxn& txn, const Caller& caller) {
  std::optional<PrincipalRow> principal;
  if (check_user_name(caller.user)) principal = read_row<PrincipalRow>(txn, principal_key(caller.user));
  if (!principal && caller.credential_version == 0) {
    return std::unexpected(
        refuse(Code::not_found, RefusalReason::none, "There is no user \"" + caller.user + "\"."));
  }
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
  if (path.user != caller.user) {
    return std::unexpected(
        refuse(Code::forbidden, RefusalReason::not_yours, "This belongs to another user, if it exists."));
  }
  if (path.space != DavSpace::calendars || path.names.size() > GroupwareLimits::path_depth_max) {
    return std::unexpected(
        refuse(Code::forbidden, RefusalReason::wrong_place, "Nothing can be stored here."));
  }
  for (const auto& name : path.names) {
    if (const auto good = check_resource_name(name); !good) {
      return std::unexpected(refuse(Code::invalid_argument, RefusalReason::bad_name, good.error().text));
    }
  }
  Place place{.owner = std::move(*principal), .parent = 0, .entry = {}};
  std::uint64_t collection = place.owner.calendars;
  for (std::size_t depth = 0; depth < path.names.size(); ++depth) {
    if (collection == 0) {
      return std::unexpected(
          refuse(Code::conflict, RefusalReason::no_parent,
                 "There is no collection \"" + path.names[depth - 1] + "\" here: make it first."));
    }
    place.parent = collection;
    place.entry = read_row<EntryRow>(txn, entry_key(collection, path.names[depth]));
    collection = place.collection();
  }
  return place;
}

bool matches(const TagList& list, const std::optional<std::string>& etag, bool weak_too) {
  if (list.any) return etag.has_value();
  if (!etag || etag->empty()) return false;
  for (const auto& tag : list.tags) {
    if ((weak_too || !tag.weak) && tag.value == *etag) return true;
  }
  return false;
}

bool modified_since(const Preconditions& when, const EntryRow& entry) {
  return !when.match && when.unmodified_since_s && entry.modified.us / 1'000'000 > *when.unmodified_since_s;
}

std::optional<ServiceReply> check_preconditions(const Preconditions& when,
                                                const std::optional<EntryRow>& entry) {
  std::optional<std::string> etag;
  if (entry) etag = entry->etag;
  if (when.match && !matches(*when.match, etag, false)) {
    return refuse(Code::precondition_failed, RefusalReason::none,
                  etag ? "It was changed since: its ETag is none of those in If-Match."
                       : "There is nothing here that If-Match could match.");
  }
  if (entry && modified_since(when, *entry)) {
    return refuse(Code::precondition_failed, RefusalReason::none,
                  "It was changed since the date in If-Unmodified-Since.");
  }
  if (when.none_match && matches(*when.none_match, etag, true)) {
    return refuse(Code::precondition_failed, RefusalReason::none,
                  "It exists already, and If-None-Match asked for that not to be so.");
  }
  return std::nullopt;
}

std::uint64_t take_id(WriteTxn& txn) {
  MetaRow meta;
  if (const auto row = read_row<MetaRow>(txn, meta_key())) meta = *row;
  if (meta.format != state_format) {
    throw std::runtime_error("The groupware data has format " + std::to_string(meta.format) +
                             ", and this program knows " + std::to_string(state_format) + ": upgrade it.");
  }
  const std::uint64_t id = meta.next_id++;
  txn.put(meta_key(), encode(meta));
  return id;
}

std::uint64_t make_collection_rows(CollectionRow row, WriteTxn& txn) {
  const std::uint64_t id = take_id(txn);
  txn.put(collection_key(id), encode(row));
  txn.put(counter_key(id), encode(CounterRow{.modified = row.created}));
  return id;
}

CollectionChange::CollectionChange(std::uint64_t collection, WallTime now, WriteTxn& txn)
    : counters(read_needed_row<CounterRow>(txn, counter_key(collection))),
      collection_(collection),
      txn_(txn) {
  ++counters.change;
  counters.modified = now;
}

void CollectionChange::stored(const std::string& name, const std::optional<EntryRow>& before) {
  if (before) txn_.erase(stored_key(collection_, before->change));
  txn_.put(stored_key(collection_, counters.change), name);
}

void CollectionChange::deleted(const EntryRow& before) {
  txn_.erase(stored_key(collection_, before.change));
  txn_.put(deleted_key(collection_, counters.change), before.name);
  if (++counters.tombstones <= GroupwareLimits::tombstones_max) return;
  const auto range = collection_range('t', collection_);
  std::string oldest;
  txn_.scan(range.from, range.to, [&](std::string_view key, std::string_view) {
    oldest = key;
    return false;
  });
  if (oldest.empty()) return;
  counters.sync_floor = number_at_end(oldest);
  --counters.tombstones;
  txn_.erase(oldest);
}

void CollectionChange::write() { txn_.put(counter_key(collection_), encode(counters)); }

}  // namespace pollux
