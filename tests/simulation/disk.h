// A member's files as they would be found after a crash: only what was forced is in here.
//
// A copy of a Disk is a copied disk: restarting a member with an old one is one of the faults.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pollux/core/configuration.h"
#include "pollux/core/peer_messages.h"
#include "pollux/core/record.h"
#include "pollux/core/session_table.h"

namespace pollux::testing {

/// The trail: consecutive records after `base`.
class SimTrail {
 public:
  struct Stored {
    RecordPtr record;
    bool damaged = false;  ///< a bit flipped: its checksum does not fit
  };

  [[nodiscard]] Position base() const { return base_; }
  [[nodiscard]] Position last() const { return records_.empty() ? base_ : records_.back().record->position(); }
  [[nodiscard]] std::size_t size() const { return records_.size(); }
  /// Null below the base and above the end.
  [[nodiscard]] const Stored* find(Lsn lsn) const;
  [[nodiscard]] std::optional<Hash> hash_at(Lsn lsn) const;
  /// Whether this very history is a part of the trail's (positions below the base are believed).
  [[nodiscard]] bool holds(const Position& position) const;
  [[nodiscard]] std::vector<RecordPtr> after(Lsn lsn) const;

  void append(const RecordPtr& record);
  std::vector<RecordPtr> cut(const Position& to);
  std::vector<RecordPtr> reset(const Position& base);
  void drop_below(Lsn upto);
  bool damage(Lsn lsn);
  void falsify(Lsn lsn);  ///< mutation: another record is there, and its checksum fits
  bool repair(const RecordPtr& record);
  [[nodiscard]] bool damaged() const;

 private:
  Stored* at(Lsn lsn);
  Position base_;
  std::deque<Stored> records_;
};

/// The tables: rows and sessions as of `applied`.
struct SimTables {
  Position applied;
  std::map<std::string, std::string> rows;
  SessionTable sessions;
  bool incomplete = false;
  std::optional<Position> first_tag, last_tag;
  std::string cursor;
  bool rows_complete = false;
  WallTime time;  ///< of the newest record that the tables know of

  void apply(const RecordPtr& record);
  void begin_snapshot();
  void install(const SnapshotTell& chunk);
  /// Rows after `cursor`, at least one, at most about `bytes_max`.
  [[nodiscard]] SnapshotTell read_snapshot(const std::string& cursor, std::size_t bytes_max) const;
};

struct Disk {
  MemberState state;
  SimTrail trail;
  SimTables tables;
  std::optional<SyncId> in_execution;  ///< the small mapped file
  std::set<SyncId> quarantined;        ///< found there by earlier runs, and no record of them yet
};

}  // namespace pollux::testing
