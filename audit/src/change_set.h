// A batch's changes of rows: one a key, the last, in key order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pollux/core/record.h"
#include "pollux/core/result.h"

namespace pollux {

class ChangeSet {
 public:
  /// Points into `records`, which must outlive it. An error names a record with an impossible key.
  Result<void> collect(std::span<const RecordPtr> records);

  /// Calls `change` for each key in order until it returns false.
  template <class Function>
  void for_each(Function change) const {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (i + 1 < entries_.size() && same_key(entries_[i], entries_[i + 1])) continue;  // a later one follows
      if (!change(*entries_[i].change)) return;
    }
  }
  /// Gives memory back that only an unusually large batch needed.
  void clear();

 private:
  struct Entry {
    std::uint64_t prefix;  // the eight bytes after what all keys have in common: most comparisons end here
    std::uint32_t order;
    const ChangeView* change;
  };
  static bool same_key(const Entry& a, const Entry& b) {
    return a.prefix == b.prefix && a.change->key == b.change->key;
  }
  static constexpr std::size_t kept_max = 65536;

  std::vector<Entry> entries_;
};

}  // namespace pollux
