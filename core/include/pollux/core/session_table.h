// The session table: which requests of which sessions were executed, and what was answered.
//
// Replicated state like any other: it changes only by records, the same way on both members, and is
// stored with the service's tables. Not thread-safe.
#pragma once

#include <boost/container/deque.hpp>
#include <boost/container/flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "pollux/core/record.h"

namespace pollux {

struct StoredReply {
  Lsn lsn;  ///< of the record that made it
  Code code = Code::ok;
  std::string reply;
  bool operator==(const StoredReply&) const = default;
};

/// By seq. They come in nearly at the end and go at the front, so a deque in order does it without a node for each.
using Replies = boost::container::flat_map<std::uint64_t, StoredReply, std::less<>,
                                           boost::container::deque<std::pair<std::uint64_t, StoredReply>>>;

struct Session {
  WallTime opened;
  WallTime last_used;                             ///< time of its newest record
  std::uint64_t ack_below = 1;                    ///< replies below are no longer kept
  Replies replies;                                ///< by seq, all >= ack_below
  std::size_t reply_bytes = 0;                    ///< of all replies; kept by SessionTable, not stored
  bool operator==(const Session&) const = default;
};

class SessionTable {
 public:
  /// Applies one record. Records come in LSN order, each once.
  void apply(const RecordView& record);

  [[nodiscard]] const Session* find(const SessionId& id) const;
  [[nodiscard]] std::size_t size() const { return sessions_.size(); }
  [[nodiscard]] const std::unordered_map<SessionId, Session>& all() const { return sessions_; }

  /// Puts a stored session back (recovery, snapshot).
  void restore(const SessionId& id, Session session);
  void clear();

  /// Sessions changed or removed since the last call: what `audit` has to rewrite.
  [[nodiscard]] std::unordered_set<SessionId> take_dirty();

 private:
  std::unordered_map<SessionId, Session> sessions_;
  std::unordered_set<SessionId> dirty_;
};

}  // namespace pollux
