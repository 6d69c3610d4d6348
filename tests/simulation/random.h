// Random numbers of the simulator: the same on every machine and library, from one seed.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "pollux/core/types.h"

namespace pollux::testing {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {  // SplitMix64 (Steele, Lea, Flood 2014)
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  /// 0 ... n - 1; n must not be 0.
  std::uint64_t below(std::uint64_t n) { return next() % n; }
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  bool chance(double probability) { return unit() < probability; }
  Duration between(Duration low, Duration high) {
    if (high <= low) return low;
    return low + Duration(static_cast<std::int64_t>(below(static_cast<std::uint64_t>((high - low).count()))));
  }
  /// Exponential, cut off at ten times the mean.
  Duration about(Duration mean) {
    const double x = -std::log(1.0 - unit());
    return Duration(static_cast<std::int64_t>(static_cast<double>(mean.count()) * (x > 10.0 ? 10.0 : x)));
  }
  template <class Id>
  Id id() {
    Id result;
    for (auto& byte : result.bytes) byte = static_cast<std::uint8_t>(next() >> 56);
    return result;
  }
  /// An independent stream: what one part of the world draws does not shift what another draws.
  Random fork() { return Random(next()); }

 private:
  std::uint64_t state_;
};

}  // namespace pollux::testing
