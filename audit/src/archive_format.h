// The parts of an archive file, as bytes. Each has a checksum of its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bytes.h"

namespace pollux {

inline constexpr std::string_view archive_magic = "PLXARC01";
inline constexpr std::string_view block_magic = "PLXBLK01";
inline constexpr std::string_view footer_magic = "PLXEND01";
inline constexpr std::size_t archive_block_bytes = 256u
                                                   << 10;  ///< raw; a larger record has a block of its own
inline constexpr std::size_t archive_block_bytes_max = 256u << 20;  ///< beyond it a header lies

inline std::string sealed_part(std::string bytes) {
  put_number(bytes, checksum(bytes, ChecksumOf::archive));
  return bytes;
}
inline bool part_fits(std::string_view bytes, std::string_view magic) {
  return bytes.starts_with(magic) && get_number<std::uint64_t>(bytes, bytes.size() - 8) ==
                                         checksum(bytes.substr(0, bytes.size() - 8), ChecksumOf::archive);
}

inline constexpr std::size_t archive_header_bytes = 8 + position_bytes + 8;
inline std::string make_header(const Position& base) {
  std::string bytes(archive_magic);
  put_position(bytes, base);
  return sealed_part(std::move(bytes));
}
inline std::optional<Position> parse_header(std::string_view bytes) {
  if (!part_fits(bytes, archive_magic)) return std::nullopt;
  return get_position(bytes, 8);
}

struct BlockHeader {
  std::uint64_t first_lsn = 0;
  std::uint64_t count = 0;
  std::uint64_t raw_bytes = 0;
  std::uint64_t compressed_bytes = 0;
  std::uint64_t compressed_sum = 0;
  Hash last_hash;

  static constexpr std::size_t bytes = 8 + 5 * 8 + 32 + 8;
  [[nodiscard]] std::string make() const {
    std::string out(block_magic);
    for (const auto number : {first_lsn, count, raw_bytes, compressed_bytes, compressed_sum})
      put_number(out, number);
    out.append(view_of(last_hash));
    return sealed_part(std::move(out));
  }
  static std::optional<BlockHeader> parse(std::string_view in) {
    if (!part_fits(in, block_magic)) return std::nullopt;
    const auto number = [&](std::size_t i) { return get_number<std::uint64_t>(in, 8 + 8 * i); };
    return BlockHeader{number(0), number(1), number(2), number(3), number(4), get_hash(in, 48)};
  }
};

inline constexpr std::size_t footer_bytes = 8 + 8 + position_bytes + 8;
inline std::string make_footer(std::uint64_t blocks, const Position& last) {
  std::string bytes(footer_magic);
  put_number(bytes, blocks);
  put_position(bytes, last);
  return sealed_part(std::move(bytes));
}

}  // namespace pollux
