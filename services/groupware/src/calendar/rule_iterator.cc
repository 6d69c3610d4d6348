#include <algorithm>
#include <ranges>

#include "calendar/rule.h"

namespace pollux {
namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return -floor_div(-a, b); }

std::int64_t months_since_zero(const CivilDay& civil) { return civil.year * 12LL + civil.month - 1; }
std::int64_t month_begin(std::int64_t months) {
  return day_number(static_cast<std::int32_t>(floor_div(months, 12)),
                    static_cast<std::int32_t>(months - floor_div(months, 12) * 12) + 1, 1);
}
std::int32_t days_in_year(std::int32_t year) {
  return static_cast<std::int32_t>(day_number(year + 1, 1, 1) - day_number(year, 1, 1));
}
template <std::size_t N>
bool has(const std::bitset<N>& set, std::int64_t index) {
  return index >= 0 && index < static_cast<std::int64_t>(N) && set[static_cast<std::size_t>(index)];
}

}  // namespace

RuleIterator::RuleIterator(const Rule& rule, TimeValue start)
    : rule_(rule), start_(start.local_s), date_(start.date), not_before_(start.local_s + 1) {
  if (rule_.count) left_ = *rule_.count - 1;  // DTSTART is the first
  if (date_ && rule_.frequency < Frequency::daily) {
    rule_.frequency = Frequency::daily;  // dates have no hours to step through
    rule_.interval = 1;
  }
  add_what_start_says();
  const std::int64_t day = day_of(start_);
  switch (rule_.frequency) {
    case Frequency::yearly:
      first_ = civil_of(day).year;
      break;
    case Frequency::monthly:
      first_ = months_since_zero(civil_of(day));
      break;
    case Frequency::weekly:
      first_ = day - (weekday_of(day) - rule_.week_start + 7) % 7;
      break;
    case Frequency::daily:
      unit_s_ = day_s;
      break;
    case Frequency::hourly:
      unit_s_ = 3600;
      break;
    case Frequency::minutely:
      unit_s_ = 60;
      break;
    case Frequency::secondly:
      unit_s_ = 1;
      break;
  }
  if (unit_s_ != 0) first_ = floor_div(start_, unit_s_);
  make_offsets();
}

void RuleIterator::add_what_start_says() {
  const std::int64_t day = day_of(start_);
  const CivilDay civil = civil_of(day);
  const auto weekday = static_cast<std::size_t>(weekday_of(day));
  const Frequency frequency = rule_.frequency;
  if (frequency < Frequency::monthly || (frequency == Frequency::yearly && rule_.has_weeks())) {
    // A number before a weekday means nothing here.
    for (const auto& nth : rule_.nth_weekdays) rule_.weekdays.set(static_cast<std::size_t>(nth.weekday));
    rule_.nth_weekdays.clear();
  }
  if (!rule_.has_weeks() && !rule_.has_year_days() && !rule_.has_month_days() && !rule_.has_days()) {
    if (frequency == Frequency::yearly && rule_.months.none())
      rule_.months.set(static_cast<std::size_t>(civil.month));
    if (frequency >= Frequency::monthly) rule_.month_days.set(static_cast<std::size_t>(civil.day));
    if (frequency == Frequency::weekly) rule_.weekdays.set(weekday);
  } else if (rule_.has_weeks() && !rule_.has_year_days() && !rule_.has_month_days() && !rule_.has_days()) {
    rule_.weekdays.set(weekday);
  }
  const auto second = static_cast<std::size_t>(second_of_day(start_));
  if (date_) {
    rule_.hours.reset().set(0);
    rule_.minutes.reset().set(0);
    rule_.seconds.reset().set(0);
    return;
  }
  if (frequency >= Frequency::daily && rule_.hours.none()) rule_.hours.set(second / 3600);
  if (frequency >= Frequency::hourly && rule_.minutes.none()) rule_.minutes.set(second / 60 % 60);
  if (frequency >= Frequency::minutely && rule_.seconds.none()) rule_.seconds.set(second % 60);
}

void RuleIterator::make_offsets() {
  const auto add = [&](std::size_t base) {
    for (std::size_t second = 0; second < 60; ++second) {
      if (rule_.seconds[second]) offsets_.push_back(static_cast<std::int32_t>(base + second));
    }
  };
  const auto add_minutes = [&](std::size_t base) {
    for (std::size_t minute = 0; minute < 60; ++minute) {
      if (rule_.minutes[minute]) add(base + minute * 60);
    }
  };
  if (rule_.frequency == Frequency::secondly) {
    offsets_.push_back(0);
  } else if (rule_.frequency == Frequency::minutely) {
    add(0);
  } else if (rule_.frequency == Frequency::hourly) {
    add_minutes(0);
  } else {
    for (std::size_t hour = 0; hour < 24; ++hour) {
      if (rule_.hours[hour]) add_minutes(hour * 3600);
    }
  }
}

void RuleIterator::seek(std::int64_t local_s) {
  if (left_ || local_s <= not_before_) return;
  not_before_ = local_s;
  const std::int64_t day = day_of(local_s);
  std::int64_t distance = 0;
  switch (rule_.frequency) {
    case Frequency::yearly:
      distance = civil_of(day).year - first_;
      break;
    case Frequency::monthly:
      distance = months_since_zero(civil_of(day)) - first_;
      break;
    case Frequency::weekly:
      distance = floor_div(day - first_, 7);
      break;
    default:
      distance = floor_div(local_s, unit_s_) - first_;
      break;
  }
  period_ = std::max<std::int64_t>(floor_div(distance, rule_.interval), 0);
}

bool RuleIterator::fits_weekday(std::int64_t day, const CivilDay& civil) const {
  const std::int32_t weekday = weekday_of(day);
  if (rule_.weekdays[static_cast<std::size_t>(weekday)]) return true;
  if (rule_.nth_weekdays.empty()) return false;
  // Counted within the year, or within the month if the rule speaks of months.
  const bool of_year = rule_.frequency == Frequency::yearly && rule_.months.none();
  const auto before = static_cast<std::int32_t>(of_year ? day - day_number(civil.year, 1, 1) : civil.day - 1);
  const std::int32_t length = of_year ? days_in_year(civil.year) : days_in_month(civil.year, civil.month);
  const std::int32_t nth = before / 7 + 1, nth_back = -((length - before - 1) / 7 + 1);
  return std::ranges::any_of(rule_.nth_weekdays, [&](const Rule::NthWeekday& one) {
    return one.weekday == weekday && (one.nth == nth || one.nth == nth_back);
  });
}

/// Weeks belong to the year that has their fourth day (RFC 5545, BYWEEKNO).
bool RuleIterator::fits_week(std::int64_t day) const {
  const std::int64_t fourth = day - (weekday_of(day) - rule_.week_start + 7) % 7 + 3;
  const std::int32_t year = civil_of(fourth).year;
  const auto of_year = static_cast<std::int32_t>(fourth - day_number(year, 1, 1));
  const std::int32_t week = of_year / 7 + 1;
  const std::int32_t weeks = (days_in_year(year) - 1 - of_year % 7) / 7 + 1;
  return has(rule_.weeks, week) || has(rule_.weeks_back, weeks - week + 1);
}

bool RuleIterator::fits_day(std::int64_t day) const {
  const CivilDay civil = civil_of(day);
  if (rule_.months.any() && !has(rule_.months, civil.month)) return false;
  if (rule_.has_month_days() && !has(rule_.month_days, civil.day) &&
      !has(rule_.month_days_back, days_in_month(civil.year, civil.month) - civil.day + 1)) {
    return false;
  }
  if (rule_.has_year_days()) {
    const std::int64_t of_year = day - day_number(civil.year, 1, 1) + 1;
    if (!has(rule_.year_days, of_year) &&
        !has(rule_.year_days_back, days_in_year(civil.year) - of_year + 1)) {
      return false;
    }
  }
  if (rule_.has_weeks() && !fits_week(day)) return false;
  return !rule_.has_days() || fits_weekday(day, civil);
}

void RuleIterator::add_days(std::int64_t from, std::int64_t to, WorkBudget& budget) {
  budget.spend(static_cast<std::uint64_t>(to - from));
  for (std::int64_t day = from; day < to; ++day) {
    if (fits_day(day)) starts_.push_back(day * day_s);
  }
}

bool RuleIterator::fill_days(std::int64_t local_s_max, WorkBudget& budget) {
  const std::int64_t period =
      first_ + period_ * rule_.interval * (rule_.frequency == Frequency::weekly ? 7 : 1);
  if (rule_.frequency == Frequency::weekly) {
    if (period * day_s > local_s_max) return false;
    add_days(period, period + 7, budget);
  } else if (rule_.frequency == Frequency::monthly) {
    const std::int64_t begin = month_begin(period);
    if (begin * day_s > local_s_max) return false;
    add_days(begin, month_begin(period + 1), budget);
  } else {
    if (day_number(static_cast<std::int32_t>(period), 1, 1) * day_s > local_s_max) return false;
    for (std::int32_t month = 1; month <= 12; ++month) {
      if (rule_.months.any() && !has(rule_.months, month)) continue;
      const std::int64_t begin = day_number(static_cast<std::int32_t>(period), month, 1);
      add_days(begin, begin + days_in_month(static_cast<std::int32_t>(period), month), budget);
    }
  }
  ++period_;
  return true;
}

std::optional<std::int64_t> RuleIterator::excluded_until(std::int64_t local_s) const {
  const std::int64_t day = day_of(local_s);
  if (!fits_day(day)) {
    const CivilDay civil = civil_of(day);
    const bool month = rule_.months.any() && !has(rule_.months, civil.month);
    return (month ? month_begin(months_since_zero(civil) + 1) : day + 1) * day_s;
  }
  if (rule_.frequency >= Frequency::daily) return std::nullopt;
  const std::int64_t second = second_of_day(local_s);
  if (rule_.hours.any() && !has(rule_.hours, second / 3600)) return (floor_div(local_s, 3600) + 1) * 3600;
  if (rule_.frequency == Frequency::hourly) return std::nullopt;
  if (rule_.minutes.any() && !has(rule_.minutes, second / 60 % 60)) return (floor_div(local_s, 60) + 1) * 60;
  if (rule_.frequency == Frequency::minutely) return std::nullopt;
  if (rule_.seconds.any() && !has(rule_.seconds, second % 60)) return local_s + 1;
  return std::nullopt;
}

bool RuleIterator::fill_unit(std::int64_t local_s_max, WorkBudget& budget) {
  for (; !budget.is_spent(); budget.spend()) {
    const std::int64_t begin = (first_ + period_ * rule_.interval) * unit_s_;
    if (begin > local_s_max) return false;
    const auto excluded = excluded_until(begin);
    if (!excluded) {
      starts_.push_back(begin);
      ++period_;
      return true;
    }
    period_ = std::max(period_ + 1, ceil_div(ceil_div(*excluded, unit_s_) - first_, rule_.interval));
  }
  return false;
}

std::size_t RuleIterator::set_size() const {
  return rule_.positions.empty() ? starts_.size() * offsets_.size() : chosen_.size();
}

std::int64_t RuleIterator::at(std::size_t index) const {
  if (!rule_.positions.empty()) index = chosen_[index];
  return starts_[index / offsets_.size()] + offsets_[index % offsets_.size()];
}

void RuleIterator::begin_set() {
  if (!rule_.positions.empty()) {
    const auto size = static_cast<std::int64_t>(starts_.size() * offsets_.size());
    chosen_.clear();
    for (const std::int64_t position : rule_.positions) {
      const std::int64_t index = position > 0 ? position - 1 : size + position;
      if (index >= 0 && index < size) chosen_.push_back(static_cast<std::size_t>(index));
    }
    std::ranges::sort(chosen_);
    chosen_.erase(std::ranges::unique(chosen_).begin(), chosen_.end());
  }
  const auto indexes = std::views::iota(std::size_t{0}, set_size());
  next_ = static_cast<std::size_t>(
      std::ranges::partition_point(indexes, [&](std::size_t index) { return at(index) < not_before_; }) -
      indexes.begin());
}

bool RuleIterator::fill(std::int64_t local_s_max, WorkBudget& budget) {
  local_s_max = std::min(local_s_max, time_s_max);
  while (next_ >= set_size()) {
    starts_.clear();
    next_ = 0;
    chosen_.clear();
    if (!budget.spend()) return false;
    if (!(unit_s_ == 0 ? fill_days(local_s_max, budget) : fill_unit(local_s_max, budget))) return false;
    begin_set();
  }
  return true;
}

std::optional<std::int64_t> RuleIterator::next(std::int64_t local_s_max, WorkBudget& budget) {
  if (left_ && *left_ == 0) return std::nullopt;
  if (!fill(local_s_max, budget)) return std::nullopt;
  const std::int64_t value = at(next_);
  if (value > local_s_max || value > time_s_max) return std::nullopt;
  ++next_;
  if (left_) --*left_;
  return value;
}

}  // namespace pollux
