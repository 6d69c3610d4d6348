#include "shared_state.h"

#include <algorithm>

namespace pollux {
namespace {
constexpr std::uint64_t trim_portion_lsns = 256;
}

bool SharedState::add_executed(const RecordPtr& record, std::uint64_t generation) {
  const std::lock_guard lock(gate_);
  if (generation_.load(std::memory_order_relaxed) != generation) return false;
  overlay_.add(record);
  last_ = record->record.lsn;
  return true;
}

void SharedState::add_received(const RecordPtr& record) {
  note_time(record->record.time);
  const std::lock_guard lock(gate_);
  if (record->record.lsn <= last_) return;
  overlay_.add(record);
  last_ = record->record.lsn;
}

std::uint64_t SharedState::begin_generation(Lsn last) {
  const std::lock_guard lock(gate_);
  overlay_.cut(last);
  last_ = std::min(last_, last);
  return generation_.fetch_add(1, std::memory_order_acq_rel) + 1;
}

void SharedState::cut(Lsn last) {
  const std::lock_guard lock(gate_);
  overlay_.cut(last);
  last_ = std::min(last_, last);
}

void SharedState::clear() {
  const std::lock_guard lock(gate_);
  overlay_.clear();
  last_ = {};
}

void SharedState::trim(Lsn applied) {
  if (trimmed_ > applied) trimmed_ = {};
  // A first call after a start, or after a snapshot, may be far behind: nothing is there to be trimmed in steps.
  if (applied.value - trimmed_.value > 1024 * trim_portion_lsns) trimmed_ = {applied.value - 1024 * trim_portion_lsns};
  do {
    trimmed_ = std::min(applied, Lsn{trimmed_.value + trim_portion_lsns});
    overlay_.trim(trimmed_);
  } while (trimmed_ < applied);
}

void SharedState::note_time(WallTime time) {
  std::int64_t seen = newest_us_.load(std::memory_order_relaxed);
  while (seen < time.us && !newest_us_.compare_exchange_weak(seen, time.us, std::memory_order_relaxed)) {
  }
}

}  // namespace pollux
