// Messages to bytes and back. protobuf stays behind this header.
//
// Every message begins with eight bytes: "PLX" and the kind's letter, then the protocol version (32 bits,
// little-endian). So bytes from elsewhere are `malformed`, and another version is `wrong_version` whatever
// follows; the text says what is wrong and what to do. No bytes make a decoder crash or use more memory than
// a small multiple of their size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pollux/core/peer_messages.h"
#include "pollux/core/requester_messages.h"
#include "pollux/core/result.h"

namespace pollux {

/// Grows when the wire format changes in a way that an older version can't read.
inline constexpr std::uint32_t protocol_version = 1;

// Limits. Who makes a message keeps them; `encode` checks that.
inline constexpr std::size_t message_bytes_max = 72u << 20;   ///< above record_bytes_max and every payload
inline constexpr std::size_t message_records_max = 1u << 20;  ///< of a checkpoint or tail
inline constexpr std::size_t message_lsns_max = 1u << 16;     ///< of a HashAsk or HashTell
inline constexpr std::size_t pair_name_bytes_max = 255;

enum class MessageKind : char { peer = 'p', requester = 'q', reply = 'r', batch = 'b' };
/// The kind that the first bytes claim, of whatever version; none if they are not a message's.
std::optional<MessageKind> message_kind(std::string_view bytes);

std::string encode(const PeerMessage& message);
/// Records in checkpoints and tails are unsealed; their chain is computed from `previous` as the message says
/// it. Their LSNs follow `previous` without a gap, or the message is `malformed`.
Result<PeerMessage> decode_peer(std::string_view bytes);
std::string encode(const RequesterMessage& message);
Result<RequesterMessage> decode_requester(std::string_view bytes);
std::string encode(const RequesterReply& reply);
Result<RequesterReply> decode_reply(std::string_view bytes);

}  // namespace pollux
