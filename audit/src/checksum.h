// Short checksums of stored rows and records: LMDB 0.9 has none of its own.
//
// SipHash-2-4 with fixed keys. Not against an attacker who can write our files: against bits that flip.
#pragma once

#include <sodium.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace pollux {

/// What a checksum is of: the same bytes in another place have another checksum.
enum class ChecksumOf : std::uint64_t { record_head = 1, record_body, row_key, row, session, meta, archive };

inline std::uint64_t checksum(std::string_view bytes, ChecksumOf of, std::uint64_t place = 0) {
  static_assert(crypto_shorthash_BYTES == 8 && crypto_shorthash_KEYBYTES == 16);
  std::array<unsigned char, crypto_shorthash_KEYBYTES> key;
  const auto kind = static_cast<std::uint64_t>(of);
  std::memcpy(key.data(), &place, sizeof place);
  std::memcpy(key.data() + sizeof place, &kind, sizeof kind);
  std::uint64_t sum = 0;
  crypto_shorthash(reinterpret_cast<unsigned char*>(&sum),
                   reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), key.data());
  return sum;
}

/// Of a row: its key is the place of its value.
inline std::uint64_t row_checksum(std::string_view key, std::string_view value, ChecksumOf of) {
  return checksum(value, of, checksum(key, ChecksumOf::row_key));
}

}  // namespace pollux
