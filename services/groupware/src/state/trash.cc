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

/// Entries first: they say which bodies and which collections below go with them.
std::size_t purge_entries(std::uint64_t collection, std::size_t budget, WriteTxn& txn) {
  const auto range = collection_range('e', collection);
  std::vector<std::pair<std::string, EntryRow>> entries;
  txn.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    entries.emplace_back(key, decode_row<EntryRow>(value));
    return entries.size() * 2 < budget;
  });
  for (const auto& [key, entry] : entries) {
    txn.erase(key);
    if (entry.collection) {
      txn.put(trash_key(entry.id), "");
    } else {
      txn.erase(body_key(entry.id));
    }
  }
  return entries.size() * 2;
}

}  // namespace

void purge_trash(WriteTxn& txn) {
  std::size_t budget = GroupwareLimits::trash_rows_per_request;
  while (budget > 0) {
    const auto trash = first_keys(txn, table_range('z'), 1);
    if (trash.empty()) return;
    const std::uint64_t collection = number_at_end(trash[0]);
    const std::size_t used = purge_entries(collection, budget, txn);
    budget -= std::min(budget, used);
    if (used > 0) continue;
    for (const char table : {'i', 's', 't'}) {
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
