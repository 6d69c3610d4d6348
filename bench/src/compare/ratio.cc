#include "compare/ratio.h"

#include <algorithm>

#include "pollux/core/check.h"
#include "run/wide.h"

namespace pollux {

namespace {

constexpr unsigned resamples = 4000;
constexpr std::size_t low_at = resamples * 25 / 1000, high_at = resamples * 975 / 1000 - 1;
constexpr std::uint64_t seed = 20181204;

// splitmix64: the same numbers everywhere, which the standard library's distributions don't promise.
class Dice {
 public:
  std::size_t below(std::size_t count) {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    mixed ^= mixed >> 31;
    return static_cast<std::size_t>((static_cast<Wide>(mixed) * count) >> 64);
  }

 private:
  std::uint64_t state_ = seed;
};

std::uint64_t capped(Wide ppm) {
  return ppm > ratio_max_ppm ? ratio_max_ppm : static_cast<std::uint64_t>(ppm);
}

std::uint64_t ratio_of(std::int64_t above, std::int64_t below) {
  const auto divisor = static_cast<std::uint64_t>(below);
  return capped((static_cast<Wide>(static_cast<std::uint64_t>(above)) * one_ppm + divisor / 2) / divisor);
}

std::uint64_t product_of(std::uint64_t one, std::uint64_t other) {
  return capped((static_cast<Wide>(one) * other + one_ppm / 2) / one_ppm);
}

std::int64_t resampled_median(const std::vector<std::int64_t>& runs, Dice& dice,
                              std::vector<std::int64_t>& drawn) {
  drawn.resize(runs.size());
  for (auto& one : drawn) one = runs[dice.below(runs.size())];
  const auto middle = drawn.begin() + static_cast<std::ptrdiff_t>((drawn.size() - 1) / 2);
  std::ranges::nth_element(drawn, middle);
  return *middle;
}

bool usable(const std::vector<std::int64_t>& runs) {
  return !runs.empty() && std::ranges::all_of(runs, [](std::int64_t run) { return run > 0; });
}

}  // namespace

std::int64_t median_of(std::vector<std::int64_t> runs) {
  POLLUX_CHECK(!runs.empty());
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>((runs.size() - 1) / 2);
  std::ranges::nth_element(runs, middle);
  return *middle;
}

std::optional<RatioInterval> bootstrap_ratio(const std::vector<RunsPair>& factors) {
  RatioInterval interval{.ppm = one_ppm};
  for (const auto& factor : factors) {
    if (!usable(factor.a) || !usable(factor.b)) return std::nullopt;
    interval.ppm = product_of(interval.ppm, ratio_of(median_of(factor.b), median_of(factor.a)));
  }
  Dice dice;
  std::vector<std::int64_t> drawn;
  std::vector<std::uint64_t> ratios(resamples);
  for (auto& ratio : ratios) {
    ratio = one_ppm;
    for (const auto& factor : factors) {
      const auto below = resampled_median(factor.a, dice, drawn);
      ratio = product_of(ratio, ratio_of(resampled_median(factor.b, dice, drawn), below));
    }
  }
  std::ranges::sort(ratios);
  interval.low_ppm = ratios[low_at];
  interval.high_ppm = ratios[high_at];
  return interval;
}

bool too_few_runs(std::size_t a, std::size_t b) {
  constexpr std::uint64_t divisions_needed = 40;  // 2 of them are the extreme ones
  std::uint64_t divisions = 1;
  for (std::size_t i = 1; i <= std::min(a, b); ++i) {
    divisions = divisions * (std::max(a, b) + i) / i;
    if (divisions >= divisions_needed) return false;
  }
  return true;
}

std::uint64_t detectable_ppm(const RatioInterval& interval) {
  if (interval.ppm == 0 || interval.low_ppm == 0) return ratio_max_ppm;
  const auto beyond = [](std::uint64_t large, std::uint64_t small) {
    const auto ratio = capped(static_cast<Wide>(large) * one_ppm / small);
    return ratio > one_ppm ? ratio - one_ppm : 0;
  };
  const auto half_width =
      std::max(beyond(interval.ppm, interval.low_ppm), beyond(interval.high_ppm, interval.ppm));
  // A true effect of just this size would be shown every other time; (1.96 + 0.84) / 1.96 of it four times
  // out of five.
  return capped(static_cast<Wide>(half_width) * 143 / 100);
}

std::string ratio_ppm_text(std::uint64_t ppm) {
  // Near 1 a difference may be in the fourth digit, and "1.00 x slower" would say nothing.
  constexpr std::uint64_t near = one_ppm / 100;
  const bool close = ppm != one_ppm && ppm > one_ppm - near && ppm < one_ppm + near;
  const unsigned decimals = close ? 4 : ppm < one_ppm / 10 ? 3 : 2;
  const std::uint64_t scale = close ? 10'000 : decimals == 3 ? 1000 : 100;
  const auto shown = (ppm + one_ppm / scale / 2) / (one_ppm / scale);
  const auto fraction = std::to_string(shown % scale);
  return std::to_string(shown / scale) + "." + std::string(decimals - fraction.size(), '0') + fraction;
}

}  // namespace pollux
