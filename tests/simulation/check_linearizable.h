// Reads are never stale and never of uncommitted state, writes take effect between call and answer (I7, I9).
#pragma once

#include "simulation/observer.h"

namespace pollux::testing {

class LinearizabilityChecker : public Observer {
 public:
  void on_end(const World& world) override;
};

}  // namespace pollux::testing
