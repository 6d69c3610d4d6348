// The supervisor of a simulated pair: it restarts members and reports deaths, truthfully but not always in time.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "pollux/core/types.h"
#include "simulation/disk.h"
#include "simulation/observer.h"
#include "simulation/random.h"

namespace pollux::testing {

class Member;
class World;

class Supervisor {
 public:
  Supervisor(World& world, Random random) : world_(world), random_(random) {}

  void died(Member& member, Death death);
  /// Core asked to watch a run of the peer: a robust mutex tells at once if it is dead already.
  void watch(Member& member, const RunId& run);
  /// Restarts what is down, soon, and with the files as they are.
  void heal();
  /// An old report again, about a run that may be long gone.
  void repeat_an_old_report();
  void keep_a_copy(Member& member);
  void start(Member& member);

  bool restarts = true;  ///< false: a scenario starts members itself
  bool reports = true;

 private:
  struct Dead {
    int member;
    RunId run;
    BootId boot;
  };
  void report(const Dead& dead, Duration delay);
  void restart(Member& member);

  World& world_;
  Random random_;
  std::vector<Dead> dead_;
  struct Copy {
    Disk disk;
  };
  std::array<std::optional<Copy>, 2> copies_;
  bool healed_ = false;
};

}  // namespace pollux::testing
