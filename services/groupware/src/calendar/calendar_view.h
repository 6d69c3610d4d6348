// A stored calendar object as queries see it: its components with the times they speak of, read from the
// parse tree.
//
// It takes what is stored, even where it is odd: a value that can't be read is as good as absent.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calendar/rule.h"
#include "calendar/text_tree.h"
#include "calendar/values.h"
#include "calendar/zone.h"

namespace pollux {

struct CalendarViewLimits {
  static constexpr std::size_t rules_max = 16;  ///< RRULEs of one component; later ones are ignored
  static constexpr std::size_t zones_cached_max = 64;
};

/// A time with the zone it is told in.
struct Moment {
  TimeValue value;
  const Zone* zone = nullptr;  ///< null: UTC if the value says so, else floating

  [[nodiscard]] bool floats() const { return !value.utc && zone == nullptr; }
  /// `floating`: where floating times and days are looked at from.
  [[nodiscard]] std::int64_t utc_s(const Zone& floating) const {
    if (value.utc) return value.local_s;
    return (zone == nullptr ? floating : *zone).to_utc(value.local_s);
  }
};

/// One request's zones: most of the objects of a calendar bring the same VTIMEZONE. For one thread.
class ZoneCache {
 public:
  ZonePtr of_vtimezone(const TextComponent& vtimezone);  ///< null if it can't be used
  ZonePtr of_name(std::string_view tzid);                ///< null if unknown

 private:
  std::map<std::string, ZonePtr, std::less<>> zones_, names_;
};

enum class ComponentKind : std::uint8_t { event, todo, journal, freebusy, other };

/// RDATE and FREEBUSY may tell an end, too.
struct PeriodValue {
  Moment start;
  std::optional<Moment> end;
  std::optional<DurationValue> duration;
};

struct TimedComponent {
  const TextComponent* text = nullptr;
  ComponentKind kind = ComponentKind::other;
  std::optional<Moment> start;  ///< DTSTART
  std::optional<Moment> end;    ///< DTEND, of a VTODO DUE
  std::optional<DurationValue> duration;
  std::optional<Moment> completed, created;
  std::optional<Moment> recurrence_id;
  bool this_and_future = false;
  std::vector<Rule> rules;
  std::vector<PeriodValue> dates;  ///< RDATE
  std::vector<Moment> excluded;    ///< EXDATE
  bool unreadable_rule = false;    ///< there is a rule that can't be expanded: it may recur at any time

  [[nodiscard]] bool recurs() const { return !rules.empty() || !dates.empty() || unreadable_rule; }
};

class CalendarView {
 public:
  /// None if the text is no VCALENDAR. Text and cache must outlive it.
  static std::optional<CalendarView> read(std::string_view text, ZoneCache& cache);

  [[nodiscard]] const TextComponent& calendar() const { return tree_.roots.front(); }
  /// All components but VTIMEZONE, in the order of calendar().components.
  std::vector<TimedComponent> components;

  /// The zone of a TZID in this object; null: floating.
  [[nodiscard]] const Zone* zone(std::string_view tzid);
  /// A property's time; none if it can't be read.
  [[nodiscard]] std::optional<Moment> moment_of(const TextProperty& property);
  /// Each time or period of a list.
  [[nodiscard]] std::vector<PeriodValue> periods_of(const TextProperty& property);

 private:
  CalendarView(TextTree tree, ZoneCache& cache) : tree_(std::move(tree)), cache_(&cache) {}
  [[nodiscard]] TimedComponent read_component(const TextComponent& component);
  void read_property(const TextProperty& property, TimedComponent* out);

  TextTree tree_;
  ZoneCache* cache_;
  std::vector<std::pair<std::string_view, ZonePtr>> zones_;  // by TZID, as met
};

/// The zone in the text of a calendar-timezone property (RFC 4791, 5.2.2): a VCALENDAR with one VTIMEZONE.
/// Null if it has none that can be used.
ZonePtr zone_of_calendar_text(std::string_view text);

}  // namespace pollux
