// The libFuzzer entry; CODEC_TARGET names the function of codec_targets.h.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "codec_targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pollux::testing::CODEC_TARGET(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
