#include "forcer.h"

#include <algorithm>
#include <system_error>

#include "applier.h"
#include "clocks.h"
#include "pollux/core/check.h"
#include "text.h"
#include "thread_name.h"

namespace pollux {
namespace {

bool is_disk_failure(Code code) { return code == Code::io_error || code == Code::disk_full; }

}  // namespace

void Forcer::start() {
  thread_ = std::thread([this] {
    name_this_thread("forcer");
    run();
  });
}

void Forcer::stop() {
  jobs_.stop();
  if (thread_.joinable()) thread_.join();
}

void Forcer::run() {
  std::vector<Job> jobs;
  while (jobs_.take_all(jobs) != Taken::stopped) {
    for (Job& job : jobs) {
      if (failed_) break;  // a promise that is dropped tells its waiter as much
      std::visit([this](auto& each) { carry_out(each); }, job);
    }
    jobs.clear();
  }
}

void Forcer::carry_out(Force& job) {
  POLLUX_CHECK(!job.records.empty());
  const Instant began = steady_now();
  if (auto appended = parts_.trail.append(job.records); !appended) return storage_failed(appended.error());
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(steady_now() - began);
  parts_.counters.force_us.fetch_add(static_cast<std::uint64_t>(took.count()), std::memory_order_relaxed);
  parts_.counters.forces.fetch_add(1, std::memory_order_relaxed);
  parts_.counters.records_forced.fetch_add(job.records.size(), std::memory_order_relaxed);
  parts_.inbox.post(Event{Forced{job.records.back()->position()}});
}

void Forcer::carry_out(Persist& job) {
  if (auto stored = parts_.trail.store_state(job.state); !stored) return storage_failed(stored.error());
  parts_.inbox.post(Event{Persisted{job.ticket}});
}

void Forcer::carry_out(CutTrail& job) {
  std::error_code error;
  std::filesystem::create_directories(aside_directory_, error);
  if (error) {
    return storage_failed({Code::io_error, cat("can't make ", aside_directory_, ": ", error.message())});
  }
  const Position last = parts_.trail.last();
  if (last.lsn > job.to.lsn) {
    const auto aside = aside_directory_ / cat("records-", job.to.lsn.next(), "-to-", last.lsn, "-",
                                                      read_clocks().wall.us, ".records");
    if (auto cut = parts_.trail.cut(job.to, aside); !cut) return storage_failed(cut.error());
    parts_.log.warning(cat("records ", job.to.lsn.next(), " to ", last.lsn,
                           " are not the primary's: they were cut off and kept in ", aside));
  }
  parts_.applier.give(job);
}

void Forcer::carry_out(ResetTrail& job) {
  if (auto reset = parts_.trail.reset(job.base); !reset) return storage_failed(reset.error());
  parts_.applier.give(job);
}

void Forcer::carry_out(RepairRecord& job) {
  POLLUX_CHECK(job.record != nullptr);
  const Lsn lsn = job.record->record.lsn;
  auto repaired = parts_.trail.repair(job.record);
  if (!repaired && is_disk_failure(repaired.error().code)) return storage_failed(repaired.error());
  if (repaired) {
    parts_.counters.records_repaired.fetch_add(1, std::memory_order_relaxed);
    parts_.log.warning(cat("record ", lsn, " was damaged; it was replaced by the peer's copy"));
  } else {
    parts_.log.error(cat("record ", lsn, " is damaged and can't be repaired: ", repaired.error().text));
  }
  parts_.inbox.post(Event{RecordRepaired{lsn, repaired.has_value()}});
}

void Forcer::carry_out(DropOldRecords& job) {
  const Lsn removable = std::min(parts_.state.applied(), parts_.state.committed());
  auto more = job.retention->drop(parts_.trail, removable, read_clocks().wall);
  if (!more && is_disk_failure(more.error().code)) storage_failed(more.error());
  job.done.set_value(std::move(more));
}

void Forcer::storage_failed(const Error& error) {
  failed_ = true;
  parts_.inbox.post(Event{StorageFailed{error}});
}

}  // namespace pollux
