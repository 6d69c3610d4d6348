// How late a thread wakes up that asked to be woken at a certain time: what heartbeats and leases stand on.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "pollux/bench/histogram.h"
#include "pollux/core/result.h"

namespace pollux {

enum class WakeupBy { clock_nanosleep, timer_fd, condition_variable };
std::string_view to_string(WakeupBy by);

struct WakeupOptions {
  std::chrono::nanoseconds period = std::chrono::milliseconds(1);
  std::uint64_t times = 500;
  const std::atomic<bool>* stop = nullptr;  ///< when it becomes true, it ends early
};
/// The times are fixed beforehand: one late wake-up makes those after it late too, as a late heartbeat does.
Result<Histogram> measure_wakeup(WakeupBy by, const WakeupOptions& options = {});

}  // namespace pollux
