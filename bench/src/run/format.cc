#include "run/format.h"

namespace pollux {

namespace {

// `value` / `unit` with so many decimals, rounded.
std::string decimal(std::uint64_t value, std::uint64_t unit, unsigned decimals) {
  std::uint64_t scale = 1;
  for (unsigned i = 0; i < decimals; ++i) scale *= 10;
  // Split, so that the product stays small.
  const auto whole = value / unit;
  const auto rest = ((value % unit) * scale + unit / 2) / unit;
  const auto all = whole * scale + rest;
  std::string text = std::to_string(all / scale);
  if (decimals == 0) return text;
  std::string fraction = std::to_string(all % scale);
  return text + "." + std::string(decimals - fraction.size(), '0') + fraction;
}

}  // namespace

std::string time_text(std::int64_t ns) {
  const auto value = static_cast<std::uint64_t>(ns < 0 ? 0 : ns);
  if (value < 1'000) return std::to_string(value) + " ns";
  if (value < 100'000) return decimal(value, 1'000, 1) + " us";
  if (value < 1'000'000) return decimal(value, 1'000, 0) + " us";
  if (value < 1'000'000'000) return decimal(value, 1'000'000, 2) + " ms";
  return decimal(value, 1'000'000'000, 2) + " s";
}

std::string time_text(std::optional<std::int64_t> ns) { return ns ? time_text(*ns) : "-"; }

std::string count_text(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

std::string bytes_text(std::uint64_t bytes) { return decimal(bytes, 1'000'000, 1) + " MB"; }

std::string size_text(std::uint64_t bytes) {
  if (bytes >= 1u << 20 && bytes % (1u << 20) == 0) return std::to_string(bytes >> 20) + " MiB";
  if (bytes >= 1u << 10 && bytes % (1u << 10) == 0) return std::to_string(bytes >> 10) + " KiB";
  return std::to_string(bytes) + " B";
}

std::string bytes_rate_text(std::uint64_t bytes_per_second) {
  return decimal(bytes_per_second, 1'000'000, 2) + " MB/s";
}

std::string per_second_text(std::uint64_t per_second_milli) {
  constexpr std::uint64_t thousandths = 1000, shown_whole = 1000 * thousandths;
  if (per_second_milli >= shown_whole) return count_text((per_second_milli + thousandths / 2) / thousandths) + "/s";
  return decimal(per_second_milli, thousandths, 1) + "/s";
}

std::string value_text(Unit unit, std::int64_t value) {
  const std::string sign = value < 0 ? "-" : "";
  const auto size = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  switch (unit) {
    case Unit::ns:
      return sign + time_text(static_cast<std::int64_t>(size));
    case Unit::per_second_milli:
      return sign + per_second_text(size);
    case Unit::bytes_per_second:
      return sign + bytes_rate_text(size);
    case Unit::bytes:
      return sign + bytes_text(size);
    case Unit::count:
      return sign + count_text(size);
    case Unit::ppm:
      return sign + decimal(size, 10'000, 2) + " %";
  }
  return "?";
}

std::optional<std::uint64_t> ratio_hundredths(std::optional<std::int64_t> above,
                                              std::optional<std::int64_t> below) {
  if (!above || !below || *above < 0 || *below <= 0) return std::nullopt;
  return (static_cast<std::uint64_t>(*above) * 100 + static_cast<std::uint64_t>(*below) / 2) /
         static_cast<std::uint64_t>(*below);
}

std::string ratio_text(std::optional<std::uint64_t> hundredths) {
  return hundredths ? decimal(*hundredths, 100, 2) + " x" : "-";
}

}  // namespace pollux
