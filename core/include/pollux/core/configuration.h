// A pair's configuration as the witness holds it, and what a member keeps of it on its own disk.
#pragma once

#include <optional>
#include <string>

#include "pollux/core/hash.h"
#include "pollux/core/types.h"

namespace pollux {

/// Changed only by compare-and-swap of epoch e to e+1: lead (me, none), join (P, B), switch (B, P).
struct Configuration {
  ClusterId cluster;
  Generation generation;
  Epoch epoch;                     ///< 0: the pair has never been led
  MemberId primary;
  std::optional<MemberId> backup;  ///< none: solo
  Position floor;                  ///< committed; no one below it may lead (I3); rewritten within the epoch
  bool operator==(const Configuration&) const = default;

  [[nodiscard]] bool solo() const { return !backup; }
};

/// The witness's answer to a read or a proposal.
struct WitnessView {
  WitnessId witness;               ///< the witness's own id (I13)
  std::uint64_t revision = 0;      ///< grows with every write there
  Configuration configuration;     ///< epoch 0 if it holds none for this pair
  bool operator==(const WitnessView&) const = default;
};

/// What a member persists before it acts on a newer epoch (I10, I13). Lives in the trail's environment.
struct MemberState {
  IncarnationId incarnation;       ///< made with the files
  Configuration configuration;     ///< the newest this member has seen
  WitnessId witness;               ///< all zero: none seen yet
  std::uint64_t witness_revision = 0;
  Epoch promised;                  ///< acknowledged checkpoints of a join proposed in this epoch (I5): until a newer
                                   ///< epoch is known, no record of this member may be cut, whatever run it is in
  bool operator==(const MemberState&) const = default;
};

}  // namespace pollux
