// Virtual time and what is to happen in it. One thread; equal times keep the order of their scheduling.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "pollux/core/types.h"

namespace pollux::testing {

class Schedule {
 public:
  using Act = std::move_only_function<void()>;

  /// Since the world began.
  [[nodiscard]] Duration now() const { return now_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

  void at(Duration when, Act act) {
    heap_.push_back({std::max(when, now_), sequence_++, std::move(act)});
    std::ranges::push_heap(heap_, later);
  }
  void after(Duration delay, Act act) { at(now_ + delay, std::move(act)); }

  /// Lets the next thing happen, if it is due by `limit`; otherwise time goes on to `limit`. False then.
  bool step(Duration limit) {
    if (heap_.empty() || heap_.front().when > limit) {
      now_ = std::max(now_, limit);
      return false;
    }
    std::ranges::pop_heap(heap_, later);
    Item item = std::move(heap_.back());
    heap_.pop_back();
    now_ = item.when;
    ++steps_;
    item.act();
    return true;
  }

 private:
  struct Item {
    Duration when;
    std::uint64_t sequence;
    Act act;
  };
  static bool later(const Item& a, const Item& b) {
    return a.when != b.when ? a.when > b.when : a.sequence > b.sequence;
  }

  std::vector<Item> heap_;
  Duration now_{};
  std::uint64_t sequence_ = 0, steps_ = 0;
};

}  // namespace pollux::testing
