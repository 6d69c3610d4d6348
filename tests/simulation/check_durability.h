// What was answered or called committed is durable on every member of the configuration (I2), stays for ever,
// and is the same everywhere.
#pragma once

#include <map>
#include <set>
#include <utility>

#include "simulation/observer.h"

namespace pollux::testing {

class DurabilityChecker : public Observer {
 public:
  explicit DurabilityChecker(World& world) : world_(&world) {}

  void on_durable(const Member& member, const RecordPtr& record) override;
  void on_start(const Member& member) override;
  void on_actions(const Member& member, const PairStatus& before, const PairStatus& after,
                  std::span<const Action> actions) override;
  void on_cut(const Member& member, const RecordPtr& record) override;
  void on_end(const World& world) override;

 private:
  [[nodiscard]] bool was_durable(const IncarnationId& incarnation, const Position& position) const;
  [[nodiscard]] bool durable_under(const Member& member, const PairStatus& status, const Position& position) const;
  void check_committed(const Position& position);

  World* world_;
  std::set<std::pair<IncarnationId, Hash>> durable_;   ///< ever
  std::map<Lsn, Hash> committed_;                      ///< as any member was told to commit
  struct Join {
    Epoch epoch;       ///< that it is to end
    MemberId newcomer;
  };
  std::map<RunId, Join> join_sent_;                    ///< by the run that sent it
};

}  // namespace pollux::testing
