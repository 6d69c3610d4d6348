// A piece of work that always takes the same time, so that a change of the host is seen: of its frequency, of
// what its neighbours take. Arithmetic and the first cache only.
#pragma once

#include <cstdint>

namespace pollux {

/// Some 50 ms on a CPU of 2020. The median of several pieces, so that one interrupt does not count.
std::int64_t canary_ns();

/// By how much `after` differs from `before`, in parts of a million of `before`.
std::uint64_t canary_change_ppm(std::int64_t before_ns, std::int64_t after_ns);

}  // namespace pollux
