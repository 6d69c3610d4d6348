// The member process: joins `core` to ZeroMQ, LMDB, the witness and a service. Does not decide anything about
// roles: that is core's.
//
// Threads: one speaks ZeroMQ and runs core; one executes; one forces; one applies; a few query; one talks to
// the witness; one serves the control socket; one waits on the peer's death sign. They hand over by queues.
#pragma once

#include "pollux/core/result.h"
#include "pollux/services/config.h"
#include "pollux/services/service.h"

namespace pollux {

/// Exit codes of a member process, documented in docs/commands.md.
struct MemberExit {
  static constexpr int stopped = 0;         ///< by order
  static constexpr int usage = 2;
  static constexpr int bad_config = 3;
  static constexpr int in_use = 4;          ///< the directory is locked by another process
  static constexpr int damaged = 5;         ///< a stored file can't be used; restarting won't help
  static constexpr int storage_failed = 6;  ///< the disk failed, was full, or hung (I11)
  static constexpr int hung = 7;            ///< a thread made no progress
};

/// Runs member `name` of `pair` until it is stopped. Prints one line on stderr if it can't start.
int run_member(const Config& config, const PairConfig& pair, const MemberConfig& member, const ServiceFactory& service);

}  // namespace pollux
