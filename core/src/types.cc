#include "pollux/core/types.h"

namespace pollux {

std::string to_hex(const std::uint8_t* bytes, std::size_t count) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(count * 2);
  for (std::size_t i = 0; i < count; ++i) {
    text.push_back(digits[bytes[i] >> 4]);
    text.push_back(digits[bytes[i] & 15]);
  }
  return text;
}

namespace {
int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}
}  // namespace

bool parse_hex(std::string_view text, std::uint8_t* bytes, std::size_t count) {
  std::size_t digits = 0;
  for (const char c : text) {
    if (c == '-') continue;
    const int value = digit_value(c);
    if (value < 0 || digits == count * 2) return false;
    auto& byte = bytes[digits / 2];
    byte = static_cast<std::uint8_t>(digits % 2 == 0 ? value << 4 : byte | value);
    ++digits;
  }
  return digits == count * 2;
}

}  // namespace pollux
