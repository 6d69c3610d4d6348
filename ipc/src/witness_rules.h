// What every witness has in common: when a proposal stands already, and how floors are joined.
#pragma once

#include "pollux/core/configuration.h"

namespace pollux {

/// The same configuration but for the floor, which is rewritten within an epoch.
inline bool same_roles(const Configuration& a, const Configuration& b) {
  return a.cluster == b.cluster && a.generation == b.generation && a.epoch == b.epoch &&
         a.primary == b.primary && a.backup == b.backup;
}

inline const Position& higher(const Position& a, const Position& b) { return a.lsn < b.lsn ? b : a; }

}  // namespace pollux
