// The witness of a simulated pair: one configuration, changed by compare-and-swap; its requests and answers
// take time, get lost, and land late.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "pollux/core/configuration.h"
#include "pollux/core/events.h"
#include "simulation/random.h"
#include "simulation/schedule.h"

namespace pollux::testing {

class World;

/// What can be wrong with the witness for a while.
enum class WitnessFault : std::uint8_t {
  none,
  outage,       ///< nothing gets through
  answers_lost, ///< requests land, nobody hears of it
  older,        ///< a restored copy answers: it went back in time
  other,        ///< another witness answers: it was replaced
};
std::string_view to_string(WitnessFault fault);

class SimWitness {
 public:
  SimWitness(World& world, Random random);

  struct Weather {
    Duration delay = std::chrono::milliseconds(1);
    double loss = 0;         ///< of a request or an answer
    double late = 0;         ///< a request lands long after its sender was told `in_doubt`
    Duration timeout = std::chrono::milliseconds(200);
  };
  Weather weather;
  WitnessFault fault = WitnessFault::none;
  bool grants_twice = false;  ///< mutation: compare-and-swap that is not atomic

  using Answer = std::function<void(WitnessSaid)>;
  void read(std::uint64_t ticket, Answer answer);
  void propose(std::uint64_t ticket, const Configuration& next, Answer answer);
  void adopt(std::uint64_t ticket, const WitnessView& refused, const Configuration& next, Answer answer);
  void raise_floor(const Configuration& configuration);
  /// Keeps today's view for WitnessFault::older.
  void remember();

  /// For good, unlike WitnessFault::older and other: an older copy of its files is put back, or (`wiped`) new ones
  /// are made. From then on it knows less than the pair, until it is made to adopt what the pair knows.
  void go_back(bool wiped);
  /// Such that no member could take it for the true one.
  [[nodiscard]] bool can_go_back(bool wiped) const;
  [[nodiscard]] bool behind() const { return view_.configuration.epoch < newest_.epoch; }

  /// The newest that was given, whatever the witness knows of it by now.
  [[nodiscard]] const Configuration& configuration() const { return newest_; }
  [[nodiscard]] const Configuration* of_epoch(Epoch epoch) const;
  /// What it holds now.
  [[nodiscard]] const Configuration& held() const { return view_.configuration; }
  /// Proposals that may still land and would name this incarnation as primary.
  [[nodiscard]] bool may_still_lead(const IncarnationId& incarnation) const;
  /// There is a view to go back to, from before the last change of roles.
  [[nodiscard]] bool has_old_view() const {
    return old_view_ && old_view_->configuration.epoch < view_.configuration.epoch;
  }

 private:
  struct Flight {
    bool told = false;
  };
  /// Does a member's disk know a later epoch?
  [[nodiscard]] bool known_beyond(Epoch epoch) const;
  void send(std::uint64_t ticket, std::function<WitnessSaid()> land, Answer answer);
  WitnessSaid land_read();
  WitnessSaid land_proposal(const Configuration& next);
  WitnessSaid land_adoption(const WitnessView& refused, const Configuration& next);

  World& world_;
  Random random_;
  WitnessView view_;
  Configuration newest_;
  std::optional<WitnessView> old_view_;
  WitnessId other_id_;
  std::map<Epoch, Configuration> history_;
  std::multimap<IncarnationId, Epoch> in_flight_;  ///< proposals under way, by who would be primary
};

}  // namespace pollux::testing
