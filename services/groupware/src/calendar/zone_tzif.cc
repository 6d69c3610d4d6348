// Zone files of the system (RFC 8536), and the rule at their end (POSIX TZ).
#include <algorithm>
#include <bit>
#include <cstring>

#include "calendar/values.h"
#include "calendar/zone.h"

namespace pollux {
namespace {

/// Reads big-endian numbers, and notices when there are none left.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}
  template <class Number>
  Number take() {
    Number value = 0;
    if (rest_.size() < sizeof(Number)) {
      good_ = false;
      return value;
    }
    for (std::size_t at = 0; at < sizeof(Number); ++at) {
      value = static_cast<Number>((static_cast<std::uint64_t>(value) << 8) |
                                  static_cast<unsigned char>(rest_[at]));
    }
    rest_.remove_prefix(sizeof(Number));
    return value;
  }
  void skip(std::size_t size) {
    good_ = good_ && size <= rest_.size();
    rest_.remove_prefix(std::min(size, rest_.size()));
  }
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool good_ = true;
};

struct Header {
  std::size_t is_utc = 0, is_standard = 0, leaps = 0, times = 0, types = 0, characters = 0;
  [[nodiscard]] std::size_t body(std::size_t time_size) const {
    return times * time_size + times + types * 6 + characters + leaps * (time_size + 4) + is_standard +
           is_utc;
  }
};

std::optional<Header> take_header(Bytes* bytes) {
  if (!bytes->rest().starts_with("TZif")) return std::nullopt;
  bytes->skip(20);
  Header header;
  for (auto* field : {&header.is_utc, &header.is_standard, &header.leaps, &header.times, &header.types,
                      &header.characters}) {
    *field = bytes->take<std::uint32_t>();
    if (*field > ZoneLimits::transitions_max) return std::nullopt;
  }
  if (!bytes->good()) return std::nullopt;
  return header;
}

/// The text of a POSIX TZ variable, read from left to right.
class TzRule {
 public:
  explicit TzRule(std::string_view text) : rest_(text) {}

  struct Change {
    char kind = 'M';  // M: month, week, weekday; J: day without leap days; 0: day
    std::int32_t month = 0, week = 0, day = 0;
    std::int32_t second = 7200;

    [[nodiscard]] std::int64_t local_s(std::int32_t year) const {
      if (kind == 'J') {
        const bool after = days_in_month(year, 2) == 29 && day >= 60;
        return (day_number(year, 1, 1) + day - 1 + (after ? 1 : 0)) * day_s + second;
      }
      if (kind == '0') return (day_number(year, 1, 1) + day) * day_s + second;
      const std::int64_t first = day_number(year, month, 1);
      std::int64_t found = first + (day - weekday_of(first) + 7) % 7 + 7LL * (week - 1);
      while (found >= first + days_in_month(year, month)) found -= 7;
      return found * day_s + second;
    }
  };
  std::int32_t standard = 0, summer = 0;
  Change begin, end;

  /// False if there is no summer time, or it can't be read.
  bool read() {
    if (!skip_name() || !read_offset(&standard)) return false;
    standard = -standard;
    summer = standard + 3600;
    if (!skip_name()) return false;
    if (!rest_.empty() && rest_.front() != ',') {
      if (!read_offset(&summer)) return false;
      summer = -summer;
    }
    return read_change(&begin) && read_change(&end);
  }

 private:
  bool skip_name() {
    if (rest_.starts_with('<')) {
      const std::size_t close = rest_.find('>');
      if (close == std::string_view::npos) return false;
      rest_.remove_prefix(close + 1);
      return true;
    }
    const std::size_t stop = rest_.find_first_of("+-0123456789,");
    if (stop == 0 || rest_.empty()) return false;
    rest_.remove_prefix(std::min(stop, rest_.size()));
    return true;
  }
  bool read_number(std::int32_t* out) {
    const std::size_t stop = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    if (stop == 0 || stop > 4) return false;
    *out = 0;
    for (const char c : rest_.substr(0, stop)) *out = *out * 10 + (c - '0');
    rest_.remove_prefix(stop);
    return true;
  }
  bool read_offset(std::int32_t* out) {
    const bool negative = rest_.starts_with('-');
    if (negative || rest_.starts_with('+')) rest_.remove_prefix(1);
    std::int32_t total = 0, part = 0;
    for (const std::int32_t unit : {3600, 60, 1}) {
      if (!read_number(&part)) return false;
      total += part * unit;
      if (!rest_.starts_with(':')) break;
      rest_.remove_prefix(1);
    }
    *out = negative ? -total : total;
    return true;
  }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool read_change(Change* change) {
    if (!take(',')) return false;
    if (take('M')) {
      if (!read_number(&change->month) || !take('.') || !read_number(&change->week) || !take('.') ||
          !read_number(&change->day) || change->month < 1 || change->month > 12 || change->week < 1 ||
          change->week > 5 || change->day > 6) {
        return false;
      }
    } else {
      change->kind = take('J') ? 'J' : '0';
      if (!read_number(&change->day) || change->day > 366) return false;
    }
    return !take('/') || read_offset(&change->second);
  }

  std::string_view rest_;
};

void write_out(std::string_view footer, std::vector<Zone::Transition>* transitions) {
  TzRule rule(footer);
  if (!rule.read()) return;
  const std::int64_t last = transitions->empty() ? time_s_min : transitions->back().utc_s;
  const std::int32_t year = transitions->empty() ? 1970 : civil_of(day_of(last)).year;
  for (std::int32_t y = year; y <= ZoneLimits::year_max; ++y) {
    for (const auto& [utc_s, offset] : {Zone::Transition{rule.begin.local_s(y) - rule.standard, rule.summer},
                                        Zone::Transition{rule.end.local_s(y) - rule.summer, rule.standard}}) {
      if (utc_s > last) transitions->push_back({utc_s, offset});
    }
  }
}

}  // namespace

std::optional<Zone> zone_from_tzif(std::string_view file) {
  Bytes bytes(file);
  if (file.size() < 5 || file[4] < '2') return std::nullopt;
  const auto old = take_header(&bytes);
  if (!old) return std::nullopt;
  bytes.skip(old->body(4));
  const auto header = take_header(&bytes);
  if (!header || header->types == 0) return std::nullopt;
  std::vector<Zone::Transition> transitions(header->times);
  for (auto& transition : transitions) transition.utc_s = bytes.take<std::int64_t>();
  std::vector<std::size_t> types(header->times);
  for (auto& type : types) type = bytes.take<std::uint8_t>();
  std::vector<std::int32_t> offsets(header->types);
  for (auto& offset : offsets) {
    offset = bytes.take<std::int32_t>();
    bytes.skip(2);
  }
  bytes.skip(header->characters + header->leaps * 12 + header->is_standard + header->is_utc);
  if (!bytes.good()) return std::nullopt;
  for (std::size_t at = 0; at < types.size(); ++at) {
    if (types[at] >= offsets.size()) return std::nullopt;
    transitions[at].offset_s = offsets[types[at]];
  }
  std::string_view footer = bytes.rest();
  if (footer.starts_with('\n')) footer.remove_prefix(1);
  write_out(footer.substr(0, footer.find('\n')), &transitions);
  return Zone(offsets.front(), std::move(transitions));
}

}  // namespace pollux
