// Locks (RFC 4918, 6 and 7): which of them cover a resource, and whether a change may go on.
#pragma once

#include <map>
#include <set>

#include "state/state.h"

namespace pollux {

/// The locks of one home that have not ended.
class LockBook {
 public:
  LockBook(ReadTxn& txn, std::uint64_t home, WallTime now);

  /// The locks made for the resource itself.
  [[nodiscard]] std::vector<Lock> at(std::uint64_t resource) const;
  /// Those, and the infinitely deep ones of the collections over it. `resource` 0: something new.
  [[nodiscard]] std::vector<Lock> covering(std::uint64_t resource,
                                           const std::vector<std::uint64_t>& above) const;
  /// Resources with locks that lie in the collection, at any depth.
  [[nodiscard]] std::vector<std::uint64_t> below(ReadTxn& txn, std::uint64_t collection) const;
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::size_t size() const;

 private:
  std::map<std::uint64_t, LocksRow> rows_;
};

/// On whose behalf, when, and under which conditions something is changed.
struct Terms {
  const Caller& caller;
  const Preconditions& when;
  WallTime now;
};

/// What of a resource is changed, as far as locks protect it.
struct Touched {
  bool itself = true;   ///< its content or properties
  bool member = false;  ///< it appears in its collection, or vanishes from there
  bool below = false;   ///< everything in it
};
/// None: go on. Otherwise conflict/locked with the roots of the locks whose tokens are missing.
std::optional<ServiceReply> check_locks(ReadTxn& txn, const Terms& terms, const Place& place,
                                        const Touched& touched);

/// The conditions of a request before a change: If, If-Match, If-None-Match, If-Unmodified-Since. `there`:
/// what they are about, if it exists. None: go on.
std::optional<ServiceReply> check_preconditions(ReadTxn& txn, const Terms& terms, const Place& place,
                                                const std::optional<EntryRow>& there);
/// As above, with what is at the place.
std::optional<ServiceReply> check_preconditions(ReadTxn& txn, const Terms& terms, const Place& place);

/// True if the entry was stored after the second that If-Unmodified-Since names, and that header counts
/// (RFC 9110, 13.1.4 and 13.2.2: not beside If-Match).
bool modified_since(const Preconditions& when, const EntryRow& entry);

/// The tokens that a request has submitted (RFC 4918, 10.4.1).
std::set<std::string, std::less<>> submitted_tokens(const Preconditions& when);

/// A resource, and with `below` everything in it, goes elsewhere or away: its locks end.
void end_locks(WriteTxn& txn, WallTime now, const Place& place, bool below);
/// Erases what has ended in the home.
void forget_ended_locks(WriteTxn& txn, std::uint64_t home, WallTime now);

}  // namespace pollux
