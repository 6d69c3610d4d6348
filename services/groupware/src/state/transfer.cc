// TransferResource: COPY and MOVE (RFC 4918, 9.8 and 9.9). Moving changes one entry, whatever is below it.
#include <algorithm>

#include "state/time_index.h"
#include "state/transfer_rules.h"

namespace pollux {
namespace {

/// An item as it will stand in `parent`; what is at `before` is replaced, and keeps its id.
EntryRow copy_item(const EntryRow& source, const std::string& name, const std::optional<EntryRow>& before,
                   std::uint64_t change, WallTime now, WriteTxn& txn) {
  EntryRow entry = source;
  entry.name = name;
  entry.id = before ? before->id : take_id(txn);
  entry.created = before ? before->created : now;
  entry.modified = now;
  entry.change = change;
  const auto body = txn.get(body_key(source.id));
  if (!body) throw std::runtime_error("An item's content is missing: verify the audit trail.");
  entry.etag = make_etag(entry.id, change, *body);
  txn.put(body_key(entry.id), *body);
  if (source.has_dead) {
    txn.put(dead_key(entry.id), txn.get(dead_key(source.id)).value_or(""));
  } else if (before && before->has_dead) {
    txn.erase(dead_key(entry.id));
  }
  return entry;
}

/// Copies what is in `source` into the new collection `target`. Returns the bytes copied.
std::uint64_t copy_children(std::uint64_t source, std::uint64_t target, const std::string& owner,
                            WallTime now, WriteTxn& txn) {
  struct Pair {
    std::uint64_t source, target;
  };
  std::vector<Pair> open{{source, target}};
  std::uint64_t bytes = 0;
  while (!open.empty()) {
    const Pair pair = open.back();
    open.pop_back();
    const auto kind = read_needed_row<CollectionRow>(txn, collection_key(pair.source)).kind;
    std::vector<EntryRow> entries;
    const auto range = collection_range('e', pair.source);
    txn.scan(range.from, range.to, [&](std::string_view, std::string_view value) {
      entries.push_back(decode_row<EntryRow>(value));
      return true;
    });
    for (const auto& entry : entries) {
      if (entry.collection) {
        auto row = read_needed_row<CollectionRow>(txn, collection_key(entry.id));
        row.owner = owner;
        row.parent = pair.target;
        row.name = entry.name;
        row.created = now;
        open.push_back({entry.id, add_collection(row, txn)});
        continue;
      }
      CollectionChange change(pair.target, now, txn);
      const auto copy = copy_item(entry, entry.name, std::nullopt, change.counters.change, now, txn);
      txn.put(entry_key(pair.target, copy.name), encode(copy));
      change_times(txn, pair.target, nullptr, &copy);
      if (keeps_uids(kind)) txn.put(uid_key(pair.target, copy.uid), copy.name);
      ++change.counters.items;
      change.counters.bytes += copy.bytes;
      change.stored(copy.name, std::nullopt);
      change.write();
      bytes += copy.bytes;
    }
  }
  return bytes;
}

void copy_one_item(const Place& from, const Place& to, WallTime now, WriteTxn& txn) {
  CollectionChange change(to.parent, now, txn);
  std::optional<EntryRow> before = to.entry;
  if (before && before->collection) {
    remove_entry(to, now, &change, txn, true);
    before.reset();
  }
  const auto copy = copy_item(*from.entry, to.path.names.back(), before, change.counters.change, now, txn);
  const std::uint64_t bytes_before = before ? before->bytes : 0;
  if (!before) ++change.counters.items;
  change.counters.bytes += copy.bytes - bytes_before;
  txn.put(entry_key(to.parent, copy.name), encode(copy));
  make_time_index(txn, to.parent);
  change_times(txn, to.parent, before ? &*before : nullptr, &copy);
  const auto kind = read_needed_row<CollectionRow>(txn, collection_key(to.parent)).kind;
  if (keeps_uids(kind)) txn.put(uid_key(to.parent, copy.uid), copy.name);
  change.stored(copy.name, to.entry);
  change.write();
  add_usage(txn, to.owner, static_cast<std::int64_t>(copy.bytes) - static_cast<std::int64_t>(bytes_before));
}

void copy_collection(const TransferResource& request, const Place& from, const Place& to, WallTime now,
                     WriteTxn& txn) {
  if (to.entry) {
    CollectionChange change(to.parent, now, txn);
    remove_entry(to, now, &change, txn, true);
    // For those who synchronize it is the new collection's entry that replaces it.
    txn.erase(stored_key(to.parent, to.entry->change));
    change.write();
  }
  auto row = read_needed_row<CollectionRow>(txn, collection_key(from.collection()));
  row.owner = to.owner;
  row.parent = to.parent;
  row.name = to.path.names.back();
  row.created = now;
  const std::uint64_t id = add_collection(row, txn);
  if (request.shallow) return;
  const std::uint64_t bytes = copy_children(from.collection(), id, to.owner, now, txn);
  add_usage(txn, to.owner, static_cast<std::int64_t>(bytes));
}

/// The rows that say where a collection is.
void rename_collection(const Place& from, const Place& to, WriteTxn& txn) {
  if (from.is_second_entry()) {
    const std::string key = grant_key(from.entry->id, from.path.user);
    auto grant = read_needed_row<GrantRow>(txn, key);
    grant.name = to.path.names.back();
    txn.put(key, encode(grant));
    return;
  }
  auto row = read_needed_row<CollectionRow>(txn, collection_key(from.entry->id));
  row.parent = to.parent;
  row.name = to.path.names.back();
  txn.put(collection_key(from.entry->id), encode(row));
}

void move_resource(const Place& from, const Place& to, WallTime now, WriteTxn& txn) {
  if (!from.is_second_entry()) end_locks(txn, now, from, true);
  EntryRow entry = *from.entry;
  const auto bytes = static_cast<std::int64_t>(entry.bytes);
  {
    CollectionChange leaving(from.parent, now, txn);
    --leaving.counters.items;
    leaving.counters.bytes -= entry.bytes;
    txn.erase(entry_key(from.parent, entry.name));
    if (!entry.uid.empty() && txn.get(uid_key(from.parent, entry.uid)) == entry.name) {
      txn.erase(uid_key(from.parent, entry.uid));
    }
    change_times(txn, from.parent, &entry, nullptr);
    leaving.deleted(entry);
    leaving.write();
  }
  CollectionChange arriving(to.parent, now, txn);
  if (to.entry) remove_entry(to, now, &arriving, txn, true);
  entry.name = to.path.names.back();
  entry.change = arriving.counters.change;
  ++arriving.counters.items;
  arriving.counters.bytes += entry.bytes;
  txn.put(entry_key(to.parent, entry.name), encode(entry));
  make_time_index(txn, to.parent);
  change_times(txn, to.parent, nullptr, &entry);
  if (entry.collection) {
    rename_collection(from, to, txn);
  } else if (keeps_uids(read_needed_row<CollectionRow>(txn, collection_key(to.parent)).kind)) {
    txn.put(uid_key(to.parent, entry.uid), entry.name);
  }
  arriving.stored(entry.name, to.entry);
  arriving.write();
  if (from.owner != to.owner && !entry.collection) {
    add_usage(txn, from.owner, -bytes);
    add_usage(txn, to.owner, bytes);
  }
}

}  // namespace

ServiceReply execute(const TransferResource& request, WallTime now, WriteTxn& txn) {
  const auto from = find_place(txn, request.caller, request.from);
  if (!from) return from.error();
  const auto to = find_place(txn, request.caller, request.to);
  if (!to) return to.error();
  if (auto refused = check_transfer(request, *from, *to, now, txn)) return *refused;
  if (request.move) {
    move_resource(*from, *to, now, txn);
  } else if (from->collection() != 0) {
    copy_collection(request, *from, *to, now, txn);
  } else {
    copy_one_item(*from, *to, now, txn);
  }
  return answer(Stored{.etag = {}, .created = !to->entry, .modified = now});
}

}  // namespace pollux
