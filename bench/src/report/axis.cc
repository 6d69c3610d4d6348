#include "report/axis.h"

#include <algorithm>
#include <cmath>

#include "run/format.h"

namespace pollux {

namespace {

std::vector<std::int64_t> round_numbers(std::int64_t low, std::int64_t high, bool all) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t ten = 1;; ten *= 10) {
    for (const std::int64_t times : {1, 2, 5}) {
      if (times != 1 && !all) continue;
      if (ten > INT64_MAX / 10 / times) return numbers;
      if (ten * times >= low && ten * times <= high) numbers.push_back(ten * times);
      if (ten * times > high) return numbers;
    }
  }
}

std::int64_t below(std::int64_t value) {
  std::int64_t best = 1;
  for (const auto number : round_numbers(1, value, true)) best = number;
  return best;
}

std::int64_t above(std::int64_t value) {
  constexpr std::int64_t larger = 10;
  const auto numbers = round_numbers(value, value > INT64_MAX / larger ? INT64_MAX : value * larger, true);
  return numbers.empty() ? value : numbers.front();
}

}  // namespace

void LogAxis::add(std::int64_t value) {
  value = std::max<std::int64_t>(1, value);
  if (empty()) {
    low_ = high_ = value;
  } else {
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
}

void LogAxis::place(int from, int to) {
  from_ = from;
  to_ = to;
  if (empty()) add(1);
  low_ = below(low_);
  high_ = above(high_);
  if (high_ <= low_) high_ = low_ > INT64_MAX / 10 ? INT64_MAX : low_ * 10;
}

int LogAxis::at(std::int64_t value) const {
  const auto log = [](std::int64_t x) {
    return std::log10(static_cast<double>(std::max<std::int64_t>(1, x)));
  };
  const double part = (log(std::clamp(value, low_, high_)) - log(low_)) / (log(high_) - log(low_));
  return from_ + static_cast<int>(std::lround(part * (to_ - from_)));
}

std::vector<std::int64_t> LogAxis::ticks() const {
  constexpr std::size_t ticks_few = 3;
  auto tens = round_numbers(low_, high_, false);
  if (tens.size() >= ticks_few) return tens;
  return round_numbers(low_, high_, true);
}

std::string tick_text(Unit unit, std::int64_t value) {
  const auto scaled = [&](std::initializer_list<std::pair<std::int64_t, const char*>> units) {
    for (const auto& [size, word] : units) {
      if (value >= size && value % size == 0) return std::to_string(value / size) + " " + word;
    }
    return std::to_string(value);
  };
  switch (unit) {
    case Unit::ns:
      return scaled({{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}, {1, "ns"}});
    case Unit::bytes_per_second:
      return scaled({{1'000'000'000, "GB/s"}, {1'000'000, "MB/s"}, {1'000, "kB/s"}, {1, "B/s"}});
    case Unit::per_second_milli:
      return scaled({{1'000'000'000, "M/s"}, {1'000'000, "k/s"}, {1'000, "/s"}});
    case Unit::bytes:
      return scaled({{1'000'000'000, "GB"}, {1'000'000, "MB"}, {1'000, "kB"}, {1, "B"}});
    case Unit::count:
    case Unit::ppm:
      return value_text(unit, value);
  }
  return "?";
}

}  // namespace pollux
