#include "calendar/zone.h"

#include <algorithm>

#include "calendar/content_lines.h"
#include "calendar/rule.h"

namespace pollux {
namespace {

struct Observance {
  std::int64_t start = 0;  // by the clock before it
  bool date = false;
  std::int32_t from = 0, to = 0;
};

std::optional<Observance> read_observance(const TextComponent& component) {
  const auto* start = component.find("DTSTART");
  const auto* from = component.find("TZOFFSETFROM");
  const auto* to = component.find("TZOFFSETTO");
  if (start == nullptr || to == nullptr) return std::nullopt;
  const auto time = parse_time(start->value);
  const auto offset = parse_utc_offset(to->value);
  if (!time || !offset) return std::nullopt;
  const auto before = from == nullptr ? offset : parse_utc_offset(from->value);
  if (!before) return std::nullopt;
  return Observance{time->utc ? time->local_s + *before : time->local_s, time->date, *before, *offset};
}

class Writer {
 public:
  bool add(const TextComponent& component) {
    const auto observance = read_observance(component);
    if (!observance) return false;
    push(*observance, observance->start);
    if (observance->start < earliest_) {
      earliest_ = observance->start;
      first_offset = observance->from;
    }
    for (const auto& property : component.properties) {
      if (property.is("RRULE")) add_rule(*observance, property.value);
      if (property.is("RDATE")) add_dates(*observance, property.value);
    }
    return true;
  }

  std::vector<Zone::Transition> transitions;
  std::int32_t first_offset = 0;

 private:
  void push(const Observance& observance, std::int64_t local_s) {
    if (transitions.size() < ZoneLimits::transitions_max) {
      transitions.push_back({local_s - observance.from, observance.to});
    }
  }

  void add_rule(const Observance& observance, std::string_view value) {
    const auto rule = parse_rule(value);
    if (!rule) return;
    std::int64_t end = day_number(ZoneLimits::year_max + 1, 1, 1) * day_s;
    if (rule->until) {
      const std::int64_t until = rule->until->local_s + (rule->until->utc ? observance.from : 0);
      end = std::min(end, rule->until->date ? until + day_s - 1 : until);
    }
    RuleIterator iterator(*rule, {.local_s = observance.start, .date = observance.date, .utc = false});
    while (transitions.size() < ZoneLimits::transitions_max) {
      const auto next = iterator.next(end, budget_);
      if (!next) return;
      push(observance, *next);
    }
  }

  void add_dates(const Observance& observance, std::string_view list) {
    while (!list.empty()) {
      const std::size_t end = std::min(list.find(','), list.size());
      if (const auto time = parse_time(list.substr(0, end))) {
        push(observance, time->utc ? time->local_s + observance.from : time->local_s);
      }
      list.remove_prefix(std::min(end + 1, list.size()));
    }
  }

  std::int64_t earliest_ = time_s_max;
  WorkBudget budget_{ZoneLimits::steps_max};
};

}  // namespace

Zone::Zone(std::int32_t first_offset_s, std::vector<Transition> transitions)
    : first_offset_s_(first_offset_s), transitions_(std::move(transitions)) {
  std::ranges::stable_sort(transitions_, {}, &Transition::utc_s);
  local_.reserve(transitions_.size());
  std::int32_t before = first_offset_s_;
  std::int64_t last = time_s_min;
  for (const auto& transition : transitions_) {
    // Both a gap and a repeated hour end when the later of the two clocks shows this time.
    last = std::max(last, transition.utc_s + std::max(before, transition.offset_s));
    local_.push_back(last);
    before = transition.offset_s;
  }
}

std::int64_t Zone::to_utc(std::int64_t local_s) const {
  const auto after = std::ranges::upper_bound(local_, local_s);
  if (after == local_.begin()) return local_s - first_offset_s_;
  return local_s - transitions_[static_cast<std::size_t>(after - local_.begin()) - 1].offset_s;
}

std::int64_t Zone::to_local(std::int64_t utc_s) const {
  const auto after = std::ranges::upper_bound(transitions_, utc_s, {}, &Transition::utc_s);
  return utc_s + (after == transitions_.begin() ? first_offset_s_ : std::prev(after)->offset_s);
}

const Zone& Zone::utc() {
  static const Zone zone(0, {});
  return zone;
}

std::optional<Zone> zone_from_vtimezone(const TextComponent& vtimezone) {
  Writer writer;
  bool any = false;
  std::size_t observances = 0;
  for (const auto& component : vtimezone.components) {
    if (!component.is("STANDARD") && !component.is("DAYLIGHT")) continue;
    if (++observances > ZoneLimits::observances_max) break;
    any = writer.add(component) || any;
  }
  if (!any) return std::nullopt;
  return Zone(writer.first_offset, std::move(writer.transitions));
}

}  // namespace pollux
