// What the rows and cursors of a snapshot mean. The same for tables in LMDB and in memory.
//
// Each row of a chunk has a key and a value, packed into the value of a Change; the key begins with a byte
// that says what follows:
//   r  key                          a service row
//   h  session id                   a session without its replies
//   i  session id, seq              some of its replies, from seq on
//   f  offset, total, key as above  a fragment of a value too large for one chunk
// Chunks are read at different times. That is harmless for rows, which records replace as a whole, and for
// sessions if they are taken apart at replies: a reply never changes once it is there, and applying the
// records between two tags again removes what was acknowledged meanwhile. So a fragment is only ever of one
// row or of one reply.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "pollux/audit/tables.h"

namespace pollux {

inline constexpr char snapshot_row = 'r', snapshot_head = 'h', snapshot_replies = 'i',
                      snapshot_fragment = 'f';

/// Calls `row` for the service rows with key >= from, in order, until it returns false.
using ScanRows = std::function<Result<void>(
    std::string_view from, const std::function<bool(std::string_view, std::string_view)>& row)>;

/// The chunk at `cursor`, but for its tag.
Result<SnapshotChunk> make_chunk(std::string_view cursor, std::size_t bytes_max, const ScanRows& scan,
                                 const SessionTable& sessions);

/// Puts fragments together again.
class FragmentJoiner {
 public:
  /// Gives `whole` the row that is complete with this one. `malformed` if it does not fit. A row of another
  /// kind ends an unfinished one: its giver found it changed or gone.
  Result<void> take(const Change& packed,
                    const std::function<Result<void>(std::string_view key, std::string_view value)>& whole);
  /// After the rows of a chunk. An empty one ends an unfinished row, too: that was changed or gone, and nothing comes
  /// after it. `malformed` if the last chunk ends in the midst of a row.
  Result<void> end(const SnapshotChunk& chunk);
  [[nodiscard]] bool unfinished() const { return !key_.empty(); }
  void clear() {
    key_.clear();
    value_.clear();
  }

 private:
  std::string key_, value_;
};

/// Adds a staged 'h' or 'i' row (in key order: all heads come first) to `sessions`. False if it is neither.
bool join_session(std::string_view key, std::string_view value,
                  std::unordered_map<SessionId, Session>& sessions);

/// Progress as it is stored.
std::string encode_progress(const Tables::SnapshotProgress& progress);
std::optional<Tables::SnapshotProgress> decode_progress(std::string_view bytes);

}  // namespace pollux
