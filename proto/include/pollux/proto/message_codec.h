// Messages to bytes and back. Bad bytes are `malformed`, another protocol version is `wrong_version`; the
// text names what is wrong. protobuf stays behind this header.
#pragma once

#include <string>
#include <string_view>

#include "pollux/core/peer_messages.h"
#include "pollux/core/requester_messages.h"
#include "pollux/core/result.h"

namespace pollux {

/// Grows when the wire format changes in a way that an older version can't read.
inline constexpr std::uint32_t protocol_version = 1;

std::string encode(const PeerMessage& message);
/// Records in checkpoints and tails are unsealed; their chain is computed from `previous` as the message says it.
Result<PeerMessage> decode_peer(std::string_view bytes);
std::string encode(const RequesterMessage& message);
Result<RequesterMessage> decode_requester(std::string_view bytes);
std::string encode(const RequesterReply& reply);
Result<RequesterReply> decode_reply(std::string_view bytes);

}  // namespace pollux
