// The eight bytes before every message: magic and kind, then the protocol version.
#pragma once

#include <string>
#include <string_view>

#include "pollux/core/result.h"
#include "pollux/proto/message_codec.h"

namespace pollux {

inline constexpr std::size_t frame_bytes = 8;

void append_frame(MessageKind kind, std::string* bytes);
/// Checks size, magic, kind and version; returns what follows.
Result<std::string_view> open_frame(MessageKind kind, std::string_view bytes);

}  // namespace pollux
