#include "frame.h"

namespace pollux {
namespace {

constexpr std::string_view magic = "PLX";

std::string_view name(MessageKind kind) {
  switch (kind) {
    case MessageKind::peer:
      return "peer message";
    case MessageKind::requester:
      return "requester message";
    case MessageKind::reply:
      return "reply";
    case MessageKind::batch:
      return "batch";
  }
  return "message";
}

}  // namespace

void append_frame(MessageKind kind, std::string* bytes) {
  bytes->append(magic);
  bytes->push_back(static_cast<char>(kind));
  for (unsigned shift = 0; shift < 32; shift += 8) {
    bytes->push_back(static_cast<char>((protocol_version >> shift) & 0xff));
  }
}

std::optional<MessageKind> message_kind(std::string_view bytes) {
  if (bytes.size() < frame_bytes || !bytes.starts_with(magic)) return std::nullopt;
  switch (bytes[magic.size()]) {
    case 'p':
      return MessageKind::peer;
    case 'q':
      return MessageKind::requester;
    case 'r':
      return MessageKind::reply;
    case 'b':
      return MessageKind::batch;
    default:
      return std::nullopt;
  }
}

Result<std::string_view> open_frame(MessageKind kind, std::string_view bytes) {
  const auto claimed = message_kind(bytes);
  if (!claimed) {
    return fail(Code::malformed,
                "malformed message: it does not come from Pollux; check what connects to this endpoint");
  }
  std::uint32_t version = 0;
  for (unsigned i = 0; i < 4; ++i) {
    version |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[magic.size() + 1 + i])) << (8 * i);
  }
  if (version != protocol_version) {
    return fail(Code::wrong_version, "the sender speaks protocol version " + std::to_string(version) +
                                         ", this process speaks " + std::to_string(protocol_version) +
                                         "; run releases with the same protocol version on both sides");
  }
  if (*claimed != kind) {
    return fail(Code::malformed, "malformed message: a " + std::string(name(*claimed)) + " where a " +
                                     std::string(name(kind)) + " belongs; check the configured endpoints");
  }
  if (bytes.size() > message_bytes_max) {
    return fail(Code::malformed, "malformed message: " + std::to_string(bytes.size()) +
                                     " bytes, more than the limit of " + std::to_string(message_bytes_max));
  }
  return bytes.substr(frame_bytes);
}

}  // namespace pollux
