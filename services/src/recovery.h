// What a member finds on its disk when it starts, made into core's first event.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "log.h"
#include "pollux/audit/tables.h"
#include "pollux/audit/trail.h"
#include "pollux/core/events.h"
#include "pollux/core/result.h"
#include "quarantine.h"

namespace pollux {

struct Recovery {
  Recovered event;
  std::vector<Lsn> damaged;  ///< records the tables already show, to be fetched from the peer
  WallTime newest;           ///< time of the newest record, even if the trail no longer holds it
};

/// The member's state as stored; makes a new incarnation for files that have none.
Result<MemberState> load_or_found_state(Trail& trail);

/// Reads the records that the tables don't show yet. Those below the floor are known to be committed and are
/// applied at once, so that what is kept in memory is what was in flight, and the writes of a few seconds.
/// `damaged` if a record that is still needed can't be read, or trail and tables do not fit each other.
Result<Recovery> recover(const Trail& trail, Tables& tables, Quarantine& quarantine, const MemberState& state,
                         MemberLog& log);

/// True if another member holds whatever this one has acknowledged, so that this one's files can be set aside
/// and made anew from it: the configuration names another member, whose disk has it all.
bool peer_has_everything(const MemberState& state);

}  // namespace pollux
