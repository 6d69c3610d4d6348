// The threads that write: the forcer with the trail, the applier with the tables.
#include <algorithm>

#include "pollux/core/check.h"
#include "simulation/process.h"
#include "simulation/world.h"

namespace pollux::testing {
namespace {
constexpr std::size_t apply_records_max = 64;
constexpr Duration scrub_every = std::chrono::milliseconds(300);
}  // namespace

void Process::push(Thread& thread, Work work) {
  thread.queue.push_back(std::move(work));
  run(thread);
}

void Process::run(Thread& thread) {
  if (thread.busy || thread.broken || thread.queue.empty() || dead_) return;
  thread.busy = true;
  Work work = std::move(thread.queue.front());
  thread.queue.pop_front();
  thread.effect = work.effect;
  if (work.may_fail && member_.next_force != Member::ForceFault::none) {
    const auto fault = std::exchange(member_.next_force, Member::ForceFault::none);
    thread.broken = true;  // nothing may be appended any more
    if (fault == Member::ForceFault::hang) return;
    const bool full = fault == Member::ForceFault::disk_full;
    later(thread.source, work.takes, [this, full] {
      step(StorageFailed{{full ? Code::disk_full : Code::io_error, full ? "no space left" : "the flush failed"}});
    });
    return;
  }
  later(thread.source, work.takes, [this, &thread, done = std::move(work.done)]() mutable {
    const auto effect = std::exchange(thread.effect, nullptr);
    if (effect) effect();
    thread.busy = false;
    done();
    if (!dead_) run(thread);
  });
}

void Process::on(Force& action) {
  POLLUX_CHECK_WHY(!action.records.empty(), "an empty force");
  const Position upto = action.records.back()->position();
  const auto append = [this, records = std::move(action.records)] {
    for (const RecordPtr& record : records) {
      member_.disk.trail.append(record);
      member_.disk.quarantined.erase(record->record.sync);  // there is a record of it now
      world_.observe([&](Observer& observer) { observer.on_durable(member_, record); });
    }
  };
  const Duration takes =
      (world_.plan().force / 2 + random_.about(world_.plan().force / 2)) * member_.force_slowness;
  if (world_.plan().mutation == Mutation::forced_too_early) {
    later(Source::forcer, Duration{}, [this, upto] { step(Forced{upto}); });
    push(forcer_, {.takes = takes * 20, .effect = append, .done = [] {}, .may_fail = false});
    return;
  }
  push(forcer_, {.takes = takes, .effect = append, .done = [this, upto] { step(Forced{upto}); }, .may_fail = true});
}

void Process::on(Persist& action) {
  const auto store = [this, state = action.state] {
    POLLUX_CHECK_WHY(state.incarnation == member_.disk.state.incarnation, "another member's state is persisted");
    member_.disk.state = state;
  };
  const Duration takes = random_.about(world_.plan().force) * member_.force_slowness;
  push(forcer_, {.takes = takes, .effect = store, .done = [this, ticket = action.ticket] { step(Persisted{ticket}); },
                 .may_fail = true});
}

void Process::on(CutTrail& action) {
  const auto cut = [this, to = action.to] {
    POLLUX_CHECK_WHY(member_.disk.tables.applied.lsn <= to.lsn, "a trail cut below what the tables show");
    for (const RecordPtr& record : member_.disk.trail.cut(to)) {
      world_.observe([&](Observer& observer) { observer.on_cut(member_, record); });
    }
  };
  const auto done = [this] {
    const Disk& disk = member_.disk;
    cut_overlay(disk.trail.last().lsn);
    TrailCut news{.last = disk.trail.last(), .applied = disk.tables.applied.lsn, .sessions = disk.tables.sessions,
                  .unapplied = disk.trail.after(disk.tables.applied.lsn)};
    overlay_.assign(news.unapplied.begin(), news.unapplied.end());
    step(std::move(news));
  };
  push(forcer_, {.takes = random_.about(world_.plan().force * 3), .effect = cut, .done = done, .may_fail = true});
}

void Process::on(ResetTrail& action) {
  const auto reset = [this, base = action.base] {
    POLLUX_CHECK_WHY(member_.disk.tables.applied == base, "a trail begins after a position that the tables don't show");
    for (const RecordPtr& record : member_.disk.trail.reset(base)) {
      world_.observe([&](Observer& observer) { observer.on_cut(member_, record); });
    }
  };
  const auto done = [this, base = action.base] {
    overlay_.clear();
    committed_ = base;
    step(TrailReset{.base = base, .sessions = member_.disk.tables.sessions});
  };
  push(forcer_, {.takes = random_.about(world_.plan().force * 3), .effect = reset, .done = done, .may_fail = true});
}

void Process::on(RepairRecord& action) {
  const auto repair = [this, record = action.record] { member_.disk.trail.repair(record); };
  const auto done = [this, record = action.record] {
    const auto* stored = member_.disk.trail.find(record->record.lsn);
    step(RecordRepaired{.lsn = record->record.lsn, .ok = stored != nullptr && !stored->damaged});
  };
  push(forcer_, {.takes = random_.about(world_.plan().force), .effect = repair, .done = done, .may_fail = true});
}

void Process::on(InstallSnapshot& action) {
  overlay_.clear();
  committed_ = {};
  const auto install = [this, begin = action.begin, resume = action.resume, chunk = std::move(action.chunk)] {
    SimTables& tables = member_.disk.tables;
    if (!begin) return tables.install(chunk);
    const bool unfinished = tables.incomplete && tables.first_tag;
    if (!resume || !unfinished) tables.begin_snapshot();
  };
  const auto done = [this] {
    const SimTables& tables = member_.disk.tables;
    step(SnapshotInstalled{.next = tables.cursor, .rows_complete = tables.rows_complete,
                           .first_tag = tables.rows_complete ? tables.applied : tables.first_tag.value_or(Position{}),
                           .last_tag = tables.last_tag.value_or(Position{})});
  };
  push(applier_, {.takes = random_.about(world_.plan().force), .effect = install, .done = done, .may_fail = false});
  if (!world_.healed() && random_.chance(world_.plan().dies_in_snapshot)) {
    world_.schedule().after(random_.about(world_.plan().force), [weak = weak_from_this()] {
      if (const auto self = weak.lock(); self && !self->dead_) self->member_.die(Death::killed);
    });
  }
}

void Process::apply_next() {
  const Position applied = member_.disk.tables.applied;
  if (apply_queued_ || committed_.lsn <= applied.lsn || overlay_.empty()) return;
  apply_queued_ = true;
  const Duration takes = member_.tables_stalled ? std::chrono::milliseconds(700)
                                                : random_.about(world_.plan().apply) * member_.apply_slowness;
  const Lsn upto = committed_.lsn;
  const auto records = std::make_shared<std::vector<RecordPtr>>();
  for (const RecordPtr& record : overlay_) {
    if (record->record.lsn > upto || records->size() == apply_records_max) break;
    records->push_back(record);
  }
  const auto apply = [this, records] {
    for (const RecordPtr& record : *records) member_.disk.tables.apply(record);
  };
  const auto done = [this] {
    apply_queued_ = false;
    const Lsn now = member_.disk.tables.applied.lsn;
    while (!overlay_.empty() && overlay_.front()->record.lsn <= now) overlay_.pop_front();
    retain();
    step(Applied{now});
    if (!dead_) apply_next();
  };
  push(applier_, {.takes = takes, .effect = apply, .done = done, .may_fail = false});
}

void Process::retain() {
  const std::uint64_t keeps = world_.plan().trail_keeps;
  Disk& disk = member_.disk;
  if (keeps == 0 || disk.tables.incomplete || disk.trail.size() <= keeps) return;
  const Lsn removable = std::min(disk.tables.applied.lsn, committed_.lsn);
  if (removable.value <= keeps) return;
  disk.trail.drop_below(Lsn{std::min(removable.value, disk.trail.last().lsn.value - keeps)});
}

void Process::scrub() {
  later(Source::scrub, scrub_every / 2 + random_.about(scrub_every / 2), [this] {
    scrub();
    const SimTrail& trail = member_.disk.trail;
    for (Lsn at = trail.base().lsn.next(); at <= trail.last().lsn; at = at.next()) {
      if (!trail.find(at)->damaged) continue;
      step(DamageFound{at});
      return;
    }
  });
}

}  // namespace pollux::testing
