// The libFuzzer entry; INPUT_TARGET names the function of input_targets.h.
#include <cstddef>
#include <cstdint>

#include "input_targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pollux::testing::INPUT_TARGET(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
