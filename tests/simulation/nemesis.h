// Who does harm to a simulated world, at the rates of its plan.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "simulation/plan.h"
#include "simulation/random.h"

namespace pollux::testing {

class Member;
class World;

class Nemesis {
 public:
  Nemesis(World& world, Random random) : world_(world), random_(random) {}

  /// Strikes until `end`.
  void begin(Duration end);

 private:
  void again_and_again(Rate rate, std::function<void()> strike);
  void tell(const std::string& text);
  Member& anyone();
  Member& primary_if_any();
  void cut();
  void isolate();
  void kill();
  void kill_both();
  void power_loss();
  void pause();
  void force_fault(bool hang);
  void slow_disk();
  void slow_tables();
  void flip_bit();
  void pressure();
  void witness_fault();
  void witness_goes_back();
  void operator_adopts();
  void jump_wall_clock();
  void order_switch();
  void order_takeover();
  void order_stop();
  void keep_copies();
  void lie_about_death();

  World& world_;
  Random random_;
  Duration end_{};
  std::uint64_t ticket_ = 0;
};

}  // namespace pollux::testing
