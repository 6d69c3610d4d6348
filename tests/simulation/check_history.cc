#include "simulation/check_history.h"

#include <set>

#include "simulation/describe.h"
#include "simulation/world.h"

namespace pollux::testing {

void HistoryChecker::on_actions(const Member& /*member*/, const PairStatus& /*before*/, const PairStatus& /*after*/,
                                std::span<const Action> actions) {
  for (const Action& action : actions) {
    const auto* send = std::get_if<SendReply>(&action);
    if (send == nullptr || send->reply.lsn.value == 0) continue;
    const Operation* operation = world_->requester(send->route.value).operation(send->reply.number);
    if (operation == nullptr || operation->query) continue;
    const Answer answer{send->reply.code, send->reply.payload, send->reply.lsn};
    const auto [known, first] = answers_.emplace(operation->sync, answer);
    if (known->second != answer) {
      throw Violation("a request was answered " + std::string(to_string(known->second.code)) + " \"" +
                      known->second.reply + "\" first, and " + std::string(to_string(answer.code)) + " \"" +
                      answer.reply + "\" later: " + describe(*operation));
    }
  }
}

void HistoryChecker::on_end(const World& world) {
  const std::vector<RecordPtr> records = store_->history(world.member(0).disk.trail.last());
  check_chain(records);
  check_sync_ids(records);
  check_operations(records);
  check_members(records);
}

void HistoryChecker::check_chain(const std::vector<RecordPtr>& records) const {
  const RecordView* before = nullptr;
  std::optional<RunId> run;
  for (const RecordPtr& sealed : records) {
    const RecordView& record = sealed->record;
    if (before != nullptr && record.time < before->time) throw Violation("a record's time goes back");
    if (before != nullptr && record.epoch < before->epoch) throw Violation("a record's epoch goes back");
    const Configuration* granted = world_->witness().of_epoch(record.epoch);
    if (granted == nullptr) throw Violation("a record of an epoch that the witness never gave: " + describe(record));
    if (run != granted->primary.run) {
      // I9: the first record of a new primary says who leads.
      if (record.kind != RecordKind::leads || !record.leads || record.leads->epoch != record.epoch ||
          record.leads->primary != granted->primary) {
        throw Violation("I9: the first record of a new primary does not say who leads: " + describe(record));
      }
      if (before != nullptr && record.leads->commit_base.lsn >= record.lsn) {
        throw Violation("I9: a commit base above its own record: " + describe(record));
      }
    }
    run = granted->primary.run;
    before = &record;
  }
}

void HistoryChecker::check_sync_ids(const std::vector<RecordPtr>& records) const {
  std::set<SyncId> seen;
  std::set<SessionId> open;
  for (const RecordPtr& sealed : records) {
    const RecordView& record = sealed->record;
    switch (record.kind) {
      case RecordKind::leads: break;
      case RecordKind::session_opened:
        if (!open.insert(record.sync.session).second) throw Violation("a session was opened twice");
        break;
      case RecordKind::session_closed: open.erase(record.sync.session); break;
      case RecordKind::request:
      case RecordKind::tombstone:
        if (!seen.insert(record.sync).second) throw Violation("a sync id is in the trail twice: " + describe(record));
        break;
    }
  }
}

void HistoryChecker::check_operations(const std::vector<RecordPtr>& records) const {
  std::map<SyncId, const RecordView*> by_sync;
  for (const RecordPtr& record : records) {
    const auto kind = record->record.kind;
    if (kind == RecordKind::request || kind == RecordKind::tombstone) by_sync[record->record.sync] = &record->record;
  }
  for (const Operation& operation : world_->history()) {
    if (operation.query || operation.returned == 0 || !operation.known) continue;
    const auto found = by_sync.find(operation.sync);
    if (operation.code == Code::too_large) continue;
    if (found == by_sync.end()) throw Violation("an answered request is not in the trail: " + describe(operation));
    const RecordView& record = *found->second;
    if (record.lsn != operation.lsn || record.code != operation.code || record.reply != operation.reply) {
      throw Violation("a request was answered otherwise than the trail says: " + describe(operation) + "; trail: " +
                      describe(record) + " \"" + std::string(record.reply) + "\"");
    }
    const bool nothing = operation.code == Code::tombstone || operation.code == Code::quarantined ||
                         operation.code == Code::aborted || operation.code == Code::deadline_exceeded;
    if (nothing && !record.changes.empty()) throw Violation("a refused request changed something: " + describe(operation));
  }
  for (const auto& [sync, answer] : answers_) {
    const auto found = by_sync.find(sync);
    if (found == by_sync.end() || found->second->lsn != answer.lsn || found->second->code != answer.code) {
      throw Violation("an answer that left a member is not in the trail: record " + std::to_string(answer.lsn.value));
    }
  }
}

void HistoryChecker::check_members(const std::vector<RecordPtr>& records) const {
  SimTables replay;
  for (const RecordPtr& record : records) replay.apply(record);
  for (std::size_t i = 0; i < 2; ++i) {
    const Member& member = world_->member(i);
    const std::string name = member.name();
    for (const RecordPtr& record : member.disk.trail.after(member.disk.trail.base().lsn)) {
      const RecordPtr& made = records.at(record->record.lsn.value - 1);
      if (made->bytes != record->bytes || made->hash != record->hash) {
        throw Violation("the trail of " + name + " differs at LSN " + std::to_string(record->record.lsn.value));
      }
    }
    if (member.disk.tables.rows != replay.rows) throw Violation("the rows of " + name + " are not what its trail makes");
    if (member.disk.tables.sessions.all() != replay.sessions.all()) {
      throw Violation("the sessions of " + name + " are not what its trail makes");
    }
  }
}

}  // namespace pollux::testing
