// Limits of a trail that are no option.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pollux {

/// Of dropped records the hash of each LSN divisible by this is kept, so that a returning member can tell
/// whether its history is the same.
inline constexpr std::uint64_t anchor_every = 1024;
/// And at most so many: 3 MB, for the last 67 million dropped records.
inline constexpr std::size_t anchors_max = 65536;

}  // namespace pollux
