// Persist, then act (I10): no message, record or proposal bears an epoch that is not on its sender's disk.
#pragma once

#include <map>

#include "simulation/observer.h"

namespace pollux::testing {

class EpochChecker : public Observer {
 public:
  void on_start(const Member& member) override;
  void on_actions(const Member& member, const PairStatus& before, const PairStatus& after,
                  std::span<const Action> actions) override;
  void on_record(const Member& member, const RecordPtr& record, const Hash& previous) override;

 private:
  struct Seen {
    std::uint64_t restored = 0;
    Epoch acted_in;
  };
  void act(const Member& member, Epoch epoch, const char* what);
  std::map<IncarnationId, Seen> seen_;  ///< the highest epoch a member acted in
};

}  // namespace pollux::testing
