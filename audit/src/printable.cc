#include "printable.h"

#include "pollux/core/types.h"

namespace pollux {

std::string printable(std::string_view bytes) {
  constexpr std::size_t shown_max = 80;
  std::string text;
  for (const char c : bytes.substr(0, shown_max)) {
    if (c >= ' ' && c <= '~' && c != '"' && c != '\\') {
      text.push_back(c);
    } else {
      const auto byte = static_cast<std::uint8_t>(c);
      text += "\\x" + to_hex(&byte, 1);
    }
  }
  if (bytes.size() > shown_max) text += "...";
  return text;
}

}  // namespace pollux
