#include "state/locks.h"

#include <algorithm>

namespace pollux {
namespace {

/// Locks that may keep a change away, each set by itself: one token of each must have been submitted.
struct Guard {
  std::vector<Lock> locks;
};

bool passes(const Guard& guard, const Caller& caller, const std::set<std::string, std::less<>>& tokens) {
  return guard.locks.empty() || std::ranges::any_of(guard.locks, [&](const Lock& lock) {
           return lock.user == caller.user && tokens.contains(lock.token);
         });
}

/// The collection that has the place's entry, as the locks see it. A second entry is in its own home.
std::vector<Lock> locks_of_parent(ReadTxn& txn, WallTime now, const Place& place, const LockBook& book) {
  if (place.is_second_entry()) return LockBook(txn, place.parent, now).at(place.parent);
  if (place.above.empty()) return {};
  std::vector<std::uint64_t> above(place.above.begin(), place.above.end() - 1);
  return book.covering(place.above.back(), above);
}

}  // namespace

LockBook::LockBook(ReadTxn& txn, std::uint64_t home, WallTime now) {
  const auto range = collection_range('l', home);
  txn.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    auto row = decode_row<LocksRow>(value);
    std::erase_if(row.locks, [&](const Lock& lock) { return lock.expires.us <= now.us; });
    if (!row.locks.empty()) rows_.emplace(number_at_end(key), std::move(row));
    return true;
  });
}

std::vector<Lock> LockBook::at(std::uint64_t resource) const {
  const auto found = rows_.find(resource);
  return found == rows_.end() ? std::vector<Lock>{} : found->second.locks;
}

std::vector<Lock> LockBook::covering(std::uint64_t resource, const std::vector<std::uint64_t>& above) const {
  std::vector<Lock> locks;
  if (rows_.empty()) return locks;
  locks = at(resource);
  for (const std::uint64_t collection : above) {
    if (collection == resource) continue;
    for (auto& lock : at(collection)) {
      if (lock.infinite) locks.push_back(std::move(lock));
    }
  }
  return locks;
}

std::vector<std::uint64_t> LockBook::below(ReadTxn& txn, std::uint64_t collection) const {
  std::vector<std::uint64_t> found;
  for (const auto& [resource, row] : rows_) {
    std::uint64_t up = row.parent;
    while (up != 0 && up != collection) {
      const auto over = read_row<CollectionRow>(txn, collection_key(up));
      up = over ? over->parent : 0;
    }
    if (up == collection) found.push_back(resource);
  }
  return found;
}

std::size_t LockBook::size() const {
  std::size_t count = 0;
  for (const auto& [resource, row] : rows_) count += row.locks.size();
  return count;
}

std::set<std::string, std::less<>> submitted_tokens(const Preconditions& when) {
  std::set<std::string, std::less<>> tokens;
  for (const auto& list : when.lists) {
    for (const auto& condition : list.conditions) {
      if (!condition.tag) tokens.insert(condition.token);
    }
  }
  return tokens;
}

std::optional<ServiceReply> check_locks(ReadTxn& txn, const Terms& terms, const Place& place,
                                        const Touched& touched) {
  const LockBook book(txn, place.home, terms.now);
  if (book.empty() && !place.is_second_entry()) return std::nullopt;
  std::vector<Guard> guards;
  if (touched.itself) guards.push_back({book.covering(place.resource(), place.above)});
  if (touched.member) guards.push_back({locks_of_parent(txn, terms.now, place, book)});
  if (touched.below && place.collection() != 0) {
    for (const std::uint64_t resource : book.below(txn, place.collection())) {
      guards.push_back({book.at(resource)});
    }
  }
  const auto tokens = submitted_tokens(terms.when);
  Refusal refusal{
      .reason = RefusalReason::locked,
      .text = "It is locked, and the lock's token was not sent in an If header by the lock's owner.",
      .name = {},
      .paths = {}};
  for (const auto& guard : guards) {
    if (passes(guard, terms.caller, tokens)) continue;
    for (const auto& lock : guard.locks) {
      if (std::ranges::find(refusal.paths, lock.root) == refusal.paths.end()) {
        refusal.paths.push_back(lock.root);
      }
    }
  }
  if (refusal.paths.empty()) return std::nullopt;
  return refuse(Code::conflict, std::move(refusal));
}

void end_locks(WriteTxn& txn, WallTime now, const Place& place, bool below) {
  const LockBook book(txn, place.home, now);
  if (book.empty()) return;
  txn.erase(locks_key(place.home, place.resource()));
  if (!below || place.collection() == 0) return;
  for (const std::uint64_t resource : book.below(txn, place.collection())) {
    txn.erase(locks_key(place.home, resource));
  }
}

void forget_ended_locks(WriteTxn& txn, std::uint64_t home, WallTime now) {
  std::vector<std::pair<std::string, LocksRow>> stale;
  const auto range = collection_range('l', home);
  txn.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    auto row = decode_row<LocksRow>(value);
    if (std::erase_if(row.locks, [&](const Lock& lock) { return lock.expires.us <= now.us; }) > 0) {
      stale.emplace_back(key, std::move(row));
    }
    return true;
  });
  for (const auto& [key, row] : stale) {
    if (row.locks.empty()) {
      txn.erase(key);
    } else {
      txn.put(key, encode(row));
    }
  }
}

}  // namespace pollux
