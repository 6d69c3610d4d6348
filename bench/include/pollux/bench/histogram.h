// A log-linear histogram of times, in the manner of HdrHistogram: 1 ns to 1 h, each value kept to better
// than 0.1 %, merging is exact. Counts only: it knows nothing of clocks.
//
// Every power of two is divided into 1024 equal buckets, so a bucket is at most 1/1024 of its values wide,
// and what is reported, its middle, is off by at most half of that. Not thread-safe: one a thread, then
// merge.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace pollux {

/// Nanoseconds of CLOCK_MONOTONIC. Benchmarks subtract two of these and never touch floating point.
std::int64_t monotonic_ns();

/// A rank in a distribution, in parts of a million, so that no rank is rounded: p99.9 is 999'000.
struct Percentile {
  std::uint32_t ppm = 0;
  auto operator<=>(const Percentile&) const = default;
};
inline constexpr Percentile p50{500'000}, p90{900'000}, p99{990'000}, p999{999'000};

class Histogram {
 public:
  static constexpr std::int64_t min_ns = 1;
  static constexpr std::int64_t max_ns =
      3'600'000'000'000;  ///< 1 h; longer times count as this, see clamped()
  /// A percentile stands on the samples beyond it. Fewer than this, and it is not told: p99 needs 100
  /// samples.
  static constexpr std::uint64_t samples_beyond_min = 1;

  Histogram();

  /// Counts one time. Below 1 ns counts as 1 ns, above 1 h as 1 h.
  void record(std::chrono::nanoseconds time) { record_ns(time.count()); }
  void record_ns(std::int64_t time_ns, std::uint64_t times = 1);
  void merge(const Histogram& other);
  void clear();

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t clamped() const { return clamped_; }  ///< samples above 1 h
  /// Smallest and largest as they were recorded, exactly; 0 if there are none.
  [[nodiscard]] std::int64_t smallest_ns() const { return count_ == 0 ? 0 : smallest_; }
  [[nodiscard]] std::int64_t largest_ns() const { return count_ == 0 ? 0 : largest_; }
  /// Rounded down; of the recorded values, not of the buckets.
  [[nodiscard]] std::int64_t mean_ns() const;

  /// The smallest value such that at least this part of the samples is not above it; none if too few samples
  /// stand behind it (samples_beyond_min).
  [[nodiscard]] std::optional<std::int64_t> percentile_ns(Percentile percentile) const;
  /// How many samples it takes before `percentile` is told.
  [[nodiscard]] static std::uint64_t samples_needed(Percentile percentile);

 private:
  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0, clamped_ = 0;
  std::int64_t smallest_ = 0, largest_ = 0;
  std::uint64_t sum_ = 0;  // nanoseconds: enough for 584 years of measured time
};

}  // namespace pollux
