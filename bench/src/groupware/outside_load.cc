#include "groupware/outside_load.h"

#include <array>

namespace pollux {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What follows `label`, without blanks before it; none if there is no such label.
std::optional<std::string_view> after(std::string_view text, std::string_view label) {
  auto at = text.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  at = text.find_first_not_of(" \t", at + label.size());
  return at == std::string_view::npos ? std::string_view() : text.substr(at);
}

std::uint64_t count_after(std::string_view text, std::string_view label) {
  const auto value = after(text, label);
  const auto milli = value ? decimal_milli(*value) : std::nullopt;
  return milli.value_or(0) / 1000;
}

// "1.02ms", "85.00us", "1.10s", "2.00m" as wrk writes times.
std::optional<std::int64_t> wrk_time_ns(std::string_view text) {
  const auto milli = decimal_milli(text);
  if (!milli) return std::nullopt;
  const auto unit = text.substr(text.find_first_not_of("0123456789."));
  static constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> units = {
      {{"us", 1}, {"ms", 1'000}, {"s", 1'000'000}, {"m", 60'000'000}}};
  for (const auto& [name, ns_a_milli] : units) {
    if (unit.starts_with(name)) return static_cast<std::int64_t>(*milli) * ns_a_milli;
  }
  return std::nullopt;
}

std::optional<std::int64_t> wrk_percentile(std::string_view text, std::string_view label) {
  const auto value = after(text, label);
  return value ? wrk_time_ns(*value) : std::nullopt;
}

// A line "50,1.234" of milliseconds.
std::optional<std::int64_t> ab_percentile(std::string_view lines, std::string_view percent) {
  const auto value = after(lines, "\n" + std::string(percent) + ",");
  const auto milli = value ? decimal_milli(*value) : std::nullopt;
  if (!milli) return std::nullopt;
  return static_cast<std::int64_t>(*milli) * 1'000;
}

}  // namespace

std::optional<std::uint64_t> decimal_milli(std::string_view text) {
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  std::uint64_t value = 0;
  std::size_t at = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) {
    if (value > UINT64_MAX / 100'000) return std::nullopt;
    value = value * 10 + static_cast<unsigned>(text[at] - '0');
  }
  std::uint64_t scale = 1000;
  value *= scale;
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && is_digit(text[at]) && scale > 1; ++at) {
      scale /= 10;
      value += scale * static_cast<unsigned>(text[at] - '0');
    }
  }
  return value;
}

Result<OutsideFigure> parse_wrk(std::string_view text) {
  const auto rate = after(text, "Requests/sec:");
  const auto milli = rate ? decimal_milli(*rate) : std::nullopt;
  if (!milli) return fail(Code::malformed, "wrk tells no rate");
  OutsideFigure figure{.per_second_milli = *milli,
                       .p50_ns = wrk_percentile(text, "50%"),
                       .p99_ns = wrk_percentile(text, "99%")};
  if (const auto end = text.find(" requests in "); end != std::string_view::npos) {
    const auto begin = text.find_last_not_of("0123456789", end - 1);
    figure.answered = decimal_milli(text.substr(begin + 1)).value_or(0) / 1000;
  }
  figure.failures = count_after(text, "Non-2xx or 3xx responses:");
  if (const auto errors = after(text, "Socket errors:")) {
    for (const char* kind : {"connect ", "read ", "write ", "timeout "})
      figure.failures += count_after(*errors, kind);
  }
  return figure;
}

Result<OutsideFigure> parse_ab(std::string_view text, std::string_view percentiles) {
  const auto rate = after(text, "Requests per second:");
  const auto milli = rate ? decimal_milli(*rate) : std::nullopt;
  if (!milli) return fail(Code::malformed, "ab tells no rate");
  return OutsideFigure{
      .per_second_milli = *milli,
      .p50_ns = ab_percentile(percentiles, "50"),
      .p99_ns = ab_percentile(percentiles, "99"),
      .answered = count_after(text, "Complete requests:"),
      .failures = count_after(text, "Failed requests:") + count_after(text, "Non-2xx responses:")};
}

}  // namespace pollux
