// The witness: the third vote. It keeps a pair's configuration and changes it by compare-and-swap.
//
// Calls block (file system, network): the member makes them on a thread of their own.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "pollux/core/configuration.h"
#include "pollux/core/events.h"
#include "pollux/core/result.h"

namespace pollux {

class Witness {
 public:
  virtual ~Witness() = default;
  struct Answer {
    WitnessSaid::Outcome outcome = WitnessSaid::Outcome::in_doubt;
    std::optional<WitnessView> view;
    std::string text;
  };
  virtual Answer read() = 0;
  /// Compare-and-swap from epoch next.epoch - 1. `won` only if it is certain that `next` is the configuration
  /// of its epoch, and this call (or an identical one of the same run) put it there.
  virtual Answer propose(const Configuration& next) = 0;
  /// Rewrites the floor within the epoch, never backwards. Only the primary named in it calls this.
  virtual Result<void> raise_floor(const Configuration& configuration) = 0;
};

/// Both members on one host: epoch e+1 is taken by link() of a prepared, synced file, then a directory sync.
/// No lock to be stuck in. `directory` holds one pair's files.
Result<std::unique_ptr<Witness>> open_file_witness(const std::filesystem::path& directory);
/// For tests and the simulator.
std::unique_ptr<Witness> make_memory_witness();

}  // namespace pollux
