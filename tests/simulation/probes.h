// Rare branches of core, seen from outside. A run over all seeds fails if one of them was never reached:
// then the simulator does not test what it is believed to test.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "simulation/observer.h"

namespace pollux::testing {

enum class Probe : std::uint8_t {
#define POLLUX_SIM_PROBE(name, words) name,
#include "simulation/probes.inc"
#undef POLLUX_SIM_PROBE
  count
};
std::string_view name(Probe probe);
std::string_view words(Probe probe);

class ProbeCounts {
 public:
  void hit(Probe probe) { ++counts_[static_cast<std::size_t>(probe)]; }
  void add(const ProbeCounts& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  }
  [[nodiscard]] std::uint64_t of(Probe probe) const { return counts_[static_cast<std::size_t>(probe)]; }
  [[nodiscard]] std::string never_reached() const;
  [[nodiscard]] std::string list() const;

 private:
  std::array<std::uint64_t, static_cast<std::size_t>(Probe::count)> counts_{};
};

class ProbeObserver : public Observer {
 public:
  ProbeObserver(World& world, ProbeCounts& counts) : world_(&world), counts_(&counts) {}

  void on_start(const Member& member) override;
  void on_death(const Member& member, Death death) override;
  void on_pause(const Member& member) override;
  void on_event(const Member& member, const PairStatus& before, const Event& event) override;
  void on_actions(const Member& member, const PairStatus& before, const PairStatus& after,
                  std::span<const Action> actions) override;
  void on_record(const Member& member, const RecordPtr& record, const Hash& previous) override;
  void on_cut(const Member& member, const RecordPtr& record) override;
  void on_read_beside(bool found) override;
  void on_witness_adopted(const SimWitness& witness, const Configuration& over) override;
  void on_witness(const SimWitness& witness, const Configuration& before) override;
  void on_execute(const Member& member, const SyncId& sync, const RegisterRequest& request) override;

 private:
  void see_proposal(const Member& member, const PairStatus& before, const PairStatus& after, const Configuration& next);
  void see_reply(const PairStatus& after, const RequesterReply& reply, std::uint32_t requester);
  void see_message(const PeerBody& body);
  void see_role(const Member& member, const RoleChanged& change);
  void hit(Probe probe) { counts_->hit(probe); }

  enum class Cause : std::uint8_t { other, tick, death, order };
  struct OfMember {
    Cause cause = Cause::other;
    bool proposed_switch = false, proposed_join = false, join_in_doubt = false;
    bool paused_as_primary = false, snapshot_under_way = false;
    bool wiped_since = false, restored_since = false, was_refused = false;
    std::optional<RunId> died;
  };
  std::array<OfMember, 2> of_;
  OfMember& of(const Member& member);
  World* world_;
  ProbeCounts* counts_;
  std::array<IncarnationId, 2> incarnations_{};
  std::array<std::uint64_t, 2> restored_{};
  std::set<SyncId> hung_, answered_;
  std::map<SyncId, Epoch> executed_in_;
};

}  // namespace pollux::testing
