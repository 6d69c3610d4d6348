#include "memory/arrays.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "host/cgroup_limits.h"
#include "host/cpu_threads.h"
#include "host/host_files.h"
#include "run/format.h"

namespace pollux {

namespace {

// "491520K", "32M".
std::uint64_t bytes_in(const std::string& size) {
  const auto digits = std::min(size.find_first_not_of("0123456789"), size.size());
  const auto number = natural_in(size.substr(0, digits)).value_or(0);
  return size.substr(digits) == "K" ? number << 10 : size.substr(digits) == "M" ? number << 20 : number;
}

std::uint64_t last_level_cache(const HostFiles& files) {
  const std::string directory = "/sys/devices/system/cpu/cpu0/cache/";
  std::uint64_t level = 0, bytes = 0;
  for (const auto& index : files.names(directory)) {
    const auto its_level = files.number(directory + index + "/level").value_or(0);
    if (its_level < level) continue;
    level = its_level;
    bytes = bytes_in(files.line(directory + index + "/size"));
  }
  return bytes;
}

}  // namespace

ArraySize choose_array_size(const ArraySizeInput& input) {
  constexpr std::uint64_t step = 1u << 20;
  const auto wanted = std::max(input.cache_bytes * ArraySize::caches, 64 * step);
  ArraySize size{.bytes = input.asked_bytes != 0 ? input.asked_bytes : wanted, .capped = ""};
  std::string by = input.asked_bytes != 0 ? "as it was asked for" : "";
  if (size.bytes > ArraySize::bytes_max) {
    size.bytes = ArraySize::bytes_max;
    by = "the limit of this program";
  }
  if (input.available_bytes != 0 && size.bytes > input.available_bytes / ArraySize::available_part) {
    size.bytes = input.available_bytes / ArraySize::available_part;
    by = "an eighth of the memory that is available";
  }
  size.bytes = std::max(size.bytes / step * step, ArraySize::bytes_min);
  if (size.bytes < wanted) {
    size.capped = size_text(size.bytes) + ", " + by + ", instead of " + size_text(wanted) +
                  ", four times the last-level cache of " + size_text(input.cache_bytes);
  }
  return size;
}

ArraySizeInput array_size_input() {
  const HostFiles files;
  ArraySizeInput input{.cache_bytes = last_level_cache(files), .available_bytes = 0, .asked_bytes = 0};
  const auto words = words_of(field_of(files.text("/proc/meminfo"), "MemAvailable"));
  if (!words.empty()) input.available_bytes = natural_in(words[0]).value_or(0) << 10;
  if (const auto limit = read_cgroup_limits(files).memory_max_bytes) {
    input.available_bytes = input.available_bytes == 0 ? *limit : std::min(input.available_bytes, *limit);
  }
  return input;
}

Result<std::unique_ptr<MemoryBlock>> MemoryBlock::make(std::uint64_t array_bytes,
                                                       const std::vector<int>& cpus) {
  void* memory = mmap(nullptr, 3 * array_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return fail(Code::io_error, "can't get three arrays of " + size_text(array_bytes) + ": " +
                                    std::strerror(errno) + "; choose smaller ones with --array");
  }
  return std::unique_ptr<MemoryBlock>(new MemoryBlock(memory, array_bytes, cpus));
}

MemoryBlock::~MemoryBlock() { munmap(memory_, 3 * array_bytes_); }

template <class Number>
Result<void> MemoryBlock::fill() {
  return run_on_cpus(cpus_, [this](std::size_t index) {
    const auto arrays = slice<Number>(index);
    for (std::size_t i = 0; i < arrays.size; ++i) {
      arrays.to[i] = 0;
      // Only here are they written.
      const_cast<Number*>(arrays.b)[i] = value_of_b<Number>(i);
      const_cast<Number*>(arrays.c)[i] = value_of_c<Number>(i);
    }
  });
}
template Result<void> MemoryBlock::fill<std::uint64_t>();
template Result<void> MemoryBlock::fill<double>();

}  // namespace pollux
