// Queries that look for items: by name, by component and time, by change. Their answers are pages of bounded
// size.
#include <algorithm>

#include "state/entry_peek.h"
#include "state/locks.h"
#include "state/queries.h"
#include "state/time_index.h"

namespace pollux {
namespace {

/// What one item costs in an answer besides its content, about.
constexpr std::size_t item_overhead_bytes = 256;
const FindItems unbounded;

/// The collection that a path names.
std::expected<Place, ServiceReply> find_collection(ReadTxn& txn, const Caller& caller,
                                                   const ResourcePath& path) {
  auto place = find_place(txn, caller, path);
  if (!place) return place;
  if (place->collection() == 0) return std::unexpected(nothing_here());
  return place;
}

class Page {
 public:
  Page(ReadTxn& txn, const Place& place, bool with_content, bool with_dead)
      : txn_(txn), with_content_(with_content), with_dead_(with_dead) {
    const auto row = read_needed_row<CollectionRow>(txn, collection_key(place.collection()));
    const auto counters = read_needed_row<CounterRow>(txn, counter_key(place.collection()));
    found.kind = row.kind;
    found.timezone = row.properties.timezone;
    found.owner = row.owner;
    found.access = place.access;
    found.collection = place.collection();
    found.newest = counters.change;
  }

  FoundItems found;

  [[nodiscard]] bool is_full() const {
    return bytes_ >= GroupwareLimits::page_bytes_max ||
           found.items.size() >= GroupwareLimits::page_entries_max;
  }
  /// False, and nothing added, if the page would be too large with it, and is not empty.
  bool add(const EntryRow& entry) {
    const std::size_t size = item_overhead_bytes + (with_content_ && !entry.collection ? entry.bytes : 0);
    if (!found.items.empty() && bytes_ + size > GroupwareLimits::page_bytes_max) return false;
    FoundItem item{.name = entry.name, .found = true, .info = {}, .content = {}};
    if (entry.collection) {
      item.info = inner_collection(entry);
    } else {
      ItemInfo info = info_of(entry);
      if (with_dead_ && entry.has_dead) {
        info.dead = read_needed_row<DeadRow>(txn_, dead_key(entry.id)).properties;
      }
      item.info = std::move(info);
      if (with_content_) {
        auto content = txn_.get(body_key(entry.id));
        if (!content) throw std::runtime_error("An item's content is missing: verify the audit trail.");
        item.content = std::move(*content);
      }
    }
    bytes_ += size;
    found.items.push_back(std::move(item));
    return true;
  }
  void add_missing(const std::string& name) {
    bytes_ += item_overhead_bytes;
    found.items.push_back({.name = name, .found = false, .info = {}, .content = {}});
  }

 private:
  [[nodiscard]] CollectionInfo inner_collection(const EntryRow& entry) const {
    const auto row = read_needed_row<CollectionRow>(txn_, collection_key(entry.id));
    const auto counters = read_needed_row<CounterRow>(txn_, counter_key(entry.id));
    return {.name = entry.name,
            .kind = row.kind,
            .properties = row.properties,
            .id = entry.id,
            .change = counters.change,
            .items = counters.items,
            .bytes = counters.bytes,
            .created = row.created,
            .modified = counters.modified,
            .owner = row.owner,
            .access = entry.shared_access != Access::none ? entry.shared_access : found.access,
            .shared = entry.shared_access != Access::none,
            .sharing = false,
            .locks = {},
            .quota_bytes = 0,
            .used_bytes = 0};
  }

  ReadTxn& txn_;
  const bool with_content_, with_dead_;
  std::size_t bytes_ = 0;
};

/// Does a search name a time?
bool is_bounded(const FindItems& query) { return query.from_s > unbounded.from_s || query.to_s < unbounded.to_s; }

/// What a search has to look at more closely, in name order: entries for about one page, and where to go on.
class Candidates {
 public:
  Candidates(const FindItems& query, FoundItems& found) : query_(query), found_(found) {}

  std::vector<EntryRow> entries;

  void find_by_time(ReadTxn& txn, std::uint64_t collection) {
    for (const auto& name : names_between(txn, collection, query_.from_s, query_.to_s)) {
      if (!query_.after.empty() && name <= query_.after) continue;
      if (!may_look_at_more()) return;
      auto entry = read_needed_row<EntryRow>(txn, entry_key(collection, name));
      found_.last = name;
      if (is_wanted(entry.component)) take(std::move(entry));
    }
  }

  void scan(ReadTxn& txn, std::uint64_t collection) {
    auto range = collection_range('e', collection);
    if (!query_.after.empty()) range.from = entry_key(collection, query_.after) + '\0';
    // No row is read while the scan holds its place.
    txn.scan(range.from, range.to, [&](std::string_view, std::string_view value) {
      if (!may_look_at_more()) return false;
      const EntryPeek peek = peek_entry(value);
      found_.last = peek.name;
      if (peek.collection || peek.first_s > query_.to_s || peek.last_s < query_.from_s) return true;
      if (is_wanted(peek.component)) take(decode_row<EntryRow>(value));
      return true;
    });
  }

 private:
  bool may_look_at_more() {
    const bool full = looked_at_ == GroupwareLimits::page_scan_max ||
                      entries.size() == GroupwareLimits::page_entries_max || bytes_ > GroupwareLimits::page_bytes_max;
    if (full) found_.more = true;
    ++looked_at_;
    return !full;
  }
  [[nodiscard]] bool is_wanted(std::string_view component) const {
    return query_.component.empty() || component == query_.component;
  }
  void take(EntryRow entry) {
    bytes_ += item_overhead_bytes + (query_.with_content ? entry.bytes : 0);
    entries.push_back(std::move(entry));
  }

  const FindItems& query_;
  FoundItems& found_;
  std::size_t looked_at_ = 0, bytes_ = 0;
};

struct Change {
  std::uint64_t number = 0;
  std::string name;
  bool stored = false;
};

/// The changes up to `up_to` in order: what was stored after `since`, and deleted after `deleted_since`; not
/// more than `limit` and one.
std::vector<Change> changes_between(ReadTxn& txn, std::uint64_t collection, std::uint64_t since,
                                    std::uint64_t deleted_since, std::uint64_t up_to, std::size_t limit) {
  std::vector<Change> changes;
  const auto add = [&](const std::string& from, const std::string& to, bool stored) {
    std::size_t count = 0;
    txn.scan(from, to, [&](std::string_view key, std::string_view name) {
      changes.push_back({number_at_end(key), std::string(name), stored});
      return ++count <= limit;
    });
  };
  if (since < up_to) add(stored_key(collection, since + 1), stored_key(collection, up_to + 1), true);
  if (deleted_since < up_to) {
    add(deleted_key(collection, deleted_since + 1), deleted_key(collection, up_to + 1), false);
  }
  std::ranges::sort(changes, {}, &Change::number);
  if (changes.size() > limit + 1) changes.resize(limit + 1);
  return changes;
}

ServiceReply invalid_token() {
  return refuse(Code::precondition_failed, RefusalReason::invalid_token,
                "The token is not one of this collection, or too old: synchronize from the beginning.");
}

}  // namespace

std::expected<FoundItems, ServiceReply> read_items(const GetItems& query, ReadTxn& txn) {
  const auto place = find_collection(txn, query.caller, query.path);
  if (!place) return std::unexpected(place.error());
  Page page(txn, *place, query.with_content, query.with_dead);
  for (const auto& name : query.names) {
    if (page.is_full()) {
      page.found.more = true;
      break;
    }
    std::optional<EntryRow> entry;
    if (check_resource_name(name)) entry = read_row<EntryRow>(txn, entry_key(place->collection(), name));
    if (!entry || entry->collection) {
      page.add_missing(name);
    } else if (!page.add(*entry)) {
      page.found.more = true;
      break;
    }
  }
  return std::move(page.found);
}

ServiceReply query(const GetItems& query, WallTime, ReadTxn& txn) {
  auto found = read_items(query, txn);
  return found ? answer(*found) : std::move(found.error());
}

ServiceReply query(const FindItems& query, WallTime, ReadTxn& txn) {
  const auto place = find_collection(txn, query.caller, query.path);
  if (!place) return place.error();
  Page page(txn, *place, query.with_content, query.with_dead);
  Candidates candidates(query, page.found);
  if (is_bounded(query) && read_needed_row<CollectionRow>(txn, collection_key(place->collection())).time_index) {
    candidates.find_by_time(txn, place->collection());
  } else {
    candidates.scan(txn, place->collection());
  }
  for (const auto& entry : candidates.entries) {
    if (page.add(entry)) continue;
    page.found.more = true;
    page.found.last = page.found.items.back().name;
    break;
  }
  return answer(page.found);
}

ServiceReply query(const ListChanges& query, WallTime, ReadTxn& txn) {
  const auto place = find_collection(txn, query.caller, query.path);
  if (!place) return place.error();
  const std::uint64_t collection = place->collection();
  const auto counters = read_needed_row<CounterRow>(txn, counter_key(collection));
  const std::uint64_t deleted_since = std::max(query.since, query.deleted_since);
  const bool from_beginning = query.collection == 0;
  if (!from_beginning && (query.collection != collection || deleted_since > counters.change ||
                          deleted_since < counters.sync_floor)) {
    return invalid_token();
  }
  Page page(txn, *place, query.with_content, query.with_dead);
  page.found.newest = query.up_to == 0 ? counters.change : std::min(query.up_to, counters.change);
  page.found.change = page.found.newest;
  const std::size_t limit = std::clamp<std::size_t>(query.limit, 1, GroupwareLimits::page_entries_max);
  const auto changes =
      changes_between(txn, collection, query.since, from_beginning ? page.found.newest : deleted_since,
                      page.found.newest, limit);
  std::uint64_t told = query.since;
  for (std::size_t at = 0; at < changes.size(); ++at) {
    const Change& change = changes[at];
    const auto entry = read_row<EntryRow>(txn, entry_key(collection, change.name));
    // What was deleted and is there again is told where it was stored again.
    const bool tell = change.stored ? entry && entry->change == change.number : !entry;
    if (at == limit || page.is_full() || (tell && change.stored && !page.add(*entry))) {
      page.found.more = true;
      page.found.change = told;
      break;
    }
    if (tell && !change.stored) page.add_missing(change.name);
    told = change.number;
  }
  return answer(page.found);
}

}  // namespace pollux
