// What a member's threads tell core, as a test sees it.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core_inbox.h"
#include "support.h"

namespace pollux::testing {

class Posted {
 public:
  explicit Posted(CoreInbox& inbox) : inbox_(inbox) {}

  /// The next event of this kind, waited for; earlier ones of other kinds are kept.
  template <class Fact>
  Fact next() {
    std::optional<Fact> fact;
    EXPECT_TRUE(eventually([&] { return (fact = take<Fact>()).has_value(); })) << "core was never told";
    return fact.value_or(Fact{});
  }
  /// The oldest event of this kind that was posted by now.
  template <class Fact>
  std::optional<Fact> take() {
    std::vector<Input> fresh;
    inbox_.drain(fresh);
    std::move(fresh.begin(), fresh.end(), std::back_inserter(inputs_));
    for (auto input = inputs_.begin(); input != inputs_.end(); ++input) {
      std::optional<Fact> fact = of_kind<Fact>(*input);
      if (!fact) continue;
      inputs_.erase(input);
      return fact;
    }
    return {};
  }

 private:
  template <class Fact>
  static std::optional<Fact> of_kind(Input& input) {
    if constexpr (std::is_same_v<Fact, QueryAnswer>) {
      if (auto* found = std::get_if<Fact>(&input)) return std::move(*found);
    } else if (auto* event = std::get_if<Event>(&input)) {
      if (auto* found = std::get_if<Fact>(event)) return std::move(*found);
    }
    return {};
  }

  CoreInbox& inbox_;
  std::vector<Input> inputs_;
};

}  // namespace pollux::testing
