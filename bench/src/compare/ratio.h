// The ratio of two medians and how far it can be trusted: a 95 % bootstrap interval in whole numbers, the
// same on every host and at every call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pollux {

/// B / A, in parts of a million. Never above ratio_max_ppm.
struct RatioInterval {
  std::uint64_t ppm = 0, low_ppm = 0, high_ppm = 0;
};
inline constexpr std::uint64_t one_ppm = 1'000'000;
inline constexpr std::uint64_t ratio_max_ppm = 1'000'000'000'000'000;

/// The runs of one figure on both sides.
struct RunsPair {
  std::vector<std::int64_t> a, b;
};

/// Median over runs as Figure::value() has it. Not of none.
std::int64_t median_of(std::vector<std::int64_t> runs);

/// Of the medians over runs; of several pairs the product of their ratios (so a division is a pair with its
/// sides exchanged). Resampled within each side. None if a side has no run, or one that is not above 0.
std::optional<RatioInterval> bootstrap_ratio(const std::vector<RunsPair>& factors);

/// True if so few runs can't show a difference at 95 %, however far apart they are: of all ways to divide a +
/// b runs into two sides, the two extreme ones are more than one in twenty. 4 and 4 are enough, 3 and 5 as
/// well.
bool too_few_runs(std::size_t a, std::size_t b);

/// The effect that so many runs with this spread would show four times out of five, in parts of a million:
/// 100,000 is a ratio of 1.1, or 1 / 1.1.
std::uint64_t detectable_ppm(const RatioInterval& interval);

/// "1.31" of 1,310,000; more digits where two would hide the difference.
std::string ratio_ppm_text(std::uint64_t ppm);

}  // namespace pollux
