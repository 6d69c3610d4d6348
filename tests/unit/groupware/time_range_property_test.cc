// Time ranges against brute force: objects and ranges from random numbers, judged by walking through days one
// by one.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <chrono>

#include "calendar/time_range.h"
#include "calendar_samples.h"

namespace pollux::testing {
namespace {

struct Case {
  std::int64_t start_day = 0, start_second = 0, length_s = 0;
  std::string frequency;
  std::int64_t interval = 1;
  std::vector<std::int32_t> weekdays, month_days;
  std::int64_t count = 0;  // 0: none
  std::int64_t until_day = 0;
  std::vector<std::int64_t> excluded;  // days after the start
  std::int64_t moved = -1;             // day after the start whose instance is moved
  std::int64_t moved_by_s = 0;
};

const std::array<const char*, 7> day_names{"SU", "MO", "TU", "WE", "TH", "FR", "SA"};
constexpr std::int64_t horizon_days = 900;

Case any_case() {
  Case one;
  one.start_day = day_number(2023, 1, 1) + *rc::gen::inRange(0, 400);
  one.start_second = *rc::gen::inRange(0, 96) * 900;
  one.length_s = *rc::gen::element<std::int64_t>(0, 1800, 3600, day_s, 3 * day_s);
  one.frequency = *rc::gen::element<std::string>("DAILY", "WEEKLY", "MONTHLY", "YEARLY");
  one.interval = *rc::gen::inRange(1, 5);
  if (one.frequency != "YEARLY" && *rc::gen::arbitrary<bool>()) {
    one.weekdays = *rc::gen::unique<std::vector<std::int32_t>>(3, rc::gen::inRange(0, 7));
  }
  if (one.frequency == "MONTHLY" && *rc::gen::arbitrary<bool>()) {
    one.month_days = *rc::gen::unique<std::vector<std::int32_t>>(2, rc::gen::inRange(1, 32));
  }
  if (*rc::gen::arbitrary<bool>()) one.count = *rc::gen::inRange(1, 40);
  if (one.count == 0 && *rc::gen::arbitrary<bool>())
    one.until_day = one.start_day + *rc::gen::inRange(0, 700);
  one.excluded = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 60));
  if (one.excluded.size() > 5) one.excluded.resize(5);
  if (*rc::gen::arbitrary<bool>()) one.moved = *rc::gen::inRange(0, 60);
  one.moved_by_s = *rc::gen::inRange(-200, 200) * 3600;
  return one;
}

std::string day_time(const Case& one, std::int64_t day) { return format_utc(day * day_s + one.start_second); }

std::string text_of(const Case& one) {
  std::string rule = "FREQ=" + one.frequency + ";INTERVAL=" + std::to_string(one.interval);
  const auto list = [&](const char* name, const auto& values, auto word) {
    if (values.empty()) return;
    rule += std::string(";") + name + "=";
    for (std::size_t at = 0; at < values.size(); ++at) rule += (at == 0 ? "" : ",") + word(values[at]);
  };
  list("BYDAY", one.weekdays,
       [](std::int32_t day) { return std::string(day_names[static_cast<std::size_t>(day)]); });
  list("BYMONTHDAY", one.month_days, [](std::int32_t day) { return std::to_string(day); });
  if (one.count != 0) rule += ";COUNT=" + std::to_string(one.count);
  if (one.until_day != 0) rule += ";UNTIL=" + day_time(one, one.until_day);
  std::string text = "DTSTART:" + day_time(one, one.start_day) +
                     "\nDTEND:" + format_utc(one.start_day * day_s + one.start_second + one.length_s) +
                     "\nRRULE:" + rule + "\n";
  for (const auto day : one.excluded) text += "EXDATE:" + day_time(one, one.start_day + day) + "\n";
  std::string all = vevent(text);
  if (one.moved >= 0) {
    const std::int64_t id = (one.start_day + one.moved) * day_s + one.start_second;
    all += vevent("RECURRENCE-ID:" + format_utc(id) + "\nDTSTART:" + format_utc(id + one.moved_by_s) +
                  "\nDTEND:" + format_utc(id + one.moved_by_s + one.length_s) + "\n");
  }
  return in_vcalendar(all);
}

/// Is there an instance on this day, by the words of the rule? Nothing here is shared with the code it
/// judges.
bool by_rule(const Case& one, std::int64_t day) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(day))};
  const std::chrono::year_month_day start{std::chrono::sys_days(std::chrono::days(one.start_day))};
  const auto weekday = std::chrono::weekday(std::chrono::sys_days(date)).c_encoding();
  const auto day_of_month = static_cast<unsigned>(date.day());
  const bool has_weekday =
      std::ranges::find(one.weekdays, static_cast<std::int32_t>(weekday)) != one.weekdays.end();
  if (one.frequency == "DAILY") {
    return (day - one.start_day) % one.interval == 0 && (one.weekdays.empty() || has_weekday);
  }
  if (one.frequency == "WEEKLY") {
    const auto monday = [](std::int64_t d) {
      return d - (std::chrono::weekday(std::chrono::sys_days(std::chrono::days(d))).iso_encoding() - 1);
    };
    if ((monday(day) - monday(one.start_day)) / 7 % one.interval != 0) return false;
    return one.weekdays.empty() ? (day - one.start_day) % 7 == 0 : has_weekday;
  }
  const int months = (static_cast<int>(date.year()) - static_cast<int>(start.year())) * 12 +
                     static_cast<int>(static_cast<unsigned>(date.month())) -
                     static_cast<int>(static_cast<unsigned>(start.month()));
  if (one.frequency == "MONTHLY") {
    if (months % one.interval != 0) return false;
    if (!one.weekdays.empty() && !has_weekday) return false;
    if (!one.month_days.empty()) {
      return std::ranges::find(one.month_days, static_cast<std::int32_t>(day_of_month)) !=
             one.month_days.end();
    }
    return !one.weekdays.empty() || date.day() == start.day();
  }
  return date.month() == start.month() && date.day() == start.day() && months / 12 % one.interval == 0;
}

std::vector<std::int64_t> brute_starts(const Case& one) {
  std::vector<std::int64_t> starts;
  std::int64_t counted = 0;
  for (std::int64_t day = one.start_day; day < one.start_day + horizon_days; ++day) {
    if (day != one.start_day && !by_rule(one, day)) continue;
    if (one.until_day != 0 && day != one.start_day && day > one.until_day) break;
    if (one.count != 0 && counted == one.count) break;
    ++counted;
    const std::int64_t after = day - one.start_day;
    if (after == one.moved || std::ranges::find(one.excluded, after) != one.excluded.end()) continue;
    starts.push_back(day * day_s + one.start_second);
  }
  if (one.moved >= 0)
    starts.push_back((one.start_day + one.moved) * day_s + one.start_second + one.moved_by_s);
  return starts;
}

RC_GTEST_PROP(TimeRangeProperty, ARangeIsFoundExactlyIfBruteForceFindsIt, ()) {
  const Case one = any_case();
  const std::string content = text_of(one);
  const auto starts = brute_starts(one);
  const std::int64_t from =
      (one.start_day + *rc::gen::inRange(-20, 800)) * day_s + *rc::gen::inRange(0, 96) * 900;
  const std::int64_t to = from + *rc::gen::element<std::int64_t>(900, 3600, day_s, 7 * day_s, 60 * day_s);
  const bool wanted = std::ranges::any_of(starts, [&](std::int64_t start) {
    return one.length_s == 0 ? from <= start && start < to : from < start + one.length_s && start < to;
  });
  RC_CLASSIFY(wanted, "in the range");
  ZoneCache zones;
  auto view = CalendarView::read(content, zones);
  RC_ASSERT(view.has_value());
  WorkBudget budget(RecurrenceLimits::object_steps_max);
  const auto found = components_in({from, to}, *view, Zone::utc(), budget);
  RC_LOG() << content << format_utc(from) << " " << format_utc(to) << "\n";
  RC_ASSERT(!found.exhausted);
  RC_ASSERT((std::ranges::find(found.components, true) != found.components.end()) == wanted);
  // And the coarse index never hides it.
  const CalendarTimes times = bounds_of(*view);
  if (wanted) RC_ASSERT(times.first_s < to && times.last_s >= from);
}

RC_GTEST_PROP(TimeRangeProperty, AllInstancesAreThoseOfBruteForce, ()) {
  const Case one = any_case();
  auto wanted = brute_starts(one);
  std::ranges::sort(wanted);
  wanted.erase(std::ranges::unique(wanted).begin(), wanted.end());
  const std::int64_t end = (one.start_day + horizon_days - 20) * day_s;
  std::erase_if(wanted, [&](std::int64_t start) { return start >= end; });
  std::vector<std::string> words;
  for (const auto start : wanted) words.push_back(format_utc(start));
  const std::string content = text_of(one);
  RC_LOG() << content;
  auto found = starts_of(content, format_utc((one.start_day - 60) * day_s), format_utc(end));
  found.erase(std::ranges::unique(found).begin(), found.end());
  RC_ASSERT(found == words);
}

}  // namespace
}  // namespace pollux::testing
