// The values of iCalendar that say when (RFC 5545, 3.3): dates, times, durations, periods, offsets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pollux {

inline constexpr std::int64_t day_s = 86400;

/// A DATE or DATE-TIME as it is written: seconds from 1970-01-01T00:00:00 by the clock it is written in.
struct TimeValue {
  std::int64_t local_s = 0;
  bool date = false;
  bool utc = false;
  bool operator==(const TimeValue&) const = default;
};
/// None if it is no such value, or its day or hour does not exist. A leap second counts as the second before
/// it.
std::optional<TimeValue> parse_time(std::string_view text);
/// As parse_time, for a value that must be a DATE-TIME in UTC.
std::optional<std::int64_t> parse_utc_time(std::string_view text);

/// A DURATION: days are the calendar's, seconds the clock's (RFC 5545, 3.3.6). Both have its sign.
struct DurationValue {
  std::int64_t days = 0, seconds = 0;
  [[nodiscard]] std::int64_t about_s() const { return days * day_s + seconds; }
  bool operator==(const DurationValue&) const = default;
};
std::optional<DurationValue> parse_duration(std::string_view text);

/// UTC-OFFSET in seconds, within a day.
std::optional<std::int32_t> parse_utc_offset(std::string_view text);

/// "20240131T100000Z" and the like.
std::string format_time(const TimeValue& value);
std::string format_utc(std::int64_t utc_s);

/// Days since 1970-01-01, rounding down; and the rest.
constexpr std::int64_t day_of(std::int64_t local_s) {
  return local_s >= 0 ? local_s / day_s : -((-local_s + day_s - 1) / day_s);
}
constexpr std::int64_t second_of_day(std::int64_t local_s) { return local_s - day_of(local_s) * day_s; }

struct CivilDay {
  std::int32_t year;
  std::int32_t month, day;  ///< from 1
};
CivilDay civil_of(std::int64_t day);
std::int64_t day_number(std::int32_t year, std::int32_t month, std::int32_t day);
std::int32_t days_in_month(std::int32_t year, std::int32_t month);
/// 0: Sunday.
constexpr std::int32_t weekday_of(std::int64_t day) {
  return static_cast<std::int32_t>(((day + 4) % 7 + 7) % 7);
}

/// First and last second that a time can have here: years 1 to 9999.
inline constexpr std::int64_t time_s_min = -62135596800;
inline constexpr std::int64_t time_s_max = 253402300799;

}  // namespace pollux
