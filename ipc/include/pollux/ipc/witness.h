// The witness: the third vote. It keeps a pair's configuration and changes it by compare-and-swap.
//
// Calls block (file system, network): the member makes them on a thread of their own. A witness object
// belongs to one thread, but for the one in memory.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "pollux/core/configuration.h"
#include "pollux/core/events.h"
#include "pollux/core/result.h"

namespace pollux {

class Witness {
 public:
  virtual ~Witness() = default;
  struct Answer {
    WitnessSaid::Outcome outcome = WitnessSaid::Outcome::in_doubt;
    std::optional<WitnessView> view;  ///< with read, won, lost: the newest configuration there
    std::string text;                 ///< why, for people; with in_doubt always set
  };
  virtual Answer read() = 0;
  /// Compare-and-swap from epoch next.epoch - 1. `won` only if it is certain that `next` is the newest
  /// configuration, and this call (or an identical one of the same run) put it there. The floor kept is the
  /// higher of the proposed and the known one, so that no change of roles takes it backwards.
  virtual Answer propose(const Configuration& next) = 0;
  /// By an operator's order (I13): gives a witness that knows less than its pair, because it was wiped or restored
  /// from an older copy, what the pair knows. Compare-and-swap from the very view that was `refused` (id, revision
  /// and epoch) to `next`, whose epoch is a later one. `won` as with propose; `lost` if the witness is no longer
  /// what was refused, and the view shows what it is. Of adopt and propose from one epoch, one can win.
  virtual Answer adopt(const WitnessView& refused, const Configuration& next) = 0;
  /// Rewrites the floor within the epoch, never backwards: a lower one changes nothing. Only the primary
  /// named in it calls this. `witness_refused` if another configuration stands there by now.
  virtual Result<void> raise_floor(const Configuration& configuration) = 0;
};

/// Called before each step that touches the disk, with its name; an errno other than 0 makes the step fail.
/// For tests.
using WitnessStep = std::function<int(std::string_view step)>;

/// Both members on one host: epoch e+1 is taken by link() of a prepared, synced file, then a directory sync.
/// No lock to be stuck in, and no space needed: the file is prepared beforehand. `directory` holds one pair's
/// files and is made if missing (mode 0700):
///   witness.id           the witness's own id
///   epoch.<20 digits>    one configuration each, the last 16 are kept. After an adoption the file is named by the
///                        epoch after the one it was adopted over, and holds a later one
///   floor.<20 digits>    the floor of that epoch, replaced by rename
/// Damaged files are named in the answer's text and never treated as absent. After a failed directory sync
/// the object answers `in_doubt` for ever. If another directory is put in place (a copy that is restored), it is
/// read from the next call on; calls under way change nothing in it.
Result<std::unique_ptr<Witness>> open_file_witness(const std::filesystem::path& directory,
                                                   WitnessStep step = {});
/// For tests and the simulator. Thread-safe, so that both members can share one.
std::unique_ptr<Witness> make_memory_witness();

}  // namespace pollux
