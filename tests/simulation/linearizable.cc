#include "simulation/linearizable.h"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

namespace pollux::testing {
namespace {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

/// A search that takes longer than this gives no verdict; the histories of the simulator stay far below.
constexpr std::size_t states_max = 2'000'000;

class Search {
 public:
  explicit Search(std::vector<RegisterOperation> operations) : operations_(std::move(operations)) {
    for (auto& operation : operations_) {
      if (operation.returned == 0) operation.returned = never;
    }
    std::ranges::sort(operations_, {}, &RegisterOperation::invoked);
    done_.assign(operations_.size(), false);
  }

  std::optional<std::string> run() {
    if (place(0)) return std::nullopt;
    if (states_ >= states_max) return "the search for an order was given up";
    return "no order of the operations explains the answers; furthest was: " + furthest_;
  }

 private:
  /// What the register holds after the operation, if its answer fits `held`.
  static std::optional<std::uint64_t> after(const RegisterOperation& operation, std::uint64_t held) {
    const bool answered = operation.returned != never;
    using Kind = RegisterOperation::Kind;
    switch (operation.kind) {
      case Kind::read: return !answered || operation.saw == held ? std::optional(held) : std::nullopt;
      case Kind::swap: return !answered || operation.saw == held ? std::optional(operation.value) : std::nullopt;
      case Kind::compare_and_swap: {
        const bool fits = held == operation.expected;
        if (answered && (operation.saw != held || operation.succeeded != fits)) return std::nullopt;
        return fits ? operation.value : held;
      }
    }
    return std::nullopt;
  }

  /// How far back the next operation may have been invoked: not after the earliest return of all that is left.
  [[nodiscard]] std::uint64_t earliest_return() const {
    std::uint64_t earliest = never;
    for (std::size_t i = first_; i < operations_.size() && operations_[i].invoked <= earliest; ++i) {
      if (!done_[i]) earliest = std::min(earliest, operations_[i].returned);
    }
    return earliest;
  }

  void mark(std::size_t i, std::uint64_t held) {
    done_[i] = true;
    ++placed_;
    if (placed_ > most_placed_) {
      most_placed_ = placed_;
      note_furthest(held);
    }
  }

  bool place(std::uint64_t held) {
    const std::size_t first = first_;
    std::vector<std::size_t> at_once;
    if (place_next(held, &at_once)) return true;
    for (const std::size_t i : at_once) done_[i] = false;
    placed_ -= at_once.size();
    first_ = first;
    return false;
  }

  bool place_next(std::uint64_t held, std::vector<std::size_t>* at_once) {
    // What changes nothing and fits now can come now: to place it later is never better.
    std::uint64_t earliest = 0;
    for (bool again = true; again;) {
      again = false;
      while (first_ < operations_.size() && done_[first_]) ++first_;
      earliest = earliest_return();
      for (std::size_t i = first_; i < operations_.size() && operations_[i].invoked <= earliest; ++i) {
        if (done_[i] || operations_[i].returned == never || after(operations_[i], held) != held) continue;
        mark(i, held);
        at_once->push_back(i);
        again = true;
      }
    }
    if (earliest == never) return true;  // all that was answered has its place
    if (++states_ >= states_max || !seen_.insert(state(held)).second) return false;
    for (const bool answered : {true, false}) {
      for (std::size_t i = first_; i < operations_.size() && operations_[i].invoked <= earliest; ++i) {
        if (done_[i] || (operations_[i].returned != never) != answered) continue;
        const auto next = after(operations_[i], held);
        if (!next) continue;
        mark(i, *next);
        const std::size_t first = first_;
        if (place(*next)) return true;
        first_ = first;
        done_[i] = false;
        --placed_;
      }
    }
    return false;
  }

  void note_furthest(std::uint64_t held) {
    furthest_ = std::to_string(placed_) + " of " + std::to_string(operations_.size()) + " placed, the register holds " +
                std::to_string(held) + ", next:";
    std::size_t shown = 0;
    for (std::size_t i = 0; i < operations_.size() && shown < 4; ++i) {
      if (done_[i]) continue;
      furthest_ += "\n    " + operations_[i].text;
      ++shown;
    }
  }

  [[nodiscard]] std::string state(std::uint64_t held) const {
    std::string key(reinterpret_cast<const char*>(&held), sizeof held);
    key.append(reinterpret_cast<const char*>(&first_), sizeof first_);
    for (std::size_t i = first_; i < operations_.size(); ++i) {
      if (!done_[i]) continue;
      const std::size_t bit = i - first_;
      if (key.size() <= sizeof held + sizeof first_ + bit / 8) key.resize(sizeof held + sizeof first_ + bit / 8 + 1);
      char& byte = key[sizeof held + sizeof first_ + bit / 8];
      byte = static_cast<char>(byte | (1 << bit % 8));
    }
    return key;
  }

  std::vector<RegisterOperation> operations_;
  std::vector<bool> done_;
  std::size_t first_ = 0, placed_ = 0, most_placed_ = 0, states_ = 0;
  std::unordered_set<std::string> seen_;
  std::string furthest_ = "nothing placed";
};

}  // namespace

std::optional<std::string> find_contradiction(std::vector<RegisterOperation> operations) {
  using Kind = RegisterOperation::Kind;
  // What was never answered and whose value nobody saw can as well come last, where it disturbs nobody.
  std::set<std::uint64_t> seen;
  for (const auto& operation : operations) {
    if (operation.returned != 0) seen.insert(operation.saw);
    if (operation.kind == Kind::compare_and_swap) seen.insert(operation.expected);
  }
  std::erase_if(operations, [&seen](const RegisterOperation& operation) {
    return operation.returned == 0 &&
           (operation.kind == Kind::read || (operation.value != 0 && !seen.contains(operation.value)));
  });
  return Search(std::move(operations)).run();
}

}  // namespace pollux::testing
