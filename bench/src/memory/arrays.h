// The memory that the loops work on: three arrays far larger than the caches, in slices, one for each thread,
// each first touched by the thread that will use it, so that it lies near that thread's CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "memory/loops.h"
#include "pollux/core/result.h"

namespace pollux {

/// How large each of the three arrays is to be, and why not larger.
struct ArraySize {
  static constexpr std::uint64_t bytes_max = 512u << 20;  ///< whatever the caches are
  static constexpr std::uint64_t bytes_min = 1u << 20;    ///< below it there is nothing to measure
  static constexpr std::uint64_t caches = 4;              ///< times the last-level cache, if that can be had
  static constexpr std::uint64_t available_part =
      8;  ///< of the memory there is, an array takes one such part

  std::uint64_t bytes = 0;
  std::string capped;  ///< why it is smaller than four caches; empty: it is not
};
struct ArraySizeInput {
  std::uint64_t cache_bytes = 0;      ///< of the last level; 0: not known
  std::uint64_t available_bytes = 0;  ///< of memory, limits of our cgroup respected; 0: not known
  std::uint64_t asked_bytes = 0;      ///< by the user; 0: as large as it should be
};
ArraySize choose_array_size(const ArraySizeInput& input);
/// Of this host.
ArraySizeInput array_size_input();

class MemoryBlock {
 public:
  /// For these CPUs, a slice each.
  static Result<std::unique_ptr<MemoryBlock>> make(std::uint64_t array_bytes, const std::vector<int>& cpus);
  ~MemoryBlock();
  MemoryBlock(const MemoryBlock&) = delete;
  MemoryBlock& operator=(const MemoryBlock&) = delete;

  [[nodiscard]] const std::vector<int>& cpus() const { return cpus_; }
  [[nodiscard]] std::uint64_t array_bytes() const { return array_bytes_; }
  /// The slice of thread `index`, filled by fill() with Number's values first.
  template <class Number>
  MemoryArrays<Number> slice(std::size_t index) const {
    const auto size = array_bytes_ / sizeof(Number) / cpus_.size();
    const auto at = index * size;
    return {.to = static_cast<Number*>(array(0)) + at,
            .b = static_cast<const Number*>(array(1)) + at,
            .c = static_cast<const Number*>(array(2)) + at,
            .size = size};
  }
  /// Every thread fills its slice of all three arrays.
  template <class Number>
  Result<void> fill();

 private:
  MemoryBlock(void* memory, std::uint64_t array_bytes, const std::vector<int>& cpus)
      : memory_(memory), array_bytes_(array_bytes), cpus_(cpus) {}
  [[nodiscard]] void* array(std::size_t number) const {
    return static_cast<char*>(memory_) + number * array_bytes_;
  }
  void* memory_;
  std::uint64_t array_bytes_;
  std::vector<int> cpus_;
};

}  // namespace pollux
