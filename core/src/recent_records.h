// The records a member keeps in memory: the newest ones, without a gap, up to the last executed.
//
// They wait here to be forced and acknowledged, and are sent again from here. Counted both as they are sent and
// as they lie in memory, where a record of a small change is twice as large as its bytes.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "pollux/core/check.h"
#include "pollux/core/record.h"

namespace pollux {

class RecentRecords {
 public:
  /// Forgets everything; the next record follows `base`.
  void reset(const Position& base) {
    records_.clear();
    bytes_ = memory_ = 0;
    base_ = base;
  }
  void push(const RecordPtr& record) {
    POLLUX_CHECK(record->record.lsn == last().next());
    bytes_ += record->bytes.size();
    memory_ += memory_of(*record);
    records_.push_back(record);
  }
  void pop_front() {
    POLLUX_CHECK(!records_.empty());
    const SealedRecord& first = *records_.front();
    bytes_ -= first.bytes.size();
    memory_ -= memory_of(first);
    base_ = first.position();
    records_.pop_front();
  }
  [[nodiscard]] bool empty() const { return records_.empty(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }    ///< encoded
  [[nodiscard]] std::size_t memory() const { return memory_; }  ///< that they take, roughly
  [[nodiscard]] const Position& base() const { return base_; }  ///< the position before the first record
  [[nodiscard]] Lsn last() const { return Lsn{base_.lsn.value + records_.size()}; }
  [[nodiscard]] bool holds(Lsn lsn) const { return lsn > base_.lsn && lsn <= last(); }
  [[nodiscard]] const RecordPtr& at(Lsn lsn) const {
    POLLUX_CHECK(holds(lsn));
    return records_[lsn.value - base_.lsn.value - 1];
  }
  /// The position at `lsn` if it is the base or a record held here.
  [[nodiscard]] std::optional<Position> position(Lsn lsn) const {
    if (lsn == base_.lsn) return base_;
    if (!holds(lsn)) return std::nullopt;
    return at(lsn)->position();
  }
  /// Records after `after`, up to `upto`, until count or bytes run out (at least one).
  [[nodiscard]] std::vector<RecordPtr> range(Lsn after, Lsn upto, std::size_t count_max, std::size_t bytes_max) const {
    std::vector<RecordPtr> records;
    std::size_t bytes = 0;
    for (Lsn lsn = after.next(); lsn <= upto && holds(lsn); lsn = lsn.next()) {
      const RecordPtr& record = at(lsn);
      bytes += record->bytes.size();
      if (!records.empty() && (bytes > bytes_max || records.size() >= count_max)) break;
      records.push_back(record);
    }
    return records;
  }

 private:
  static constexpr std::size_t allocation_overhead = 16;
  static std::size_t memory_of(const SealedRecord& record) {
    return record.memory() + sizeof(RecordPtr) + allocation_overhead;
  }

  Position base_;
  std::deque<RecordPtr> records_;
  std::size_t bytes_ = 0, memory_ = 0;
};

}  // namespace pollux
