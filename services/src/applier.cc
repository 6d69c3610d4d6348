#include "applier.h"

#include <malloc.h>

#include <algorithm>
#include <iterator>

#include "clocks.h"
#include "pollux/core/check.h"
#include "text.h"
#include "thread_name.h"

namespace pollux {
namespace {

/// Freed memory is given back to the kernel this often, if records were applied since.
constexpr Duration tidy_every = std::chrono::seconds(2);
/// What is left in the overlay because a reader held it is trimmed this often.
constexpr std::chrono::milliseconds trim_leftovers_every{500};
constexpr std::size_t unapplied_read_bytes = 4u << 20;

}  // namespace

void Applier::start() {
  thread_ = std::thread([this] {
    name_this_thread("applier");
    run();
  });
}

void Applier::stop() {
  jobs_.stop();
  if (thread_.joinable()) thread_.join();
}

void Applier::run() {
  std::vector<Job> jobs;
  for (;;) {
    std::optional<std::chrono::milliseconds> patience;
    if (!waiting_.empty()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(waiting_since_ + options_.every - steady_now());
      patience = std::max(left, std::chrono::milliseconds(0));
    } else if (parts_.state.overlay().bytes() > 0 || applied_since_tidy_ > 0) {
      patience = trim_leftovers_every;
    }
    const Taken taken = jobs_.take_all(jobs, patience);
    for (Job& job : jobs) {
      if (failed_) break;
      std::visit([this](auto& each) { carry_out(each); }, job);
    }
    jobs.clear();
    const bool due = !waiting_.empty() && steady_now() >= waiting_since_ + options_.every;
    if (!failed_ && (due || waiting_.size() >= options_.records_max || taken == Taken::stopped)) apply_waiting();
    if (taken == Taken::timeout && waiting_.empty()) {
      parts_.state.trim(parts_.state.applied());
      tidy_memory();
    }
    if (taken == Taken::stopped) return;
  }
}

void Applier::carry_out(ApplyRecords& job) {
  if (waiting_.empty()) waiting_since_ = steady_now();
  std::move(job.records.begin(), job.records.end(), std::back_inserter(waiting_));
}

void Applier::carry_out(InstallSnapshot& job) {
  if (!apply_waiting()) return;
  Tables& tables = parts_.state.tables();
  if (job.begin) {
    if (!job.resume || !tables.snapshot_progress()) {
      if (auto begun = tables.begin_snapshot(); !begun) return storage_failed(begun.error());
    }
    parts_.state.clear();
  } else {
    const SnapshotChunk chunk{.tag = job.chunk.tag,
                              .time = job.chunk.time,
                              .rows = std::move(job.chunk.rows),
                              .next = job.chunk.next};
    auto installed = tables.install(chunk);
    if (!installed && installed.error().code != Code::malformed) return storage_failed(installed.error());
    // A chunk that does not fit changed nothing: core asks again from where the tables are.
    if (!installed) parts_.log.warning(cat("a part of a snapshot was refused: ", installed.error().text));
  }
  SnapshotInstalled event;
  if (const auto progress = tables.snapshot_progress()) {
    event.next = progress->cursor;
    event.rows_complete = progress->rows_complete;
    // After a crash records may have been applied since the first chunk: the trail begins where the tables are.
    event.first_tag = event.rows_complete ? tables.applied() : progress->first_tag.value_or(Position{});
    event.last_tag = progress->last_tag.value_or(Position{});
  } else {
    // That was the last chunk, and all had the same tag: nothing is missing.
    event.rows_complete = true;
    event.first_tag = event.last_tag = tables.applied();
  }
  parts_.inbox.post(Event{std::move(event)});
}

void Applier::carry_out(CutTrail& job) {
  if (!apply_waiting()) return;
  parts_.state.cut(job.to.lsn);
  TrailCut event;
  event.last = job.to;
  event.applied = parts_.state.tables().applied().lsn;
  POLLUX_CHECK_WHY(event.applied <= job.to.lsn, "the tables can't be cut, only the trail");
  auto sessions = parts_.state.tables().sessions();
  if (!sessions) return storage_failed(sessions.error());
  event.sessions = *std::move(sessions);
  for (Lsn after = event.applied; after < job.to.lsn;) {
    auto records = parts_.trail.read_after(after, unapplied_read_bytes);
    if (!records) return storage_failed(records.error());
    POLLUX_CHECK(!records->empty());
    after = records->back()->record.lsn;
    std::move(records->begin(), records->end(), std::back_inserter(event.unapplied));
  }
  parts_.inbox.post(Event{std::move(event)});
}

void Applier::carry_out(ResetTrail& job) {
  if (!apply_waiting()) return;
  auto sessions = parts_.state.tables().sessions();
  if (!sessions) return storage_failed(sessions.error());
  const Lsn applied = parts_.state.tables().applied().lsn;
  // No record that this member has tells it: it may lead with the very next one.
  parts_.state.note_time(parts_.state.tables().newest_time());
  parts_.state.clear();
  parts_.state.set_committed(std::max(applied, job.base.lsn));
  parts_.state.set_applied(applied);
  parts_.inbox.post(Event{TrailReset{.base = job.base, .sessions = *std::move(sessions)}});
}

bool Applier::apply_waiting() {
  while (!waiting_.empty()) {
    const auto count = std::min(waiting_.size(), options_.records_max);
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<RecordPtr> batch(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
    waiting_.erase(waiting_.begin(), end);
    if (!apply(std::move(batch))) return false;
  }
  return true;
}

bool Applier::apply(std::vector<RecordPtr> records) {
  const Instant began = steady_now();
  // After an interrupted snapshot the trail begins anew at its first tag, which the tables may be past.
  const Lsn applied_before = parts_.state.tables().applied().lsn;
  std::erase_if(records, [&](const RecordPtr& record) { return record->record.lsn <= applied_before; });
  if (records.empty()) {
    parts_.inbox.post(Event{Applied{applied_before}});
    return true;
  }
  if (auto applied = parts_.state.tables().apply(records); !applied) return storage_failed(applied.error()), false;
  const Lsn upto = records.back()->record.lsn;
  parts_.state.set_applied(upto);
  parts_.inbox.post(Event{Applied{upto}});
  parts_.state.trim(upto);
  if (auto settled = parts_.quarantine.settle(records); !settled) return storage_failed(settled.error()), false;

  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(steady_now() - began);
  parts_.counters.apply_us.fetch_add(static_cast<std::uint64_t>(took.count()), std::memory_order_relaxed);
  parts_.counters.applies.fetch_add(1, std::memory_order_relaxed);
  parts_.counters.records_applied.fetch_add(records.size(), std::memory_order_relaxed);
  applied_since_tidy_ += records.size();
  return true;
}

void Applier::tidy_memory() {
  if (applied_since_tidy_ == 0 || steady_now() - tidied_ < tidy_every) return;
  tidied_ = steady_now();
  applied_since_tidy_ = 0;
  ::malloc_trim(0);
}

void Applier::storage_failed(const Error& error) {
  failed_ = true;
  parts_.inbox.post(Event{StorageFailed{error}});
}

}  // namespace pollux
