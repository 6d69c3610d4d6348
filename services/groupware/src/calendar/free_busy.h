// The answer to a free-busy-query (RFC 4791, 7.10): when somebody is busy, and nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "calendar/time_range.h"

namespace pollux {

struct FreeBusyLimits {
  static constexpr std::size_t periods_max =
      100'000;  ///< told in one answer, after those that touch were joined
};

/// For one thread.
class FreeBusy {
 public:
  /// Both ends of the range are needed. `floating`: where floating times are looked at from.
  FreeBusy(TimeRange range, ZonePtr floating);
  /// Adds what an object tells. too_large with a sentence if there are too many periods or too many steps.
  Result<void> add(std::string_view content);
  /// A VCALENDAR with one VFREEBUSY; periods in UTC, within the range, joined where they touch. `now_s`: its
  /// DTSTAMP.
  std::string render(std::int64_t now_s);

 private:
  enum Type : std::uint8_t { busy, tentative, unavailable };
  struct Period {
    std::int64_t from_s, to_s;
    bool operator==(const Period&) const = default;
  };
  void add_period(Type type, std::int64_t from_s, std::int64_t to_s);
  void add_told(const TextProperty& property, CalendarView& view);
  static void join(std::vector<Period>* periods);
  Result<void> check_size();

  const TimeRange range_;
  const ZonePtr floating_;
  ZoneCache zones_;
  std::uint64_t budget_ = RecurrenceLimits::query_steps_max;
  std::vector<Period> periods_[3];
};

}  // namespace pollux
