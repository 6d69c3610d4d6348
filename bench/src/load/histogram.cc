#include "pollux/bench/histogram.h"

#include <time.h>

#include <algorithm>
#include <bit>
#include <cstddef>

#include "pollux/core/check.h"

namespace pollux {

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

namespace {

constexpr unsigned bucket_bits = 10;  // 1024 buckets a power of two
constexpr std::uint64_t per_octave = 1ULL << bucket_bits;

// Values below 2 * per_octave have a bucket each. Above, the highest `bucket_bits` + 1 bits choose one: the
// first of them is always set, so the octaves follow each other without a gap.
constexpr std::size_t bucket_of(std::uint64_t value) {
  if (value < 2 * per_octave) return value;
  const auto shift = static_cast<unsigned>(std::bit_width(value)) - (bucket_bits + 1);
  return (shift * per_octave) + (value >> shift);
}

// The middle of a bucket.
constexpr std::int64_t value_of(std::size_t bucket) {
  if (bucket < 2 * per_octave) return static_cast<std::int64_t>(bucket);
  const std::uint64_t shift = bucket / per_octave - 1;
  const std::uint64_t lowest = (bucket - shift * per_octave) << shift;
  return static_cast<std::int64_t>(lowest + ((1ULL << shift) / 2));
}

constexpr std::size_t bucket_count = bucket_of(Histogram::max_ns) + 1;

constexpr std::uint32_t million = 1'000'000;

}  // namespace

Histogram::Histogram() : buckets_(bucket_count) {}

void Histogram::record_ns(std::int64_t time_ns, std::uint64_t times) {
  if (times == 0) return;
  if (time_ns < 0) {
    anomalies_ += times;
    return;
  }
  if (time_ns > max_ns) overflow_ += times;
  const auto value = std::clamp(time_ns, min_ns, max_ns);
  buckets_[bucket_of(static_cast<std::uint64_t>(value))] += times;
  smallest_ = count_ == 0 ? value : std::min(smallest_, value);
  largest_ = count_ == 0 ? value : std::max(largest_, value);
  count_ += times;
  sum_ += static_cast<std::uint64_t>(value) * times;
}

void Histogram::record_censored_ns(std::int64_t at_least_ns) {
  const auto before = count_;
  record_ns(at_least_ns);
  censored_ += count_ - before;
}

void Histogram::merge(const Histogram& other) {
  anomalies_ += other.anomalies_;
  if (other.count_ == 0) return;
  for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  smallest_ = count_ == 0 ? other.smallest_ : std::min(smallest_, other.smallest_);
  largest_ = count_ == 0 ? other.largest_ : std::max(largest_, other.largest_);
  count_ += other.count_;
  overflow_ += other.overflow_;
  censored_ += other.censored_;
  sum_ += other.sum_;
}

void Histogram::clear() { *this = Histogram(); }

std::int64_t Histogram::mean_ns() const { return count_ == 0 ? 0 : static_cast<std::int64_t>(sum_ / count_); }

std::uint64_t Histogram::samples_needed(Percentile percentile) {
  POLLUX_CHECK(percentile.ppm < million);
  const std::uint64_t beyond_ppm = million - percentile.ppm;
  return (samples_beyond_min * million + beyond_ppm - 1) / beyond_ppm;
}

std::optional<std::int64_t> Histogram::percentile_ns(Percentile percentile) const {
  if (count_ < samples_needed(percentile)) return std::nullopt;
  const auto rank =
      (count_ / million) * percentile.ppm + ((count_ % million) * percentile.ppm + million - 1) / million;
  return at_rank(rank);
}

std::int64_t Histogram::median_ns() const { return count_ == 0 ? 0 : at_rank((count_ + 1) / 2); }

std::int64_t Histogram::at_rank(std::uint64_t rank) const {
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    // The ends are known exactly: a bucket's middle never lies outside of them.
    if (seen >= std::max<std::uint64_t>(rank, 1)) return std::clamp(value_of(i), smallest_, largest_);
  }
  POLLUX_CHECK_WHY(false, "the buckets hold fewer samples than were counted");
  return 0;
}

std::int64_t Histogram::value_of_bucket(std::uint32_t bucket) { return value_of(bucket); }

std::vector<std::pair<std::uint32_t, std::uint64_t>> Histogram::filled() const {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> list;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] != 0) list.emplace_back(static_cast<std::uint32_t>(i), buckets_[i]);
  }
  return list;
}

std::optional<Histogram> Histogram::of(const Kept& kept) {
  Histogram times;
  std::optional<std::uint32_t> before;
  for (const auto& [bucket, samples] : kept.filled) {
    if (bucket >= bucket_count || samples == 0 || (before && bucket <= *before)) return std::nullopt;
    if (samples > UINT64_MAX - times.count_) return std::nullopt;
    times.buckets_[bucket] = samples;
    times.count_ += samples;
    before = bucket;
  }
  times.anomalies_ = kept.anomalies;
  if (times.count_ == 0) return times;
  const auto in_bucket = [](std::int64_t value, std::uint32_t bucket) {
    return value >= min_ns && value <= max_ns && bucket_of(static_cast<std::uint64_t>(value)) == bucket;
  };
  if (!in_bucket(kept.smallest_ns, kept.filled.front().first) ||
      !in_bucket(kept.largest_ns, kept.filled.back().first) || kept.smallest_ns > kept.largest_ns ||
      kept.overflow > times.count_ || kept.censored > times.count_) {
    return std::nullopt;
  }
  times.smallest_ = kept.smallest_ns;
  times.largest_ = kept.largest_ns;
  times.sum_ = kept.sum_ns;
  times.overflow_ = kept.overflow;
  times.censored_ = kept.censored;
  const auto mean = times.mean_ns();
  if (mean < times.smallest_ || mean > times.largest_) return std::nullopt;
  return times;
}

}  // namespace pollux
