#include "disk_reader.h"

#include "text.h"
#include "thread_name.h"

namespace pollux {

void DiskReader::start() {
  thread_ = std::thread([this] {
    name_this_thread("disk reader");
    run();
  });
}

void DiskReader::stop() {
  jobs_.stop();
  if (thread_.joinable()) thread_.join();
}

void DiskReader::run() {
  std::vector<Job> jobs;
  while (jobs_.take_all(jobs) != Taken::stopped) {
    for (const Job& job : jobs) std::visit([this](const auto& each) { carry_out(each); }, job);
    jobs.clear();
  }
}

void DiskReader::carry_out(const ReadHashes& job) {
  HashesRead event{.ticket = job.ticket, .known = {}};
  for (const Lsn lsn : job.lsns) {
    if (const auto hash = parts_.trail.hash_at(lsn)) event.known.push_back({lsn, *hash});
  }
  parts_.inbox.post(Event{std::move(event)});
}

void DiskReader::carry_out(const ReadTail& job) {
  TailRead event{.ticket = job.ticket, .records = {}};
  auto records = parts_.trail.read_after(job.after, job.bytes_max);
  if (records) {
    event.records = *std::move(records);
  } else if (records.error().code == Code::gone) {
    event.gone = true;
  } else if (records.error().code == Code::damaged) {
    event.records = records_before_damage(job.after, job.bytes_max);
  } else if (records.error().code != Code::not_found) {
    parts_.log.error(cat("the trail can't be read for the peer: ", records.error().text));
  }
  parts_.inbox.post(Event{std::move(event)});
}

/// What can be given before a damaged record; core is told of the damage and asks the peer for a copy.
std::vector<RecordPtr> DiskReader::records_before_damage(Lsn after, std::size_t bytes_max) {
  std::vector<RecordPtr> good;
  for (std::size_t bytes = 0; bytes < bytes_max || good.empty();) {
    after = after.next();
    auto record = parts_.trail.read(after);
    if (!record) {
      if (record.error().code == Code::damaged) {
        parts_.counters.damage_found.fetch_add(1, std::memory_order_relaxed);
        parts_.log.error(record.error().text);
        parts_.inbox.post(Event{DamageFound{after}});
      }
      return good;
    }
    bytes += (*record)->bytes.size();
    good.push_back(*std::move(record));
  }
  return good;
}

void DiskReader::carry_out(const ReadSnapshot& job) {
  SnapshotRead event{.ticket = job.ticket, .chunk = {.cursor = job.cursor}};
  auto chunk = parts_.state.tables().read_snapshot(job.cursor, job.bytes_max);
  if (chunk) {
    event.chunk.tag = chunk->tag;
    event.chunk.time = chunk->time;
    event.chunk.rows = std::move(chunk->rows);
    event.chunk.next = std::move(chunk->next);
  } else {
    event.failed = true;
    parts_.log.error(cat("the tables can't be read for the peer's snapshot: ", chunk.error().text));
  }
  parts_.inbox.post(Event{std::move(event)});
}

}  // namespace pollux
