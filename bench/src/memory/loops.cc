#include "memory/loops.h"

namespace pollux {

namespace {

template <class Number>
constexpr Number factor = 3;

template <class Number>
void copy(const MemoryArrays<Number>& arrays) {
  Number* __restrict to = arrays.to;
  const Number* __restrict b = arrays.b;
  for (std::size_t i = 0; i < arrays.size; ++i) to[i] = b[i];
}
template <class Number>
void scale(const MemoryArrays<Number>& arrays) {
  Number* __restrict to = arrays.to;
  const Number* __restrict b = arrays.b;
  for (std::size_t i = 0; i < arrays.size; ++i) to[i] = factor<Number> * b[i];
}
template <class Number>
void add(const MemoryArrays<Number>& arrays) {
  Number* __restrict to = arrays.to;
  const Number* __restrict b = arrays.b;
  const Number* __restrict c = arrays.c;
  for (std::size_t i = 0; i < arrays.size; ++i) to[i] = b[i] + c[i];
}
template <class Number>
void triad(const MemoryArrays<Number>& arrays) {
  Number* __restrict to = arrays.to;
  const Number* __restrict b = arrays.b;
  const Number* __restrict c = arrays.c;
  for (std::size_t i = 0; i < arrays.size; ++i) to[i] = b[i] + factor<Number> * c[i];
}

}  // namespace

std::string_view to_string(MemoryLoop loop) {
  switch (loop) {
    case MemoryLoop::copy:
      return "copy";
    case MemoryLoop::scale:
      return "scale";
    case MemoryLoop::add:
      return "add";
    case MemoryLoop::triad:
      return "triad";
  }
  return "?";
}

std::uint64_t bytes_of_element(MemoryLoop loop) {
  constexpr std::uint64_t element = 8;
  return loop == MemoryLoop::copy || loop == MemoryLoop::scale ? 2 * element : 3 * element;
}

template <class Number>
void run_loop(MemoryLoop loop, const MemoryArrays<Number>& arrays) {
  switch (loop) {
    case MemoryLoop::copy:
      return copy(arrays);
    case MemoryLoop::scale:
      return scale(arrays);
    case MemoryLoop::add:
      return add(arrays);
    case MemoryLoop::triad:
      return triad(arrays);
  }
}
template void run_loop(MemoryLoop, const MemoryArrays<std::uint64_t>&);
template void run_loop(MemoryLoop, const MemoryArrays<double>&);

template <class Number>
Number value_after(MemoryLoop loop, std::size_t index) {
  const auto b = value_of_b<Number>(index), c = value_of_c<Number>(index);
  switch (loop) {
    case MemoryLoop::copy:
      return b;
    case MemoryLoop::scale:
      return factor<Number> * b;
    case MemoryLoop::add:
      return b + c;
    case MemoryLoop::triad:
      return b + factor<Number> * c;
  }
  return 0;
}
template std::uint64_t value_after(MemoryLoop, std::size_t);
template double value_after(MemoryLoop, std::size_t);

}  // namespace pollux
