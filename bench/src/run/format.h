// Figures for people, made of whole numbers only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "run/cell.h"

namespace pollux {

/// "83.4 us", "12.31 ms", "1.20 s": three or four digits.
std::string time_text(std::int64_t ns);
/// The same, or "-" if too few samples stand behind it.
std::string time_text(std::optional<std::int64_t> ns);
/// 1234567 as "1,234,567".
std::string count_text(std::uint64_t count);
/// "38.2 MB" (10^6 bytes).
std::string bytes_text(std::uint64_t bytes);
/// "64 B", "4 KiB", "1 MiB": a size of a message or buffer, which is most often a power of two.
std::string size_text(std::uint64_t bytes);
/// "1,234.56 MB/s" (10^6 bytes a second).
std::string bytes_rate_text(std::uint64_t bytes_per_second);
/// "1,234/s", "12.3/s".
std::string per_second_text(std::uint64_t per_second_milli);
/// A figure's number with its unit, as fits it.
std::string value_text(Unit unit, std::int64_t value);
/// above / below in hundredths, rounded; none if either is missing.
std::optional<std::uint64_t> ratio_hundredths(std::optional<std::int64_t> above,
                                              std::optional<std::int64_t> below);
/// "5.43 x", or "-".
std::string ratio_text(std::optional<std::uint64_t> hundredths);

}  // namespace pollux
