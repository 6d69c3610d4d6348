// Exit codes of `pollux`, documented in docs/commands.md. Those of member, gateway and node processes are the
// same words (pollux/services/member.h).
#pragma once

#include "pollux/core/result.h"

namespace pollux {

struct Exit {
  static constexpr int ok = 0;      ///< done; of `status`: healthy
  static constexpr int failed = 1;  ///< refused, or only partly done
  static constexpr int usage = 2;   ///< the command line is wrong
  static constexpr int bad_config = 3;
  static constexpr int in_use = 4;   ///< another process holds the data directory, a member's, or the port
  static constexpr int damaged = 5;  ///< a stored file can't be used
  static constexpr int storage = 6;  ///< the disk failed, hung or is full
  static constexpr int hung = 7;     ///< of a member: a thread made no progress
  static constexpr int unreachable = 8;  ///< nobody answers
  static constexpr int in_doubt = 9;     ///< it may have been executed
  static constexpr int degraded = 10;    ///< of `status`: serves, but would not survive the next failure
  static constexpr int down = 11;        ///< of `status`: a pair does not serve
};

int exit_code(Code code);

}  // namespace pollux
