// LockResource, RefreshLock, UnlockResource (RFC 4918, 9.10 and 9.11).
#include <algorithm>

#include "state/changes.h"

namespace pollux {
namespace {

WallTime end_of(WallTime now, std::uint64_t timeout_s) {
  return {now.us + static_cast<std::int64_t>(timeout_s) * 1'000'000};
}

std::uint64_t bounded(std::uint64_t timeout_s) {
  return std::clamp<std::uint64_t>(timeout_s, 1, GroupwareLimits::lock_timeout_s_max);
}

/// Locks that do not go together with the one asked for.
std::optional<ServiceReply> check_conflicts(const LockResource& request, const Place& place,
                                            const LockBook& book, WriteTxn& txn) {
  std::vector<Lock> others = book.covering(place.resource(), place.above);
  if (request.infinite && place.collection() != 0) {
    for (const std::uint64_t resource : book.below(txn, place.collection())) {
      for (auto& lock : book.at(resource)) others.push_back(std::move(lock));
    }
  }
  Refusal refusal{.reason = RefusalReason::lock_conflict,
                  .text = "There is a lock already that does not go together with this one.",
                  .name = {},
                  .paths = {}};
  for (const auto& lock : others) {
    if (request.shared && lock.shared) continue;
    if (std::ranges::find(refusal.paths, lock.root) == refusal.paths.end()) {
      refusal.paths.push_back(lock.root);
    }
  }
  if (refusal.paths.empty()) return std::nullopt;
  return refuse(Code::conflict, std::move(refusal));
}

/// RFC 4918, 7.3. A calendar or an address book has no empty items.
std::expected<EntryRow, ServiceReply> make_empty_item(const Place& place, const Terms& terms, WriteTxn& txn) {
  if (place.lacks_parent()) return std::unexpected(no_parent(txn, place));
  if (place.path.space != DavSpace::files) {
    return std::unexpected(refuse(Code::forbidden, RefusalReason::not_a_calendar_item,
                                  "Only what exists can be locked here: a lock would make an empty item, and "
                                  "calendars and address books have none."));
  }
  if (auto refused = check_locks(txn, terms, place, {.itself = true, .member = true})) {
    return std::unexpected(std::move(*refused));
  }
  CollectionChange change(place.parent, terms.now, txn);
  EntryRow entry{.name = place.path.names.back(),
                 .id = take_id(txn),
                 .collection = false,
                 .etag = {},
                 .content_type = "application/octet-stream",
                 .component = {},
                 .uid = {},
                 .bytes = 0,
                 .created = terms.now,
                 .modified = terms.now,
                 .change = change.counters.change};
  entry.etag = make_etag(entry.id, entry.change, {});
  txn.put(entry_key(place.parent, entry.name), encode(entry));
  txn.put(body_key(entry.id), "");
  ++change.counters.items;
  change.stored(entry.name, std::nullopt);
  change.write();
  return entry;
}

std::optional<ServiceReply> check_fields(const LockResource& request) {
  if (!request.token.empty() && request.token.size() <= GroupwareLimits::lock_token_bytes_max &&
      request.owner_xml.size() <= GroupwareLimits::lock_owner_bytes_max) {
    return std::nullopt;
  }
  return refuse(Code::invalid_argument, RefusalReason::too_many,
                "What DAV:owner says about a lock is at most " +
                    std::to_string(GroupwareLimits::lock_owner_bytes_max) + " bytes.");
}

}  // namespace

ServiceReply execute(const LockResource& request, WallTime now, WriteTxn& txn) {
  auto place = find_place(txn, request.caller, request.path);
  if (!place) return place.error();
  if (auto refused = check_write(*place)) return *refused;
  if (auto refused = check_fields(request)) return *refused;
  if (place->entry && !place->entry->collection && request.as_collection) return nothing_here();
  const Terms terms{request.caller, request.when, now};
  if (auto refused = check_preconditions(txn, terms, *place)) return *refused;
  forget_ended_locks(txn, place->home, now);
  const LockBook book(txn, place->home, now);
  if (auto refused = check_conflicts(request, *place, book, txn)) return *refused;
  if (book.size() >= GroupwareLimits::locks_max) {
    return refuse(Code::insufficient, RefusalReason::too_many,
                  "A home has room for " + std::to_string(GroupwareLimits::locks_max) + " locks.");
  }
  const bool created = place->resource() == 0;
  if (created) {
    auto made = make_empty_item(*place, terms, txn);
    if (!made) return made.error();
    place->entry = std::move(*made);
  }
  const std::uint64_t timeout_s = bounded(request.timeout_s);
  Lock lock{.token = request.token,
            .shared = request.shared,
            .infinite = request.infinite,
            .owner_xml = request.owner_xml,
            .user = request.caller.user,
            .timeout_s = timeout_s,
            .expires = end_of(now, timeout_s),
            .root = request.path};
  const std::string key = locks_key(place->home, place->resource());
  auto row = read_row<LocksRow>(txn, key).value_or(LocksRow{});
  // A second entry's collection has the parent that it has in its owner's home.
  row.parent = place->above.empty() || place->is_home() ? 0 : place->above.back();
  row.locks.push_back(lock);
  txn.put(key, encode(row));
  return answer(LockReply{std::move(lock), created});
}

namespace {

/// The row that has a lock with one of these tokens, which the caller may use, and which covers the place.
struct Found {
  std::string key;
  LocksRow row;
  std::size_t at = 0;
};
template <class Tokens>
std::optional<Found> find_lock(ReadTxn& txn, WallTime now, const Place& place, const Tokens& tokens) {
  std::vector<std::uint64_t> resources = place.above;
  if (place.resource() != 0) resources.push_back(place.resource());
  for (const std::uint64_t resource : resources) {
    Found found{.key = locks_key(place.home, resource), .row = {}, .at = 0};
    const auto row = read_row<LocksRow>(txn, found.key);
    if (!row) continue;
    found.row = *row;
    for (; found.at < found.row.locks.size(); ++found.at) {
      const Lock& lock = found.row.locks[found.at];
      if (lock.expires.us > now.us && tokens.contains(lock.token) &&
          (resource == place.resource() || lock.infinite)) {
        return found;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

ServiceReply execute(const RefreshLock& request, WallTime now, WriteTxn& txn) {
  const auto place = find_place(txn, request.caller, request.path);
  if (!place) return place.error();
  if (place->resource() == 0) return nothing_here();
  const Terms terms{request.caller, request.when, now};
  if (auto refused = check_preconditions(txn, terms, *place)) return *refused;
  auto found = find_lock(txn, now, *place, submitted_tokens(request.when));
  if (!found) {
    return refuse(Code::precondition_failed, RefusalReason::no_such_lock,
                  "The If header names no lock of this resource that could be refreshed: it may have ended.");
  }
  Lock& lock = found->row.locks[found->at];
  if (lock.user != request.caller.user) {
    return refuse(Code::forbidden, RefusalReason::read_only, "Another user has made this lock.");
  }
  lock.timeout_s = bounded(request.timeout_s);
  lock.expires = end_of(now, lock.timeout_s);
  txn.put(found->key, encode(found->row));
  return answer(LockReply{lock, false});
}

ServiceReply execute(const UnlockResource& request, WallTime now, WriteTxn& txn) {
  const auto place = find_place(txn, request.caller, request.path);
  if (!place) return place.error();
  if (place->resource() == 0) return nothing_here();
  const Terms terms{request.caller, request.when, now};
  if (auto refused = check_preconditions(txn, terms, *place)) return *refused;
  auto found = find_lock(txn, now, *place, std::set<std::string, std::less<>>{request.token});
  if (!found) {
    return refuse(Code::conflict, RefusalReason::no_such_lock,
                  "There is no lock with that token on this resource: it may have ended.");
  }
  // DAV:unlock of RFC 3744, 3.5: the owner of a resource may break the locks that others have put on it.
  if (found->row.locks[found->at].user != request.caller.user && place->access != Access::owner) {
    return refuse(Code::forbidden, RefusalReason::read_only, "Another user has made this lock.");
  }
  found->row.locks.erase(found->row.locks.begin() + static_cast<std::ptrdiff_t>(found->at));
  if (found->row.locks.empty()) {
    txn.erase(found->key);
  } else {
    txn.put(found->key, encode(found->row));
  }
  return answer(Stored{.etag = {}, .created = false, .modified = now});
}

}  // namespace pollux
