#include "apply_feed.h"

#include <utility>

#include "pollux/core/check.h"

namespace pollux {

void ApplyFeed::add(const RecordPtr& record) {
  if (!uncommitted_.empty()) POLLUX_CHECK(record->record.lsn == uncommitted_.back()->record.lsn.next());
  uncommitted_.push_back(record);
}

void ApplyFeed::commit(Lsn upto, Instant now) {
  if (committed_.empty()) committed_since_ = now;
  while (!uncommitted_.empty() && uncommitted_.front()->record.lsn <= upto) {
    committed_.push_back(std::move(uncommitted_.front()));
    uncommitted_.pop_front();
  }
  flush_if_due(now);
}

void ApplyFeed::cut(Lsn last) {
  while (!uncommitted_.empty() && uncommitted_.back()->record.lsn > last) uncommitted_.pop_back();
}

void ApplyFeed::clear_uncommitted() {
  flush();
  uncommitted_.clear();
}

void ApplyFeed::flush_if_due(Instant now) {
  // A wake-up of the applier for each commit would cost more than applying.
  if (committed_.size() >= portion_records || (!committed_.empty() && now - committed_since_ >= portion_wait)) flush();
}

void ApplyFeed::flush() {
  if (!committed_.empty()) applier_.give(ApplyRecords{std::exchange(committed_, {})});
}

}  // namespace pollux
