#include "state/time_index.h"

#include <algorithm>
#include <array>
#include <limits>

#include "state/changes.h"
#include "state/keys.h"

namespace pollux {
namespace {

constexpr std::int64_t day_s = 24 * 60 * 60;
constexpr std::int64_t endless_s = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least_s = std::numeric_limits<std::int64_t>::min();
/// The longest bounds of each level.
constexpr std::array<std::int64_t, 6> level_lengths{day_s, 8 * day_s, 64 * day_s, 512 * day_s, 4096 * day_s, endless_s};

/// Saturates: bounds may be the ends of what a number can hold.
std::int64_t difference(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (!__builtin_sub_overflow(a, b, &result)) return result;
  return a < b ? least_s : endless_s;
}

std::size_t level_of(const EntryRow& item) {
  const std::int64_t length = difference(item.last_s, item.first_s);
  const auto level = std::ranges::find_if(level_lengths, [&](std::int64_t longest) { return length <= longest; });
  return static_cast<std::size_t>(level - level_lengths.begin());
}

/// What a search finds: the last second, then the name.
std::string time_value(const EntryRow& item) { return ordered_number(item.last_s) + item.name; }

bool has_times(const EntryRow& entry) {
  return !entry.collection && !entry.component.empty() && entry.component != vcard_component;
}

std::string time_key(std::uint64_t collection, const EntryRow& item) {
  return time_level_key(collection, level_of(item), item.first_s) + ordered_number(static_cast<std::int64_t>(item.id));
}

}  // namespace

void change_times(WriteTxn& txn, std::uint64_t collection, const EntryRow* before, const EntryRow* after) {
  const auto key_of_item = [&](const EntryRow* item) {
    return item != nullptr && has_times(*item) ? time_key(collection, *item) : std::string();
  };
  const std::string old_key = key_of_item(before);
  const std::string new_key = key_of_item(after);
  if (!old_key.empty() && old_key != new_key) txn.erase(old_key);
  if (new_key.empty()) return;
  const std::string value = time_value(*after);
  if (old_key != new_key || time_value(*before) != value) txn.put(new_key, value);
}

void make_time_index(WriteTxn& txn, std::uint64_t collection) {
  auto row = read_needed_row<CollectionRow>(txn, collection_key(collection));
  if (row.time_index || row.kind != CollectionKind::calendar) return;
  if (read_needed_row<CounterRow>(txn, counter_key(collection)).items > GroupwareLimits::time_index_items_max) return;
  const auto range = collection_range('e', collection);
  std::vector<EntryRow> entries;
  txn.scan(range.from, range.to, [&](std::string_view, std::string_view value) {
    entries.push_back(decode_row<EntryRow>(value));
    return true;
  });
  for (const EntryRow& entry : entries) change_times(txn, collection, nullptr, &entry);
  row.time_index = true;
  txn.put(collection_key(collection), encode(row));
}

std::vector<std::string> names_between(ReadTxn& txn, std::uint64_t collection, std::int64_t from_s, std::int64_t to_s) {
  std::vector<std::string> names;
  for (std::size_t level = 0; level < level_lengths.size(); ++level) {
    const std::int64_t length = level_lengths[level];
    const std::string from = time_level_key(collection, level, length == endless_s ? least_s : difference(from_s, length));
    const std::string to = time_level_key(collection, level, to_s) + std::string(sizeof to_s + 1, '\xff');
    txn.scan(from, to, [&](std::string_view, std::string_view value) {
      if (number_of_ordered(value) >= from_s) names.emplace_back(value.substr(sizeof from_s));
      return true;
    });
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace pollux
