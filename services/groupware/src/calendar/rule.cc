#include "calendar/rule.h"

#include <charconv>

#include "calendar/content_lines.h"
#include "calendar/text_tree.h"

namespace pollux {
namespace {

constexpr std::int64_t interval_max = 1'000'000'000;

std::optional<std::int64_t> number(std::string_view text) {
  text = trim_text(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Calls `each` for the parts between commas until it says false; false if one did, or there is an empty
/// part.
template <class Each>
bool all_parts(std::string_view list, Each each) {
  for (;;) {
    const std::size_t comma = list.find(',');
    const std::string_view one = trim_text(list.substr(0, comma));
    if (one.empty() || !each(one)) return false;
    if (comma == std::string_view::npos) return true;
    list.remove_prefix(comma + 1);
  }
}

template <std::size_t N>
bool read_numbers(std::string_view list, std::int64_t low, std::int64_t high, std::bitset<N>* out) {
  return all_parts(list, [&](std::string_view one) {
    const auto value = number(one);
    if (!value || *value < low || *value > high) return false;
    out->set(static_cast<std::size_t>(*value));
    return true;
  });
}

/// Numbers that count from the end if they are negative.
template <std::size_t N>
bool read_signed(std::string_view list, std::int64_t high, std::bitset<N>* front, std::bitset<N>* back) {
  return all_parts(list, [&](std::string_view one) {
    const auto value = number(one);
    if (!value || *value == 0 || *value > high || *value < -high) return false;
    (*value > 0 ? front : back)->set(static_cast<std::size_t>(*value > 0 ? *value : -*value));
    return true;
  });
}

std::optional<std::int32_t> weekday(std::string_view text) {
  constexpr std::array<std::string_view, 7> names{"SU", "MO", "TU", "WE", "TH", "FR", "SA"};
  for (std::size_t at = 0; at < names.size(); ++at) {
    if (equal_ignoring_case(text, names[at])) return static_cast<std::int32_t>(at);
  }
  return std::nullopt;
}

bool read_days(std::string_view list, Rule* rule) {
  return all_parts(list, [&](std::string_view one) {
    if (one.size() < 2) return false;
    const auto day = weekday(one.substr(one.size() - 2));
    if (!day) return false;
    const std::string_view nth = one.substr(0, one.size() - 2);
    if (nth.empty()) {
      rule->weekdays.set(static_cast<std::size_t>(*day));
      return true;
    }
    const auto value = number(nth);
    if (!value || *value == 0 || *value > 53 || *value < -53) return false;
    rule->nth_weekdays.push_back({static_cast<std::int32_t>(*value), *day});
    return true;
  });
}

bool read_frequency(std::string_view text, Rule* rule) {
  constexpr std::array<std::string_view, 7> names{"SECONDLY", "MINUTELY", "HOURLY", "DAILY",
                                                  "WEEKLY",   "MONTHLY",  "YEARLY"};
  for (std::size_t at = 0; at < names.size(); ++at) {
    if (!equal_ignoring_case(text, names[at])) continue;
    rule->frequency = static_cast<Frequency>(at);
    return true;
  }
  return false;
}

bool read_positions(std::string_view list, Rule* rule) {
  return all_parts(list, [&](std::string_view one) {
    const auto value = number(one);
    if (!value || *value == 0 || *value > 366 || *value < -366) return false;
    rule->positions.push_back(static_cast<std::int32_t>(*value));
    return true;
  });
}

bool read_seconds(std::string_view list, Rule* rule) {
  return all_parts(list, [&](std::string_view one) {
    const auto value = number(one);
    if (!value || *value < 0 || *value > 60) return false;
    rule->seconds.set(static_cast<std::size_t>(std::min<std::int64_t>(*value, 59)));  // a leap second
    return true;
  });
}

bool read_part(std::string_view name, std::string_view value, Rule* rule) {
  const auto is = [&](std::string_view other) { return equal_ignoring_case(name, other); };
  if (is("FREQ")) return read_frequency(value, rule);
  if (is("INTERVAL")) {
    const auto interval = number(value);
    if (!interval || *interval < 1) return false;
    rule->interval = std::min(*interval, interval_max);
    return true;
  }
  if (is("COUNT")) {
    const auto count = number(value);
    if (!count || *count < 1) return false;
    rule->count = static_cast<std::uint64_t>(*count);
    return true;
  }
  if (is("UNTIL")) {
    rule->until = parse_time(value);
    return rule->until.has_value();
  }
  if (is("BYSECOND")) return read_seconds(value, rule);
  if (is("BYMINUTE")) return read_numbers(value, 0, 59, &rule->minutes);
  if (is("BYHOUR")) return read_numbers(value, 0, 23, &rule->hours);
  if (is("BYDAY")) return read_days(value, rule);
  if (is("BYMONTHDAY")) return read_signed(value, 31, &rule->month_days, &rule->month_days_back);
  if (is("BYYEARDAY")) return read_signed(value, 366, &rule->year_days, &rule->year_days_back);
  if (is("BYWEEKNO")) return read_signed(value, 53, &rule->weeks, &rule->weeks_back);
  if (is("BYMONTH")) return read_numbers(value, 1, 12, &rule->months);
  if (is("BYSETPOS")) return read_positions(value, rule);
  if (is("WKST")) {
    const auto day = weekday(value);
    if (day) rule->week_start = *day;
    return day.has_value();
  }
  // RFC 7529: another calendar than the Gregorian one would need another arithmetic.
  if (is("RSCALE")) return equal_ignoring_case(value, "GREGORIAN");
  return true;
}

}  // namespace

std::optional<Rule> parse_rule(std::string_view value) {
  Rule rule;
  bool frequency = false;
  while (!value.empty()) {
    const std::size_t end = std::min(value.find(';'), value.size());
    const std::string_view part = trim_text(value.substr(0, end));
    value.remove_prefix(std::min(end + 1, value.size()));
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view name = trim_text(part.substr(0, equals));
    if (!read_part(name, trim_text(part.substr(equals + 1)), &rule)) return std::nullopt;
    frequency = frequency || equal_ignoring_case(name, "FREQ");
  }
  if (!frequency) return std::nullopt;
  return rule;
}

}  // namespace pollux
