#include <mutex>

#include "files.h"
#include "pollux/ipc/witness.h"
#include "witness_rules.h"

namespace pollux {
namespace {

class MemoryWitness : public Witness {
 public:
  MemoryWitness() { fill_random(view_.witness.bytes.data(), view_.witness.bytes.size()); }

  Answer read() override {
    const std::lock_guard lock(mutex_);
    return {WitnessSaid::Outcome::read, view_, {}};
  }

  Answer propose(const Configuration& next) override {
    const std::lock_guard lock(mutex_);
    const Configuration& current = view_.configuration;
    if (same_roles(current, next)) return {WitnessSaid::Outcome::won, view_, "this proposal stands already"};
    if (current.epoch.next() != next.epoch) {
      return {WitnessSaid::Outcome::lost, view_,
              "the witness is at epoch " + std::to_string(current.epoch.value)};
    }
    if (current.epoch.value > 0 && current.cluster != next.cluster) {
      return {WitnessSaid::Outcome::in_doubt, {}, "this witness belongs to another cluster"};
    }
    const Position floor = higher(current.floor, next.floor);
    view_.configuration = next;
    view_.configuration.floor = floor;
    ++view_.revision;
    return {WitnessSaid::Outcome::won, view_, {}};
  }

  Answer adopt(const WitnessView& refused, const Configuration& next) override {
    const std::lock_guard lock(mutex_);
    const Configuration& current = view_.configuration;
    if (same_roles(current, next)) return {WitnessSaid::Outcome::won, view_, "this configuration stands already"};
    const bool is_refused_one = view_.witness == refused.witness && view_.revision == refused.revision &&
                                current.epoch == refused.configuration.epoch;
    if (!is_refused_one || next.epoch <= current.epoch) {
      return {WitnessSaid::Outcome::lost, view_,
              "the witness is at epoch " + std::to_string(current.epoch.value)};
    }
    if (current.epoch.value > 0 && current.cluster != next.cluster) {
      return {WitnessSaid::Outcome::in_doubt, {}, "this witness belongs to another cluster"};
    }
    const Position floor = higher(current.floor, next.floor);
    view_.configuration = next;
    view_.configuration.floor = floor;
    ++view_.revision;
    return {WitnessSaid::Outcome::won, view_, {}};
  }

  Result<void> raise_floor(const Configuration& configuration) override {
    const std::lock_guard lock(mutex_);
    if (!same_roles(view_.configuration, configuration)) {
      return fail(Code::witness_refused, "the witness holds another configuration, of epoch " +
                                             std::to_string(view_.configuration.epoch.value));
    }
    if (configuration.floor.lsn > view_.configuration.floor.lsn) {
      view_.configuration.floor = configuration.floor;
      ++view_.revision;
    }
    return {};
  }

 private:
  std::mutex mutex_;
  WitnessView view_;
};

}  // namespace

std::unique_ptr<Witness> make_memory_witness() { return std::make_unique<MemoryWitness>(); }

}  // namespace pollux
