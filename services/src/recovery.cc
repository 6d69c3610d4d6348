#include "recovery.h"

#include <algorithm>
#include <iterator>

#include "clocks.h"
#include "text.h"

namespace pollux {
namespace {

constexpr std::size_t read_bytes = 4u << 20;
/// Records below the applied LSN that are checked at a start; the scrub gets to the others.
constexpr std::uint64_t tail_checked = 1000;

Result<void> check_fit(const Trail& trail, const Position& applied) {
  const Position base = trail.base(), last = trail.last();
  const std::string advice = "; if the pair's other member is well, move this member's directory away and start "
                             "it again: it is then made anew from that member";
  if (applied.lsn < base.lsn) {
    return fail(Code::damaged, cat("the trail begins after LSN ", base.lsn, ", but the tables end at LSN ", applied.lsn,
                                   ": records between are missing", advice));
  }
  if (applied.lsn > last.lsn) {
    return fail(Code::damaged, cat("the trail ends at LSN ", last.lsn, ", but the tables show LSN ", applied.lsn,
                                   ": the end of the trail is missing", advice));
  }
  const auto hash = trail.hash_at(applied.lsn);
  if (!hash) return std::unexpected(hash.error());
  if (*hash != applied.hash) {
    return fail(Code::damaged, cat("tables and trail tell different histories at LSN ", applied.lsn, advice));
  }
  return {};
}

/// Applies the committed records up to the floor, if this trail has that very history.
Result<void> apply_to_floor(const Trail& trail, Tables& tables, const Position& floor, Quarantine& quarantine) {
  if (floor.lsn <= tables.applied().lsn || floor.lsn > trail.last().lsn) return {};
  const auto hash = trail.hash_at(floor.lsn);
  if (!hash || *hash != floor.hash) return {};  // another history: the rejoin finds out
  while (tables.applied().lsn < floor.lsn) {
    auto records = trail.read_after(tables.applied().lsn, read_bytes);
    if (!records) return std::unexpected(records.error());
    std::erase_if(*records, [&](const RecordPtr& record) { return record->record.lsn > floor.lsn; });
    if (auto applied = tables.apply(*records); !applied) return applied;
    if (auto settled = quarantine.settle(*records); !settled) return settled;
  }
  return {};
}

std::vector<Lsn> check_applied_tail(const Trail& trail, Lsn applied, MemberLog& log) {
  std::vector<Lsn> damaged;
  const std::uint64_t first = applied.value > tail_checked ? applied.value - tail_checked : 0;
  for (Lsn lsn{std::max(first, trail.base().lsn.value) + 1}; lsn <= applied; lsn = lsn.next()) {
    const auto record = trail.read(lsn);
    if (record || record.error().code != Code::damaged) continue;
    log.error(record.error().text);
    damaged.push_back(lsn);
  }
  return damaged;
}

}  // namespace

Result<MemberState> load_or_found_state(Trail& trail) {
  auto stored = trail.load_state();
  if (!stored) return std::unexpected(stored.error());
  if (*stored) return **stored;
  if (trail.last().lsn.value != 0) {
    return fail(Code::damaged, "the trail holds records but not whose they are; move this member's directory away and "
                               "start it again: it is then made anew from the other member");
  }
  MemberState state;
  state.incarnation = random_id<IncarnationId>();
  if (auto founded = trail.store_state(state); !founded) return std::unexpected(founded.error());
  return state;
}

bool peer_has_everything(const MemberState& state) {
  const Configuration& known = state.configuration;
  if (known.epoch.value == 0) return false;
  return known.backup.has_value() || known.primary.incarnation != state.incarnation;
}

Result<Recovery> recover(const Trail& trail, Tables& tables, Quarantine& quarantine, const MemberState& state,
                         MemberLog& log) {
  Recovery found;
  found.event.state = state;
  found.event.trail_base = trail.base();
  found.event.trail_last = trail.last();
  found.event.incomplete = tables.incomplete();
  found.newest = std::max(trail.stats().newest, tables.newest_time());
  found.event.quarantined = quarantine.quarantined();
  if (found.event.incomplete) {
    // Tables of an unfinished snapshot fit no trail; core goes on with the snapshot.
    found.event.applied = tables.applied().lsn;
    return found;
  }

  if (auto fits = check_fit(trail, tables.applied()); !fits) return std::unexpected(fits.error());
  if (auto applied = apply_to_floor(trail, tables, state.configuration.floor, quarantine); !applied) {
    return std::unexpected(applied.error());
  }
  found.event.applied = tables.applied().lsn;
  auto sessions = tables.sessions();
  if (!sessions) return std::unexpected(sessions.error());
  found.event.sessions = *std::move(sessions);

  for (Lsn after = found.event.applied; after < found.event.trail_last.lsn;) {
    auto records = trail.read_after(after, read_bytes);
    if (!records) return std::unexpected(records.error());
    if (records->empty()) return fail(Code::damaged, cat("the trail has no record after LSN ", after));
    after = records->back()->record.lsn;
    std::move(records->begin(), records->end(), std::back_inserter(found.event.unapplied));
  }
  found.damaged = check_applied_tail(trail, found.event.applied, log);

  SessionTable newest = found.event.sessions;
  for (const RecordPtr& record : found.event.unapplied) newest.apply(record->record);
  if (auto settled = quarantine.settle(newest); !settled) return std::unexpected(settled.error());
  found.event.quarantined = quarantine.quarantined();
  return found;
}

}  // namespace pollux
