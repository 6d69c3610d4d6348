#include "host/canary.h"

#include <algorithm>
#include <array>

#include "pollux/bench/histogram.h"
#include "pollux/core/check.h"

namespace pollux {

namespace {

constexpr unsigned steps = 3'000'000;
// What the steps come to on every CPU.
constexpr std::uint64_t right_answer = 0x1d87954fd27827df;

// Each step needs the one before it: a multiplication, shifts, and a look into a table of 2 KiB.
std::uint64_t work() {
  std::array<std::uint64_t, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = i * 0x9e3779b97f4a7c15;
  std::uint64_t value = 1;
  for (unsigned i = 0; i < steps; ++i) {
    value = value * 0xd1342543de82ef95 + i;
    value ^= table[value >> 56];
    value ^= value >> 29;
  }
  return value;
}

}  // namespace

std::int64_t canary_ns() {
  std::array<std::int64_t, 5> pieces{};
  for (auto& piece : pieces) {
    const auto begin = monotonic_ns();
    // The check also keeps the loop from being left out.
    POLLUX_CHECK_WHY(work() == right_answer, "a CPU that can't compute is none to measure on");
    piece = monotonic_ns() - begin;
  }
  std::ranges::sort(pieces);
  return pieces[pieces.size() / 2] * static_cast<std::int64_t>(pieces.size());
}

std::uint64_t canary_change_ppm(std::int64_t before_ns, std::int64_t after_ns) {
  constexpr std::uint64_t million = 1'000'000;
  if (before_ns <= 0) return 0;
  const auto apart =
      static_cast<std::uint64_t>(std::max(before_ns, after_ns) - std::min(before_ns, after_ns));
  return apart * million / static_cast<std::uint64_t>(before_ns);
}

}  // namespace pollux
