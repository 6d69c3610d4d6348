#include "state/changes.h"

#include <algorithm>

#include "state/time_index.h"

namespace pollux {

ServiceReply refuse(Code code, RefusalReason reason, std::string text, std::string name) {
  return {code, encode(Refusal{reason, std::move(text), std::move(name), {}})};
}

ServiceReply refuse(Code code, Refusal refusal) { return {code, encode(refusal)}; }

std::uint64_t take_id(WriteTxn& txn) {
  MetaRow meta;
  if (const auto row = read_row<MetaRow>(txn, meta_key())) meta = *row;
  if (meta.format > state_format) {
    throw std::runtime_error("The groupware data has format " + std::to_string(meta.format) +
                             ", and this program knows " + std::to_string(state_format) + ": upgrade it.");
  }
  meta.format = state_format;
  const std::uint64_t id = meta.next_id++;
  txn.put(meta_key(), encode(meta));
  return id;
}

std::uint64_t make_collection_rows(CollectionRow row, WriteTxn& txn) {
  const std::uint64_t id = take_id(txn);
  row.time_index = row.kind == CollectionKind::calendar;
  txn.put(collection_key(id), encode(row));
  txn.put(counter_key(id), encode(CounterRow{.modified = row.created}));
  return id;
}

std::uint64_t add_collection(const CollectionRow& row, WriteTxn& txn) {
  const std::uint64_t id = make_collection_rows(row, txn);
  CollectionChange change(row.parent, row.created, txn);
  txn.put(entry_key(row.parent, row.name), encode(EntryRow{.name = row.name,
                                                           .id = id,
                                                           .collection = true,
                                                           .created = row.created,
                                                           .modified = row.created,
                                                           .change = change.counters.change}));
  ++change.counters.items;
  change.stored(row.name, std::nullopt);
  change.write();
  return id;
}

std::size_t size_of(const std::vector<DeadProperty>& properties) {
  std::size_t size = 0;
  for (const auto& dead : properties) size += dead.space.size() + dead.name.size() + dead.xml.size();
  return size;
}

std::size_t size_of(const CollectionProperties& properties) {
  std::size_t size = properties.display_name.size() + properties.description.size() +
                     properties.color.size() + properties.order.size() + properties.timezone.size();
  for (const auto& component : properties.components) size += component.size();
  return size + size_of(properties.dead);
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

std::optional<ServiceReply> check_write(const Place& place) {
  if (place.access >= Access::write) return std::nullopt;
  return refuse(Code::forbidden, RefusalReason::read_only,
                "\"" + place.owner + "\" has shared this with you for reading only.");
}

std::optional<ServiceReply> check_quota(ReadTxn& txn, const std::string& owner, std::uint64_t more) {
  const auto principal = read_needed_row<PrincipalRow>(txn, principal_key(owner));
  if (principal.quota_bytes == 0 || more == 0) return std::nullopt;
  const std::uint64_t used = used_bytes(txn, owner, principal);
  if (used <= principal.quota_bytes && more <= principal.quota_bytes - used) return std::nullopt;
  return refuse(Code::insufficient, RefusalReason::quota,
                "The user \"" + owner + "\" may store " + std::to_string(principal.quota_bytes) +
                    " bytes, and that would be more: delete something first.");
}

void add_usage(WriteTxn& txn, const std::string& user, std::int64_t bytes) {
  if (bytes == 0) return;
  auto usage = read_row<UsageRow>(txn, usage_key(user));
  if (!usage) return;  // of format 1: it is counted when the homes are made
  const auto size = static_cast<std::uint64_t>(bytes < 0 ? -bytes : bytes);
  if (bytes < 0) {
    usage->bytes -= std::min(usage->bytes, size);
  } else {
    usage->bytes += size;
  }
  txn.put(usage_key(user), encode(*usage));
}

void remove_entry(const Place& place, WallTime now, CollectionChange* change, WriteTxn& txn, bool replaced) {
  const EntryRow& entry = *place.entry;
  --change->counters.items;
  change->counters.bytes -= std::min(change->counters.bytes, entry.bytes);
  txn.erase(entry_key(place.parent, entry.name));
  if (!replaced) change->deleted(entry);
  if (place.is_second_entry()) {  // the collection itself stays where it lives
    txn.erase(grant_key(entry.id, place.path.user));
    return;
  }
  end_locks(txn, now, place, true);
  if (entry.collection) {
    if (place.path.names.size() == 1) end_sharing(entry.id, now, txn);
    put_into_trash(txn, entry.id, place.owner);
    return;
  }
  change_times(txn, place.parent, &entry, nullptr);
  txn.erase(body_key(entry.id));
  if (entry.has_dead) txn.erase(dead_key(entry.id));
  if (!entry.uid.empty() && txn.get(uid_key(place.parent, entry.uid)) == entry.name) {
    txn.erase(uid_key(place.parent, entry.uid));
  }
  add_usage(txn, place.owner, -static_cast<std::int64_t>(entry.bytes));
}

}  // namespace pollux
