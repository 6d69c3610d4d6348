// A pair, its requesters and its witness in a world made from one seed: one thread, virtual time.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simulation/member.h"
#include "simulation/network.h"
#include "simulation/observer.h"
#include "simulation/plan.h"
#include "simulation/requester.h"
#include "simulation/schedule.h"
#include "simulation/supervisor.h"
#include "simulation/witness.h"

namespace pollux::testing {

class World {
 public:
  explicit World(const Plan& plan);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void watch_with(Observer* observer) { observers_.push_back(observer); }

  /// Starts both members and the requesters.
  void begin();
  void run_for(Duration time);
  /// Ends every fault that can end by itself or by a supervisor's and an operator's hand.
  void heal();
  /// One primary serves with its backup in sync, every call is answered, and both disks hold the same.
  [[nodiscard]] bool at_rest() const;
  [[nodiscard]] bool healed() const { return healed_; }
  /// From `heal` until at rest. Throws a Violation if that takes longer than the plan allows.
  void settle();
  [[nodiscard]] std::string describe() const;

  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] Schedule& schedule() { return schedule_; }
  [[nodiscard]] Member& member(std::size_t index) { return *members_.at(index); }
  [[nodiscard]] const Member& member(std::size_t index) const { return *members_.at(index); }
  [[nodiscard]] Member& other(const Member& member) { return *members_.at(1 - static_cast<std::size_t>(member.index())); }
  [[nodiscard]] SimWitness& witness() { return witness_; }
  [[nodiscard]] const SimWitness& witness() const { return witness_; }
  [[nodiscard]] Network& network() { return network_; }
  [[nodiscard]] Supervisor& supervisor() { return supervisor_; }
  [[nodiscard]] std::uint32_t requesters() const { return static_cast<std::uint32_t>(requesters_.size()); }
  [[nodiscard]] Requester& requester(std::size_t index) { return *requesters_.at(index); }
  [[nodiscard]] const Requester& requester(std::size_t index) const { return *requesters_.at(index); }
  [[nodiscard]] Random fork_random() { return random_.fork(); }

  // Called by the parts.
  template <class Tell>
  void observe(Tell tell) {
    for (Observer* observer : observers_) tell(*observer);
  }
  void died(Member& member, Death death);
  void watch(Member& member, const RunId& run) { supervisor_.watch(member, run); }
  void requester_hears(std::uint32_t requester, int member, const RequesterReply& reply);
  void after_execution(Member& member, const SealedRecord& record);
  void committed(const Position& upto) { committed_top_ = std::max(committed_top_, upto); }

  /// Highest position that any primary called committed.
  [[nodiscard]] const Position& committed_top() const { return committed_top_; }
  /// The other member would go on with all that was committed if this member's files were lost.
  [[nodiscard]] bool files_can_be_lost(const Member& member) const;

  // What requesters did.
  [[nodiscard]] std::vector<Operation>& history() { return history_; }
  [[nodiscard]] const std::vector<Operation>& history() const { return history_; }
  std::uint64_t next_value() { return ++value_; }
  std::uint64_t tick_order() { return ++order_; }
  [[nodiscard]] std::uint64_t last_seen(std::uint32_t key) const;
  void saw(const Operation& operation);

 private:
  const Plan plan_;
  Random random_;
  std::vector<Observer*> observers_;
  std::vector<Operation> history_;
  std::uint64_t value_ = 0, order_ = 0, adopt_ticket_ = 1'000'000;
  std::map<std::uint32_t, std::uint64_t> last_seen_;
  Position committed_top_;
  bool healed_ = false;
  SimWitness witness_;
  Network network_;
  Supervisor supervisor_;
  std::array<std::unique_ptr<Member>, 2> members_;
  std::vector<std::unique_ptr<Requester>> requesters_;
  Schedule schedule_;  ///< last: what is still scheduled refers to all of the above
};

}  // namespace pollux::testing
