// One call of a requester, from its caller to its answer.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "pollux/ipc/requester.h"

namespace pollux {

using SteadyTime = std::chrono::steady_clock::time_point;

enum class CallKind : std::uint8_t {
  request,
  query,
  outcome,
  open_session,  ///< the requester's own
};

struct Call {
  // As its caller made it.
  CallKind kind = CallKind::request;
  std::string payload;
  CallDone done;
  std::uint64_t trace = 0;
  SteadyTime made;
  SteadyTime deadline;
  SyncId sync;  ///< of an outcome; of a request once it has one

  // On its way. Only the loop's thread touches these.
  std::uint64_t number = 0;
  std::uint32_t attempts = 0;    ///< times sent
  std::uint32_t copies_out = 0;  ///< sent and not refused: one of them may be executed
  int link = -1;                 ///< member it is queued for or was sent to last
  bool queued = false;
  SteadyTime retry_at = SteadyTime::max();
  std::chrono::milliseconds backoff{};
  bool refused = false;     ///< since it was sent last; it waits for its next attempt
  Code refusal = Code::ok;  ///< the last one that a retry may heal, for its caller's error
  std::string refusal_text;
  std::uint32_t retry_after_ms = 0;

  Call* inbox_next = nullptr;
  Call* before = nullptr;  ///< in the list of all calls, by number
  Call* after = nullptr;
};

}  // namespace pollux
