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
#include <utility>
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
  static constexpr std::int64_t max_ns = 3'600'000'000'000;  ///< 1 h; longer times count as this, see overflow()
  /// A percentile stands on the samples beyond it. Fewer than this, and it is not told: p99 needs 1,000 samples.
  static constexpr std::uint64_t samples_beyond_min = 10;

  Histogram();

  /// Counts one time. 0 counts as 1 ns (the clock's step), above 1 h as 1 h. A time below 0 is no time: the clock
  /// went backwards. It is counted as an anomaly and not as a sample.
  void record(std::chrono::nanoseconds time) { record_ns(time.count()); }
  void record_ns(std::int64_t time_ns, std::uint64_t times = 1);
  /// Something that had not ended after this time, when it was given up: a sample of at least so much. To leave it
  /// out would hide the worst.
  void record_censored_ns(std::int64_t at_least_ns);
  void merge(const Histogram& other);
  void clear();

  [[nodiscard]] std::uint64_t count() const { return count_; }          ///< samples, censored ones included
  [[nodiscard]] std::uint64_t overflow() const { return overflow_; }    ///< of these, above 1 h
  [[nodiscard]] std::uint64_t censored() const { return censored_; }    ///< of these, only known to be at least so long
  [[nodiscard]] std::uint64_t anomalies() const { return anomalies_; }  ///< times below 0, no samples
  /// Smallest and largest as they were recorded, exactly; 0 if there are none.
  [[nodiscard]] std::int64_t smallest_ns() const { return count_ == 0 ? 0 : smallest_; }
  [[nodiscard]] std::int64_t largest_ns() const { return count_ == 0 ? 0 : largest_; }
  /// Rounded down; of the recorded values, not of the buckets.
  [[nodiscard]] std::int64_t mean_ns() const;

  /// The smallest value such that at least this part of the samples is not above it; none if too few samples
  /// stand behind it (samples_beyond_min).
  [[nodiscard]] std::optional<std::int64_t> percentile_ns(Percentile percentile) const;
  /// The middle of however few samples: for one run among several. 0 if there are none.
  [[nodiscard]] std::int64_t median_ns() const;
  /// How many samples it takes before `percentile` is told.
  [[nodiscard]] static std::uint64_t samples_needed(Percentile percentile);

  /// The buckets that hold something, as (number of the bucket, samples) in rising order: what a file keeps.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint64_t>> filled() const;
  /// A histogram of what filled() gave, with the ends and the sum; none if these don't fit together.
  struct Kept {
    std::vector<std::pair<std::uint32_t, std::uint64_t>> filled;
    std::int64_t smallest_ns = 0, largest_ns = 0;
    std::uint64_t sum_ns = 0, overflow = 0, censored = 0, anomalies = 0;
  };
  static std::optional<Histogram> of(const Kept& kept);
  [[nodiscard]] std::uint64_t sum_ns() const { return sum_; }
  /// Middle of a bucket.
  static std::int64_t value_of_bucket(std::uint32_t bucket);

 private:
  [[nodiscard]] std::int64_t at_rank(std::uint64_t rank) const;

  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0, overflow_ = 0, censored_ = 0, anomalies_ = 0;
  std::int64_t smallest_ = 0, largest_ = 0;
  std::uint64_t sum_ = 0;  // nanoseconds: enough for 584 years of measured time
};

}  // namespace pollux
