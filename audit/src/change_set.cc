#include "change_set.h"

#include <algorithm>

#include "pollux/audit/tables.h"

namespace pollux {

Result<void> ChangeSet::collect(std::span<const RecordPtr> records) {
  entries_.clear();
  std::string_view common;
  for (const auto& record : records) {
    for (const ChangeView& change : record->record.changes) {
      const std::string_view key = change.key;
      if (key.empty() || key.size() > key_bytes_max) {
        return fail(Code::malformed, "the record with LSN " + std::to_string(record->record.lsn.value) +
                                         " has a key of " + std::to_string(key.size()) +
                                         " bytes; keys are 1 to 480 bytes");
      }
      if (entries_.empty()) common = key;
      std::size_t same = 0;
      while (same < common.size() && same < key.size() && common[same] == key[same]) ++same;
      common = common.substr(0, same);
      entries_.push_back({0, static_cast<std::uint32_t>(entries_.size()), &change});
    }
  }
  for (Entry& entry : entries_) {
    const std::string_view rest = entry.change->key.substr(common.size());
    for (std::size_t i = 0; i < 8; ++i) {
      entry.prefix = entry.prefix << 8 | (i < rest.size() ? static_cast<unsigned char>(rest[i]) : 0U);
    }
  }
  std::ranges::sort(entries_, [](const Entry& a, const Entry& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    if (const int order = a.change->key.compare(b.change->key); order != 0) return order < 0;
    return a.order < b.order;
  });
  return {};
}

void ChangeSet::clear() {
  entries_.clear();
  if (entries_.capacity() > kept_max) entries_.shrink_to_fit();
}

}  // namespace pollux
