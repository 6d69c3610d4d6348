// Erases what is left of deleted collections, some rows with every request.
#include <vector>

#include "state/changes.h"

namespace pollux {
namespace {

std::vector<std::string> first_keys(ReadTxn& txn, const KeyRange& range, std::size_t count) {
  std::vector<std::string> keys;
  if (count == 0) return keys;
  txn.scan(range.from, range.to, [&](std::string_view key, std::string_view) {
    keys.emplace_back(key);
    return keys.size() < count;
  });
  return keys;
}

/// Entries first: they say which bodies and which collections below go with them. `owner`: whose usage they
/// count for; empty: nobody's any more.
std::size_t purge_entries(std::uint64_t collection, const std::string& owner, std::size_t budget,
                          WriteTxn& txn) {
  constexpr std::size_t rows_of_entry = 3;
  const auto range = collection_range('e', collection);
  std::vector<std::pair<std::string, EntryRow>> entries;
  txn.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    entries.emplace_back(key, decode_row<EntryRow>(value));
    return entries.size() * rows_of_entry < budget;
  });
  std::int64_t bytes = 0;
  for (const auto& [key, entry] : entries) {
    txn.erase(key);
    if (entry.collection) {
      if (entry.shared_access == Access::none) txn.put(trash_key(entry.id), owner);
    } else {
      txn.erase(body_key(entry.id));
      if (entry.has_dead) txn.erase(dead_key(entry.id));
      bytes += static_cast<std::int64_t>(entry.bytes);
    }
  }
  if (!owner.empty()) add_usage(txn, owner, -bytes);
  return entries.size() * rows_of_entry;
}

}  // namespace

void put_into_trash(WriteTxn& txn, std::uint64_t collection, const std::string& owner) {
  // A user that is removed has no usage, and neither has one of that name that is added later to do with
  // this.
  const bool counts = txn.get(principal_key(owner)) && txn.get(usage_key(owner));
  txn.put(trash_key(collection), counts ? owner : "");
}

void purge_trash(WriteTxn& txn) {
  std::size_t budget = GroupwareLimits::trash_rows_per_request;
  while (budget > 0) {
    const auto trash = first_keys(txn, table_range('z'), 1);
    if (trash.empty()) return;
    const std::uint64_t collection = number_at_end(trash[0]);
    const std::size_t used = purge_entries(collection, txn.get(trash[0]).value_or(""), budget, txn);
    budget -= std::min(budget, used);
    if (used > 0) continue;
    for (const char table : {'i', 's', 't', 'x'}) {
      for (const auto& key : first_keys(txn, collection_range(table, collection), budget)) {
        txn.erase(key);
        --budget;
      }
    }
    if (budget == 0) return;
    txn.erase(collection_key(collection));
    txn.erase(counter_key(collection));
    txn.erase(trash[0]);
    --budget;
  }
}

}  // namespace pollux
