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
  if (time_ns > max_ns) clamped_ += times;
  const auto value = std::clamp(time_ns, min_ns, max_ns);
  buckets_[bucket_of(static_cast<std::uint64_t>(value))] += times;
  smallest_ = count_ == 0 ? value : std::min(smallest_, value);
  largest_ = count_ == 0 ? value : std::max(largest_, value);
  count_ += times;
  sum_ += static_cast<std::uint64_t>(value) * times;
}

void Histogram::merge(const Histogram& other) {
  if (other.count_ == 0) return;
  for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  smallest_ = count_ == 0 ? other.smallest_ : std::min(smallest_, other.smallest_);
  largest_ = count_ == 0 ? other.largest_ : std::max(largest_, other.largest_);
  count_ += other.count_;
  clamped_ += other.clamped_;
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
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    // The ends are known exactly: a bucket's middle never lies outside of them.
    if (seen >= std::max<std::uint64_t>(rank, 1)) return std::clamp(value_of(i), smallest_, largest_);
  }
  POLLUX_CHECK_WHY(false, "the buckets hold fewer samples than were counted");
  return std::nullopt;
}

}  // namespace pollux
