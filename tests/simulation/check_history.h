// Exactly once: every answered request is in the trail once, with the very reply that its requester got, and
// whatever was said `tombstone` or `quarantined` never happens. At the end both members hold the same.
#pragma once

#include <map>

#include "simulation/observer.h"
#include "simulation/record_store.h"

namespace pollux::testing {

class HistoryChecker : public Observer {
 public:
  HistoryChecker(const World& world, const RecordStore& store) : world_(&world), store_(&store) {}

  void on_actions(const Member& member, const PairStatus& before, const PairStatus& after,
                  std::span<const Action> actions) override;
  void on_end(const World& world) override;

 private:
  void check_chain(const std::vector<RecordPtr>& records) const;
  void check_sync_ids(const std::vector<RecordPtr>& records) const;
  void check_operations(const std::vector<RecordPtr>& records) const;
  void check_members(const std::vector<RecordPtr>& records) const;

  const World* world_;
  const RecordStore* store_;
  struct Answer {
    Code code;
    std::string reply;
    Lsn lsn;
    bool operator==(const Answer&) const = default;
  };
  std::map<SyncId, Answer> answers_;  ///< the first final answer that left for a sync id
};

}  // namespace pollux::testing
