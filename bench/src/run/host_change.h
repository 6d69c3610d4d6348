// Did the host change while it was measured? A reference loop that ran before and after everything tells.
#pragma once

#include <cstdint>

#include "run/result.h"

namespace pollux {

/// 10 %: beyond it every measured cell is at best noisy.
inline constexpr std::uint64_t host_change_noisy_ppm = 100'000;

/// Adds both times of the loop to the host's facts, "canary.before_ns" and "canary.after_ns"; and if they
/// differ too much a finding, and a reason to every cell that was measured.
void note_host_change(BenchResult& result, std::int64_t before_ns, std::int64_t after_ns);

}  // namespace pollux
