// A request that kills or hangs its member does so once a member at most, and never after it was answered.
#pragma once

#include <map>
#include <set>
#include <tuple>

#include "simulation/observer.h"

namespace pollux::testing {

class PoisonChecker : public Observer {
 public:
  void on_execute(const Member& member, const SyncId& sync, const RegisterRequest& request) override;
  void on_actions(const Member& member, const PairStatus& before, const PairStatus& after,
                  std::span<const Action> actions) override;

 private:
  /// By the files that remember it: an old copy of them does not.
  std::set<std::tuple<IncarnationId, std::uint64_t, SyncId>> executed_;
  std::set<SyncId> answered_;

 public:
  explicit PoisonChecker(const World& world) : world_(&world) {}

 private:
  const World* world_;
};

}  // namespace pollux::testing
