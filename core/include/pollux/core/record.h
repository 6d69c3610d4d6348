// The audit record: one executed transaction, as it stands in the trail of both members.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pollux/core/hash.h"
#include "pollux/core/result.h"
#include "pollux/core/types.h"

namespace pollux {

/// One row set or erased. Keys are 1 to 480 bytes (LMDB's limit less ours).
struct Change {
  std::string key;
  std::optional<std::string> value;  ///< none: erased
  bool operator==(const Change&) const = default;
};

enum class RecordKind : std::uint8_t {
  request = 1,          ///< a request was executed (or aborted, quarantined: see `code`)
  session_opened = 2,   ///< `sync.session` is the new session
  session_closed = 3,   ///< by its requester, or expired
  tombstone = 4,        ///< `sync` was asked about before it was seen; it may never execute
  leads = 5,            ///< a new primary's first record (I9)
};

/// What a `leads` record says: who leads, and what was committed when it began.
struct Leads {
  Epoch epoch;
  MemberId primary;
  std::optional<MemberId> backup;
  Position commit_base;
  std::string reason;
  bool operator==(const Leads&) const = default;
};

struct Record {
  Lsn lsn;
  Epoch epoch;
  WallTime time;                 ///< max(previous record's, now)
  RecordKind kind = RecordKind::request;
  SyncId sync;                   ///< none in `leads`
  std::uint64_t ack_below = 0;   ///< the requester no longer needs replies below this seq
  std::uint64_t trace = 0;       ///< the caller's trace id, 0 if none
  std::vector<Change> changes;   ///< empty if aborted
  Code code = Code::ok;          ///< of the reply
  std::string reply;
  std::optional<Leads> leads;
  bool operator==(const Record&) const = default;
};

/// A record with the very bytes that are hashed, stored and sent. Immutable, shared by the threads.
struct SealedRecord {
  Record record;
  std::string bytes;  ///< encoded once (proto/codec.h)
  Hash hash;          ///< chain_hash(previous record's hash, bytes)

  [[nodiscard]] Position position() const { return {record.lsn, hash}; }
};
using RecordPtr = std::shared_ptr<const SealedRecord>;

}  // namespace pollux
