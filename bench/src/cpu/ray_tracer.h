// A small ray tracer, as floating-point work for a CPU: spheres that mirror each other over a chequered
// floor, one light with shadows. Only operations that IEEE 754 fixes to the last bit, so that the image is
// the same on every host.
#pragma once

#include <cstdint>
#include <vector>

namespace pollux {

struct Image {
  unsigned width = 0, height = 0;
  std::vector<std::uint8_t> bytes;  ///< red, green, blue of each pixel, row by row
};
Image trace_image(unsigned width, unsigned height);

/// FNV-1a, of everything in it.
std::uint64_t hash_of(const Image& image);

}  // namespace pollux
