// Who may be primary (I1, I3, I4, I5): an epoch belongs to one run, the witness changes hands by the three
// shapes only, nobody below the floor leads, and a solo primary is the witness's primary.
#pragma once

#include <map>

#include "simulation/observer.h"

namespace pollux::testing {

class LeadershipChecker : public Observer {
 public:
  void on_actions(const Member& member, const PairStatus& before, const PairStatus& after,
                  std::span<const Action> actions) override;
  void on_witness_adopted(const SimWitness& witness, const Configuration& over) override;
  void on_witness(const SimWitness& witness, const Configuration& before) override;

 private:
  const World* world_ = nullptr;
  std::map<Epoch, MemberId> leaders_;
  std::map<RunId, Epoch> join_sent_;   ///< the epoch a run proposed to end by `join`

 public:
  explicit LeadershipChecker(const World& world) : world_(&world) {}
};

}  // namespace pollux::testing
