// What a member counts for `pollux status`, and the signs of progress its watchdog looks at.
#pragma once

#include <atomic>
#include <cstdint>

namespace pollux {

using Count = std::atomic<std::uint64_t>;

struct MemberCounters {
  Count executed{0}, aborted{0};
  Count forces{0}, records_forced{0}, force_us{0};
  Count applies{0}, records_applied{0}, apply_us{0};
  Count queries{0}, queries_refused{0};
  Count witness_calls{0};
  Count records_scrubbed{0}, damage_found{0}, records_repaired{0};
  Count retention_steps{0};
  Count role_changes{0};
  // Sums over `stages` requests that were followed on their way (stage_watch.h).
  Count stages{0}, stage_execute_ns{0}, stage_force_ns{0}, stage_checkpoint_ns{0}, stage_both_ns{0}, stage_reply_ns{0};
};

/// Grows whenever the thread that runs core went round once.
struct Progress {
  Count core{0};
};

}  // namespace pollux
