// A time zone: offsets from UTC over time, whatever it was read from.
//
// A local time that there is twice is the first of the two; one that there is not (clocks went forward) is
// read with the offset from before (RFC 5545, 3.3.5).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "calendar/text_tree.h"

namespace pollux {

struct ZoneLimits {
  /// Rules without end are written out to here; later times have the offset of then.
  static constexpr std::int32_t year_max = 2150;
  static constexpr std::size_t transitions_max = 6000;
  static constexpr std::size_t observances_max = 500;  ///< of a VTIMEZONE; later ones are ignored
  static constexpr std::uint64_t steps_max = 200'000;  ///< of writing out a VTIMEZONE's rules
};

class Zone {
 public:
  struct Transition {
    std::int64_t utc_s = 0;
    std::int32_t offset_s = 0;  ///< from then on
  };
  /// `first_offset_s` holds before the first transition. Sorts them.
  Zone(std::int32_t first_offset_s, std::vector<Transition> transitions);

  [[nodiscard]] std::int64_t to_utc(std::int64_t local_s) const;
  [[nodiscard]] std::int64_t to_local(std::int64_t utc_s) const;

  static const Zone& utc();

 private:
  std::int32_t first_offset_s_;
  std::vector<Transition> transitions_;
  std::vector<std::int64_t> local_;  // the first local second that is read with the offset of that transition
};
using ZonePtr = std::shared_ptr<const Zone>;

/// A VTIMEZONE; none if it has no STANDARD or DAYLIGHT that can be read.
std::optional<Zone> zone_from_vtimezone(const TextComponent& vtimezone);
/// A file of the system's zone database (RFC 8536), versions 2 and later; none if it can't be read.
std::optional<Zone> zone_from_tzif(std::string_view bytes);

/// The zone that a TZID without (usable) VTIMEZONE means: a name of the system's database, also behind a
/// vendor's prefix
/// ("/mozilla.org/20050126_1/Europe/Berlin"), a name that Windows uses ("W. Europe Standard Time"), or one
/// that tells its offset ("(UTC+01:00) Berlin"). None: unknown; such times are read like floating ones. Keeps
/// what it has read; any thread.
ZonePtr find_system_zone(std::string_view tzid);

/// The database's name for a name that Windows uses; empty if there is none.
std::string_view zone_of_windows_name(std::string_view name);

}  // namespace pollux
