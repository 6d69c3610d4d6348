// Numbers, hashes and positions in stored bytes. Little endian, as LMDB's own integer keys are on the hosts
// Pollux runs on; unaligned.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "checksum.h"
#include "pollux/core/hash.h"

namespace pollux {

static_assert(std::endian::native == std::endian::little, "Pollux's files are little endian");

template <std::unsigned_integral T>
void put_number(std::string& out, T number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}
template <std::unsigned_integral T>
T get_number(std::string_view bytes, std::size_t at = 0) {
  T number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}
/// Big endian, so that bytes sort as the numbers do.
inline void put_sorted(std::string& out, std::uint64_t number) {
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(number >> shift));
}
inline std::uint64_t get_sorted(std::string_view bytes, std::size_t at = 0) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 8; ++i) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

inline std::string_view view_of(const Hash& hash) {
  return {reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size()};
}
inline Hash get_hash(std::string_view bytes, std::size_t at = 0) {
  Hash hash;
  std::memcpy(hash.bytes.data(), bytes.data() + at, hash.bytes.size());
  return hash;
}

inline constexpr std::size_t position_bytes = 8 + 32;
inline void put_position(std::string& out, const Position& position) {
  put_number(out, position.lsn.value);
  out.append(view_of(position.hash));
}
inline Position get_position(std::string_view bytes, std::size_t at = 0) {
  return {Lsn{get_number<std::uint64_t>(bytes, at)}, get_hash(bytes, at + 8)};
}

/// A small stored value with its checksum in front; `name` (its key) is part of the checksum.
inline std::string with_checksum(std::string_view name, std::string_view value) {
  std::string out;
  put_number(out, row_checksum(name, value, ChecksumOf::meta));
  out.append(value);
  return out;
}
/// None if it was damaged.
inline std::optional<std::string_view> without_checksum(std::string_view name, std::string_view stored) {
  if (stored.size() < 8) return std::nullopt;
  const auto value = stored.substr(8);
  if (get_number<std::uint64_t>(stored) != row_checksum(name, value, ChecksumOf::meta)) return std::nullopt;
  return value;
}

}  // namespace pollux
