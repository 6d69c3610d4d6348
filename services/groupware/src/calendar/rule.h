// Recurrence rules (RFC 5545, 3.3.10): reading one, and stepping through its instances.
//
// All times here are seconds by the local clock of DTSTART; zones are another file's matter. Every step is
// counted against a budget, and days, hours and minutes that the rule excludes are jumped over: a rule that
// never matches ends by the range it is asked about or by its budget, and never by patience.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "calendar/values.h"

namespace pollux {

/// What may still be done for one object or one request, in steps of a recurrence.
class WorkBudget {
 public:
  explicit WorkBudget(std::uint64_t steps) : left_(steps) {}
  bool spend(std::uint64_t steps = 1) {
    left_ -= steps < left_ ? steps : left_;
    return left_ > 0;
  }
  [[nodiscard]] bool is_spent() const { return left_ == 0; }
  [[nodiscard]] std::uint64_t left() const { return left_; }

 private:
  std::uint64_t left_;
};

enum class Frequency : std::uint8_t { secondly, minutely, hourly, daily, weekly, monthly, yearly };

struct Rule {
  Frequency frequency = Frequency::yearly;
  std::int64_t interval = 1;
  std::optional<std::uint64_t> count;
  std::optional<TimeValue> until;
  std::bitset<60> seconds, minutes;  ///< none set: not given
  std::bitset<24> hours;
  std::bitset<13> months;
  std::bitset<7> weekdays;  ///< BYDAY without a number; 0: Sunday
  struct NthWeekday {
    std::int32_t nth, weekday;
  };
  std::vector<NthWeekday> nth_weekdays;
  std::bitset<32> month_days, month_days_back;  ///< 1 is the first, or the last
  std::bitset<367> year_days, year_days_back;
  std::bitset<54> weeks, weeks_back;
  std::vector<std::int32_t> positions;  ///< BYSETPOS
  std::int32_t week_start = 1;

  [[nodiscard]] bool has_days() const { return weekdays.any() || !nth_weekdays.empty(); }
  [[nodiscard]] bool has_month_days() const { return month_days.any() || month_days_back.any(); }
  [[nodiscard]] bool has_year_days() const { return year_days.any() || year_days_back.any(); }
  [[nodiscard]] bool has_weeks() const { return weeks.any() || weeks_back.any(); }
};

/// None if the value can't be read as a rule.
std::optional<Rule> parse_rule(std::string_view value);

/// The instances of a rule after `start`, ascending. DTSTART itself is the first instance whatever the rule
/// says, and counts for COUNT; it is not among those given here. UNTIL is for the caller, who knows the zone.
class RuleIterator {
 public:
  RuleIterator(const Rule& rule, TimeValue start);

  /// Begins at the first instance not before `local_s`, without stepping through those before it. Does
  /// nothing for a rule with COUNT, whose instances must be counted. Before the first next().
  void seek(std::int64_t local_s);
  /// None: there is no other one up to `local_s_max`, or the budget is spent, which the budget tells.
  std::optional<std::int64_t> next(std::int64_t local_s_max, WorkBudget& budget);

 private:
  [[nodiscard]] bool fits_day(std::int64_t day) const;
  [[nodiscard]] bool fits_weekday(std::int64_t day, const CivilDay& civil) const;
  [[nodiscard]] bool fits_week(std::int64_t day) const;
  void add_what_start_says();
  void make_offsets();
  /// Fills starts_ with the next period that has any; false if it is past `local_s_max` or the budget is
  /// spent.
  bool fill(std::int64_t local_s_max, WorkBudget& budget);
  bool fill_days(std::int64_t local_s_max, WorkBudget& budget);
  bool fill_unit(std::int64_t local_s_max, WorkBudget& budget);
  /// A unit at `local_s` that the rule excludes: the first second that it may not exclude. None: it fits.
  [[nodiscard]] std::optional<std::int64_t> excluded_until(std::int64_t local_s) const;
  void add_days(std::int64_t from, std::int64_t to, WorkBudget& budget);
  void begin_set();
  [[nodiscard]] std::size_t set_size() const;
  [[nodiscard]] std::int64_t at(std::size_t index) const;

  Rule rule_;  // with what DTSTART adds
  const std::int64_t start_;
  const bool date_;
  std::optional<std::uint64_t> left_;  // of COUNT
  std::int64_t unit_s_ = 0;            // of a period that is a day or shorter; 0: it is longer
  std::int64_t first_ = 0;             // number of the first period: year, month, week's first day, unit
  std::int64_t period_ = 0;            // intervals since then
  std::int64_t not_before_;
  // The instances of the period are each of these starts (days, or the unit) with each of these offsets,
  // ascending.
  std::vector<std::int64_t> starts_;
  std::vector<std::int32_t> offsets_;
  std::vector<std::size_t> chosen_;  // which of them, with BYSETPOS
  std::size_t next_ = 0;
};

}  // namespace pollux
