// The eight loops of `pollux bench memory`: copy, scale, add and triad, over whole numbers and over floating
// point. Each writes one array from one or two others, element by element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pollux {

enum class MemoryLoop { copy, scale, add, triad };
std::string_view to_string(MemoryLoop loop);
/// Bytes that count for one element: those read and those written, 8 each, as STREAM counts. What a cache
/// line is fetched for before it is overwritten does not count.
std::uint64_t bytes_of_element(MemoryLoop loop);

template <class Number>
struct MemoryArrays {
  Number* to = nullptr;
  const Number* b = nullptr;
  const Number* c = nullptr;
  std::size_t size = 0;
};
/// to = b; to = 3 b; to = b + c; to = b + 3 c.
template <class Number>
void run_loop(MemoryLoop loop, const MemoryArrays<Number>& arrays);

/// What the arrays b and c hold: small numbers, so that floating point is exact.
template <class Number>
Number value_of_b(std::size_t index) {
  return static_cast<Number>(index % 1021 + 1);
}
template <class Number>
Number value_of_c(std::size_t index) {
  return static_cast<Number>(index % 509 + 2);
}
/// What the loop must have made of them.
template <class Number>
Number value_after(MemoryLoop loop, std::size_t index);

}  // namespace pollux
