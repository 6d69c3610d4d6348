// Keeps the records between their arrival and their commit, and hands the committed ones to the applier in
// portions. Used by core's thread only.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "applier.h"
#include "pollux/core/record.h"

namespace pollux {

class ApplyFeed {
 public:
  explicit ApplyFeed(Applier& applier) : applier_(applier) {}

  /// A record that was executed here or came from the peer; it follows the one before.
  void add(const RecordPtr& record);
  void commit(Lsn upto, Instant now);
  /// Records above `last` are not history (ResetExecutor).
  void cut(Lsn last);
  /// Forgets all that is not committed: the trail is cut or made anew, and tells again what stays.
  void clear_uncommitted();
  /// Hands over what has gathered, if it is much or has waited long.
  void flush_if_due(Instant now);
  void flush();

  [[nodiscard]] std::size_t uncommitted() const { return uncommitted_.size(); }

  static constexpr std::size_t portion_records = 1024;
  static constexpr Duration portion_wait = std::chrono::milliseconds(25);

 private:
  Applier& applier_;
  std::deque<RecordPtr> uncommitted_;
  std::vector<RecordPtr> committed_;
  Instant committed_since_{};
};

}  // namespace pollux
