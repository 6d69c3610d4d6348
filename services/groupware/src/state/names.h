// Checks of text that came from outside.
#pragma once

#include <string_view>

namespace pollux {

/// Well-formed UTF-8 (RFC 3629): nothing overlong, no surrogates.
bool is_utf8(std::string_view text);
/// Has an ASCII control character.
bool has_control(std::string_view text);

}  // namespace pollux
