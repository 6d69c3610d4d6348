// The chain hash: BLAKE2b-256 over the previous hash and a record's bytes (RFC 7693).
//
// Equal hash at an LSN means equal history up to it. A pure function; libsodium computes it.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "pollux/core/types.h"

namespace pollux {

struct Hash {
  std::array<std::uint8_t, 32> bytes{};
  constexpr auto operator<=>(const Hash&) const = default;
};

std::string to_string(const Hash& hash);  ///< 64 hex characters
Hash chain_hash(const Hash& previous, std::string_view record_bytes);

/// A place in a trail: everything up to and including `lsn`. The empty trail is {0, all zero}.
struct Position {
  Lsn lsn;
  Hash hash;
  auto operator<=>(const Position&) const = default;
};

}  // namespace pollux
