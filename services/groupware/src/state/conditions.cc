// If-Match, If-None-Match, If-Unmodified-Since (RFC 9110, 13) and If (RFC 4918, 10.4).
#include <algorithm>

#include "state/locks.h"
#include "state/sync_token.h"

namespace pollux {
namespace {

/// What a list of an If header looks at: the ETag of one resource, the tokens of the locks that cover it, and
/// of a collection the sync token that it has now (RFC 6578, 5).
struct Looked {
  std::optional<std::string> etag, sync_token;
  std::vector<Lock> locks;
};

Looked look_at(ReadTxn& txn, WallTime now, const Place& place) {
  Looked looked;
  if (place.entry && !place.entry->collection) looked.etag = place.entry->etag;
  if (const std::uint64_t collection = place.collection(); collection != 0) {
    looked.sync_token =
        make_sync_token(collection, read_needed_row<CounterRow>(txn, counter_key(collection)).change);
  }
  looked.locks = LockBook(txn, place.home, now).covering(place.resource(), place.above);
  return looked;
}

bool holds(const IfCondition& condition, const Looked& looked) {
  const auto is_there = [&](const std::string& token) {
    return token == looked.sync_token ||
           std::ranges::any_of(looked.locks, [&](const Lock& lock) { return lock.token == token; });
  };
  // DAV:no-lock is nobody's token.
  const bool met = condition.tag ? looked.etag && !condition.tag->weak && condition.tag->value == *looked.etag
                                 : is_there(condition.token);
  return met != condition.negated;
}

bool holds(ReadTxn& txn, const Terms& terms, const Place& place, const IfList& list) {
  Looked looked;
  if (!list.tagged) {
    looked = look_at(txn, terms.now, place);
  } else if (list.resource) {
    // What the caller may not see has no tag and no lock for it, like something that does not exist.
    if (const auto other = find_place(txn, terms.caller, *list.resource)) {
      looked = look_at(txn, terms.now, *other);
    }
  }
  return std::ranges::all_of(list.conditions,
                             [&](const IfCondition& condition) { return holds(condition, looked); });
}

}  // namespace

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

std::optional<ServiceReply> check_preconditions(ReadTxn& txn, const Terms& terms, const Place& place,
                                                const std::optional<EntryRow>& there) {
  const Preconditions& when = terms.when;
  if (!when.lists.empty() &&
      std::ranges::none_of(when.lists, [&](const IfList& list) { return holds(txn, terms, place, list); })) {
    return refuse(
        Code::precondition_failed, RefusalReason::none,
        "None of the lists in the If header holds: an ETag, a lock or a sync token is another one now.");
  }
  std::optional<std::string> etag;
  if (there) etag = there->etag;
  if (when.match && !matches(*when.match, etag, false)) {
    return refuse(Code::precondition_failed, RefusalReason::none,
                  etag ? "It was changed since: its ETag is none of those in If-Match."
                       : "There is nothing here that If-Match could match.");
  }
  if (there && modified_since(when, *there)) {
    return refuse(Code::precondition_failed, RefusalReason::none,
                  "It was changed since the date in If-Unmodified-Since.");
  }
  if (when.none_match && matches(*when.none_match, etag, true)) {
    return refuse(Code::precondition_failed, RefusalReason::none,
                  "It exists already, and If-None-Match asked for that not to be so.");
  }
  return std::nullopt;
}

std::optional<ServiceReply> check_preconditions(ReadTxn& txn, const Terms& terms, const Place& place) {
  return check_preconditions(txn, terms, place, place.entry);
}

}  // namespace pollux
