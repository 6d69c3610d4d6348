#include "calendar/instances.h"

#include <algorithm>

namespace pollux {
namespace {

/// How far a local time can be read from where its zone's offset would have it: the largest jump of a clock.
constexpr std::int64_t clock_jump_s = 7200;

Moment in_utc(std::int64_t utc_s) {
  return {.value = {.local_s = std::clamp(utc_s, time_s_min, time_s_max), .date = false, .utc = true},
          .zone = nullptr};
}

/// Days count by the calendar, seconds by the clock.
Moment add(const Moment& start, const DurationValue& duration, const Zone& floating) {
  Moment moved = start;
  moved.value.local_s += duration.days * day_s;
  if (duration.seconds == 0 || start.value.date) return moved;
  return in_utc(moved.utc_s(floating) + duration.seconds);
}

/// What tells the instances of one object apart: days by their number, times by their second.
class Identity {
 public:
  Identity(const Moment& start, const Zone& floating) : start_(start), floating_(floating) {}

  [[nodiscard]] std::int64_t of(const Moment& moment) const {
    if (start_.value.date) return day_of(moment.value.local_s);
    // Clients leave out the zone of an EXDATE now and then: it is that of DTSTART.
    return moment.floats() ? Moment{moment.value, start_.zone}.utc_s(floating_) : moment.utc_s(floating_);
  }

 private:
  const Moment start_;
  const Zone& floating_;
};

class Set {
 public:
  Set(const std::vector<Moment>& moments, const Identity& identity, bool of_days) {
    for (const auto& moment : moments) {
      if (moment.value.date && !of_days) {
        days_.push_back(day_of(moment.value.local_s));  // that day's instance, whenever it is
      } else {
        exact_.push_back(identity.of(moment));
      }
    }
    std::ranges::sort(days_);
    std::ranges::sort(exact_);
  }
  [[nodiscard]] bool has(std::int64_t id, const Moment& start) const {
    return std::ranges::binary_search(exact_, id) ||
           (!days_.empty() && std::ranges::binary_search(days_, day_of(start.value.local_s)));
  }

 private:
  std::vector<std::int64_t> exact_, days_;
};

/// The starts of a component that recurs: DTSTART, then its rules and dates, merged and each once.
class Starts {
 public:
  Starts(const TimedComponent& component, const Zone& floating, std::int64_t from_s, std::int64_t to_s,
         WorkBudget& budget)
      : first_(*component.start),
        floating_(floating),
        zone_(first_.value.utc         ? Zone::utc()
              : first_.zone != nullptr ? *first_.zone
                                       : floating),
        local_max_(std::min(to_s, time_s_max - 2 * day_s) + 2 * day_s),  // no offset is larger
        to_s_(to_s),
        budget_(budget) {
    dates_.push_back({.start = first_, .end = {}, .duration = {}});
    dates_.insert(dates_.end(), component.dates.begin(), component.dates.end());
    budget_.spend(dates_.size());
    std::ranges::stable_sort(dates_, {},
                             [&](const PeriodValue& date) { return date.start.utc_s(floating_); });
    const std::int64_t from_local = zone_.to_local(std::max(from_s, time_s_min + 2 * day_s));
    for (const auto& rule : component.rules) {
      auto& added = rules_.emplace_back(RuleIterator(rule, first_.value), &rule, std::nullopt);
      const bool quick = rule.frequency < Frequency::hourly;
      if (from_s > time_s_min)
        added.iterator.seek(from_local - (first_.value.utc ? 0 : quick ? clock_jump_s : day_s));
      advance(&added);
    }
  }

  /// Null after the last. `period` is set if an RDATE told its end.
  std::optional<Moment> next(const PeriodValue** period) {
    for (;;) {
      *period = nullptr;
      Source* soonest = nullptr;
      for (auto& source : rules_) {
        if (source.utc_s && (soonest == nullptr || *source.utc_s < *soonest->utc_s)) soonest = &source;
      }
      Moment found = first_;
      std::int64_t found_s = 0;
      const std::int64_t date_s =
          next_date_ < dates_.size() ? dates_[next_date_].start.utc_s(floating_) : time_s_max + 1;
      if (soonest != nullptr && *soonest->utc_s < date_s) {
        found_s = *soonest->utc_s;
        found.value.local_s = soonest->local_s;
        advance(soonest);
      } else if (next_date_ < dates_.size()) {
        const PeriodValue& date = dates_[next_date_++];
        found_s = date_s;
        found = date.start;
        if (date.end || date.duration) *period = &date;
      } else {
        return std::nullopt;
      }
      if (found_s > to_s_ || !budget_.spend()) return std::nullopt;
      if (last_s_ == found_s) continue;  // a date that the rule has, too
      last_s_ = found_s;
      return found;
    }
  }

 private:
  struct Source {
    RuleIterator iterator;
    const Rule* rule;
    std::optional<std::int64_t> utc_s;
    std::int64_t local_s = 0;
  };

  void advance(Source* source) {
    source->utc_s.reset();
    const auto next = source->iterator.next(local_max_, budget_);
    if (!next) return;
    const std::int64_t utc_s = first_.value.utc ? *next : zone_.to_utc(*next);
    if (const auto& until = source->rule->until) {
      const bool past = until->date                        ? *next >= until->local_s + day_s
                        : until->utc && !first_.value.date ? utc_s > until->local_s
                                                           : *next > until->local_s;
      if (past) return;
    }
    source->utc_s = utc_s;
    source->local_s = *next;
  }

  const Moment first_;
  const Zone& floating_;
  const Zone& zone_;
  const std::int64_t local_max_, to_s_;
  WorkBudget& budget_;
  std::vector<Source> rules_;
  std::vector<PeriodValue> dates_;
  std::size_t next_date_ = 0;
  std::optional<std::int64_t> last_s_;
};

/// How long an instance of the component can last, about.
std::int64_t span_of(const TimedComponent& component, const Zone& floating) {
  // Days of the calendar can be longer than those of the clock.
  const bool days = (component.start && component.start->value.date) ||
                    (component.duration && component.duration->days != 0);
  std::int64_t span = days ? day_s : 0;
  if (component.duration) span = std::max(span, component.duration->about_s());
  if (component.start && component.end) {
    span = std::max(span, std::abs(component.end->utc_s(floating) - component.start->utc_s(floating)));
  }
  for (const auto& date : component.dates) {
    if (date.duration) span = std::max(span, date.duration->about_s());
    if (date.end) span = std::max(span, std::abs(date.end->utc_s(floating) - date.start.utc_s(floating)));
  }
  return span + (days ? day_s : 0);
}

/// A component with RANGE=THISANDFUTURE: from `from_id` on it stands for the instances, moved.
struct Future {
  const TimedComponent* component;
  std::int64_t from_id;
  std::int64_t shift_s;
};

class Expansion {
 public:
  Expansion(const CalendarView& view, const InstanceWindow& window, const Zone& floating, WorkBudget& budget,
            const std::function<bool(const Instance&)>& each)
      : view_(view), window_(window), floating_(floating), budget_(budget), each_(each) {}

  ExpandEnd run() {
    for (const auto& component : view_.components) {
      const bool once = component.recurrence_id || !component.recurs() || !component.start;
      if (!budget_.spend()) return ExpandEnd::exhausted;
      if (!(once ? give(component, component.start, nullptr, component.recurrence_id)
                 : run_master(component))) {
        return ExpandEnd::stopped;
      }
      if (budget_.is_spent()) return ExpandEnd::exhausted;
    }
    return ExpandEnd::complete;
  }

 private:
  bool give(const TimedComponent& component, const std::optional<Moment>& start, const PeriodValue* period,
            const std::optional<Moment>& id) {
    Instance instance{
        .component = &component, .start = start, .end = {}, .start_s = {}, .end_s = {}, .id = id};
    if (period != nullptr) {
      instance.end = period->end ? period->end : add(*start, *period->duration, floating_);
    } else {
      instance.end = start ? end_of(component, *start, floating_) : component.end;
    }
    if (start) instance.start_s = start->utc_s(floating_);
    if (instance.end) instance.end_s = instance.end->utc_s(floating_);
    return each_(instance);
  }

  bool run_master(const TimedComponent& master) {
    const Identity identity(*master.start, floating_);
    std::vector<Moment> replaced;
    std::vector<Future> futures;
    std::int64_t span = span_of(master, floating_), shift = 0;
    for (const auto& component : view_.components) {
      if (!component.recurrence_id) continue;
      replaced.push_back(*component.recurrence_id);
      if (!component.this_and_future || !component.start) continue;
      futures.push_back({&component, identity.of(*component.recurrence_id), shift_of(component, master)});
      span = std::max(span, span_of(component, floating_));
      shift = std::max(shift, std::abs(futures.back().shift_s));
    }
    std::ranges::sort(futures, {}, &Future::from_id);
    const Set excluded(master.excluded, identity, master.start->value.date);
    const Set overridden(replaced, identity, master.start->value.date);
    budget_.spend(master.excluded.size() + replaced.size());

    const std::int64_t before = span + shift + window_.pad_s, after = shift + window_.pad_s;
    Starts starts(master, floating_,
                  window_.from_s > time_s_min + before ? window_.from_s - before : time_s_min,
                  window_.to_s < time_s_max - after ? window_.to_s + after : time_s_max, budget_);
    const PeriodValue* period = nullptr;
    while (const auto start = starts.next(&period)) {
      const std::int64_t id = identity.of(*start);
      if (excluded.has(id, *start) || overridden.has(id, *start)) continue;
      const auto future = std::ranges::upper_bound(futures, id, {}, &Future::from_id);
      if (future == futures.begin()) {
        if (!give(master, start, period, start)) return false;
      } else if (!give_moved(*std::prev(future), *start)) {
        return false;
      }
    }
    return true;
  }

  /// By the local clock where both have the same: the meeting moved from 10 to 11 stays at 11 in winter.
  [[nodiscard]] std::int64_t shift_of(const TimedComponent& component, const TimedComponent& master) const {
    const Moment& to = *component.start;
    const Moment& from = *component.recurrence_id;
    if (to.zone == master.start->zone && to.value.utc == master.start->value.utc) {
      const Zone& zone = to.zone == nullptr ? floating_ : *to.zone;
      const std::int64_t from_local =
          from.value.utc == to.value.utc ? from.value.local_s : zone.to_local(from.utc_s(floating_));
      return to.value.local_s - from_local;
    }
    return to.utc_s(floating_) - from.utc_s(floating_);
  }

  bool give_moved(const Future& future, const Moment& start) {
    const Moment& to = *future.component->start;
    Moment moved = start;
    if (to.zone == start.zone && to.value.utc == start.value.utc && to.value.date == start.value.date) {
      moved.value.local_s += future.shift_s;
    } else if (to.value.date) {
      moved = {.value = {.local_s = day_of(start.value.local_s + future.shift_s) * day_s,
                         .date = true,
                         .utc = false},
               .zone = nullptr};
    } else {
      moved = in_utc(start.utc_s(floating_) + future.shift_s);
    }
    return give(*future.component, moved, nullptr, start);
  }

  const CalendarView& view_;
  const InstanceWindow& window_;
  const Zone& floating_;
  WorkBudget& budget_;
  const std::function<bool(const Instance&)>& each_;
};

}  // namespace

std::optional<Moment> end_of(const TimedComponent& component, const Moment& start, const Zone& floating) {
  if (component.end) {
    if (!component.start) return component.end;
    if (component.start->value == start.value) return component.end;
    if (start.value.date || (start.floats() && component.end->floats())) {
      Moment end = start;
      end.value.local_s += component.end->value.local_s - component.start->value.local_s;
      return end;
    }
    return in_utc(start.utc_s(floating) + component.end->utc_s(floating) - component.start->utc_s(floating));
  }
  if (component.duration) return add(start, *component.duration, floating);
  if (component.kind == ComponentKind::todo) return std::nullopt;
  Moment end = start;
  if (start.value.date) end.value.local_s += day_s;
  return end;
}

ExpandEnd for_each_instance(const CalendarView& view, const InstanceWindow& window, const Zone& floating,
                            WorkBudget& budget, const std::function<bool(const Instance&)>& each) {
  return Expansion(view, window, floating, budget, each).run();
}

}  // namespace pollux
