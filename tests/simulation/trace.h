// Tells every event and action of a simulated world in lines, and takes their fingerprint.
#pragma once

#include <cstdint>
#include <ostream>

#include "simulation/observer.h"

namespace pollux::testing {

class Trace : public Observer {
 public:
  Trace(const World& world, std::ostream* out) : world_(&world), out_(out) {}

  void on_start(const Member& member) override;
  void on_death(const Member& member, Death death) override;
  void on_event(const Member& member, const PairStatus& before, const Event& event) override;
  void on_actions(const Member& member, const PairStatus& before, const PairStatus& after,
                  std::span<const Action> actions) override;
  void on_witness(const SimWitness& witness, const Configuration& before) override;
  void on_fault(const std::string& text) override;

 private:
  void line(const Member* member, const std::string& text);
  const World* world_;
  std::ostream* out_;
};

/// A number that two runs of one seed share: of what happened when, in which order.
class Fingerprint : public Observer {
 public:
  explicit Fingerprint(const World& world) : world_(&world) {}
  void on_event(const Member& member, const PairStatus& before, const Event& event) override;
  void on_actions(const Member& member, const PairStatus& before, const PairStatus& after,
                  std::span<const Action> actions) override;
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  void mix(std::uint64_t number);
  const World* world_;
  std::uint64_t value_ = 0x9e3779b97f4a7c15ULL;
};

}  // namespace pollux::testing
