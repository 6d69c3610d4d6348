#include "simulation/record_store.h"

#include <algorithm>

namespace pollux::testing {

void RecordStore::on_record(const Member& /*member*/, const RecordPtr& record, const Hash& previous) {
  made_.emplace(record->hash, Made{record, previous});
}

std::vector<RecordPtr> RecordStore::history(const Position& last) const {
  std::vector<RecordPtr> records;
  records.reserve(last.lsn.value);
  Hash hash = last.hash;
  for (Lsn lsn = last.lsn; lsn.value > 0; lsn = lsn.prev()) {
    const auto found = made_.find(hash);
    if (found == made_.end() || found->second.record->record.lsn != lsn) {
      throw Violation("record " + std::to_string(lsn.value) + " of a trail was never made by an executor");
    }
    records.push_back(found->second.record);
    hash = found->second.previous;
  }
  if (hash != Hash{}) throw Violation("a history that does not begin at the beginning");
  std::ranges::reverse(records);
  return records;
}

}  // namespace pollux::testing
