// The audit record: one executed transaction, as it stands in the trail of both members.
#pragma once

#include <atomic>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

/// A change as it stands in a sealed record: its text lies in the record's bytes.
struct ChangeView {
  std::string_view key;
  std::optional<std::string_view> value;  ///< none: erased
  friend bool operator==(const ChangeView&, const ChangeView&) = default;
};

/// A record's fields as they stand in its bytes: what `Record` has, without copies.
struct RecordView {
  Lsn lsn;
  Epoch epoch;
  WallTime time;
  RecordKind kind = RecordKind::request;
  Code code = Code::ok;
  SyncId sync;
  std::uint64_t ack_below = 0;
  std::uint64_t trace = 0;
  std::span<const ChangeView> changes;
  std::string_view reply;
  const Leads* leads = nullptr;
};
/// The same fields with the same values.
bool operator==(const RecordView& a, const RecordView& b);
bool operator==(const RecordView& a, const Record& b);
Record copy_of(const RecordView& view);

class SealedRecord;
void intrusive_ptr_add_ref(const SealedRecord* record);
void intrusive_ptr_release(const SealedRecord* record);
using RecordPtr = boost::intrusive_ptr<const SealedRecord>;

/// A record with the very bytes that are hashed, stored and sent. Immutable, shared by the threads.
///
/// All of it is one block of memory: tens of thousands of them wait for the tables, and each cache line
/// that a record takes is one that the processor fetches on every thread it passes.
class SealedRecord {
 public:
  /// Copies `bytes`. Whatever text `fields` refers to must lie in them.
  static RecordPtr make(const RecordView& fields, std::string_view bytes, const Hash& hash);
  SealedRecord(const SealedRecord&) = delete;
  SealedRecord& operator=(const SealedRecord&) = delete;

  RecordView record;
  std::string_view bytes;  ///< encoded once (proto/record_codec.h)
  Hash hash;               ///< chain_hash(previous record's hash, bytes)

  [[nodiscard]] Position position() const { return {record.lsn, hash}; }
  /// What the block takes.
  [[nodiscard]] std::size_t memory() const {
    return sizeof *this + record.changes.size_bytes() + bytes.size() + (leads_ ? sizeof *leads_ : 0);
  }

 private:
  SealedRecord() = default;
  ~SealedRecord() = default;
  friend void intrusive_ptr_add_ref(const SealedRecord* record);
  friend void intrusive_ptr_release(const SealedRecord* record);

  mutable std::atomic<std::uint32_t> owners_{0};
  std::unique_ptr<const Leads> leads_;
};

inline void intrusive_ptr_add_ref(const SealedRecord* record) {
  record->owners_.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace pollux
