#include "calendar/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

#include "calendar/text_tree.h"

namespace pollux {
namespace {

/// More would overflow sums; nobody plans for longer.
constexpr std::int64_t duration_s_max = 400LL * 366 * day_s;

std::optional<std::int32_t> digits(std::string_view text, std::size_t at, std::size_t count) {
  if (text.size() < at + count) return std::nullopt;
  std::int32_t number = 0;
  for (const char c : text.substr(at, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
}

}  // namespace

std::int64_t day_number(std::int32_t year, std::int32_t month, std::int32_t day) {
  // Days are counted in years that begin in March, so that the leap day is a year's last.
  const std::int64_t y = year - (month <= 2 ? 1 : 0);
  const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
  const std::int64_t of_era = y - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

CivilDay civil_of(std::int64_t day) {
  const std::int64_t z = day + 719468;
  const std::int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  const std::int64_t of_era = z - era * 146097;
  const std::int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const std::int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted = (5 * of_year + 2) / 153;
  const auto month = static_cast<std::int32_t>(shifted < 10 ? shifted + 3 : shifted - 9);
  return {static_cast<std::int32_t>(year_of_era + era * 400 + (month <= 2 ? 1 : 0)), month,
          static_cast<std::int32_t>(of_year - (153 * shifted + 2) / 5 + 1)};
}

std::int32_t days_in_month(std::int32_t year, std::int32_t month) {
  constexpr std::array<std::int32_t, 13> days{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : days[static_cast<std::size_t>(month)];
}

std::optional<TimeValue> parse_time(std::string_view text) {
  text = trim_text(text);
  const auto year = digits(text, 0, 4), month = digits(text, 4, 2), day = digits(text, 6, 2);
  if (!year || !month || !day || *year == 0 || *month < 1 || *month > 12 || *day < 1 ||
      *day > days_in_month(*year, *month)) {
    return std::nullopt;
  }
  TimeValue value{.local_s = day_number(*year, *month, *day) * day_s, .date = text.size() == 8, .utc = false};
  if (value.date) return value;
  const auto hour = digits(text, 9, 2), minute = digits(text, 11, 2), second = digits(text, 13, 2);
  if (text[8] != 'T' || !hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60)
    return std::nullopt;
  value.local_s += *hour * 3600 + *minute * 60 + std::min(*second, 59);
  if (text.size() == 15) return value;
  if (text.size() != 16 || text[15] != 'Z') return std::nullopt;
  value.utc = true;
  return value;
}

std::optional<std::int64_t> parse_utc_time(std::string_view text) {
  const auto value = parse_time(text);
  if (!value || !value->utc) return std::nullopt;
  return value->local_s;
}

std::optional<DurationValue> parse_duration(std::string_view text) {
  text = trim_text(text);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (!text.starts_with('P')) return std::nullopt;
  text.remove_prefix(1);
  DurationValue value;
  bool time = false, any = false;
  while (!text.empty()) {
    if (text.front() == 'T' && !time) {
      time = true;
      text.remove_prefix(1);
      continue;
    }
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || stop == text.data() + text.size() || number < 0 || number > duration_s_max) {
      return std::nullopt;
    }
    const char unit = *stop;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()) + 1);
    any = true;
    if (!time && unit == 'W') {
      value.days += number * 7;
    } else if (!time && unit == 'D') {
      value.days += number;
    } else if (time && unit == 'H') {
      value.seconds += number * 3600;
    } else if (time && unit == 'M') {
      value.seconds += number * 60;
    } else if (time && unit == 'S') {
      value.seconds += number;
    } else {
      return std::nullopt;
    }
    if (value.days > duration_s_max / day_s || value.seconds > duration_s_max) return std::nullopt;
  }
  if (!any) return std::nullopt;
  if (negative) value = {-value.days, -value.seconds};
  return value;
}

std::optional<std::int32_t> parse_utc_offset(std::string_view text) {
  text = trim_text(text);
  if (text.size() != 5 && text.size() != 7) return std::nullopt;
  if (text.front() != '+' && text.front() != '-') return std::nullopt;
  const auto hours = digits(text, 1, 2), minutes = digits(text, 3, 2);
  const auto seconds = text.size() == 7 ? digits(text, 5, 2) : std::optional<std::int32_t>(0);
  if (!hours || !minutes || !seconds || *hours > 23 || *minutes > 59 || *seconds > 59) return std::nullopt;
  const std::int32_t total = *hours * 3600 + *minutes * 60 + *seconds;
  return text.front() == '-' ? -total : total;
}

std::string format_time(const TimeValue& value) {
  const CivilDay day = civil_of(day_of(value.local_s));
  const auto second = static_cast<int>(second_of_day(value.local_s));
  std::array<char, 64> text{};
  const int size =
      value.date ? std::snprintf(text.data(), text.size(), "%04d%02d%02d", day.year, day.month, day.day)
                 : std::snprintf(text.data(), text.size(), "%04d%02d%02dT%02d%02d%02d%s", day.year, day.month,
                                 day.day, second / 3600, second / 60 % 60, second % 60, value.utc ? "Z" : "");
  return {text.data(), static_cast<std::size_t>(size)};
}

std::string format_utc(std::int64_t utc_s) {
  return format_time({.local_s = std::clamp(utc_s, time_s_min, time_s_max), .date = false, .utc = true});
}

}  // namespace pollux
