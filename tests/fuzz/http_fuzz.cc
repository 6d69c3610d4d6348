// The libFuzzer entry of http_target.h.
#include <cstddef>
#include <cstdint>

#include "http_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pollux::testing::try_http(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
