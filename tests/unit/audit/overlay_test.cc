#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "audit_tools.h"
#include "pollux/audit/state.h"

namespace pollux::testing {
namespace {

using Versioned = std::optional<std::optional<std::string>>;
const Versioned nothing = std::nullopt;
const Versioned erased = std::optional<std::string>();
Versioned value(std::string text) { return std::optional(std::move(text)); }

class OverlayTest : public ::testing::Test {
 protected:
  Overlay overlay_;
  RecordMaker maker_;
};

TEST_F(OverlayTest, ReadersSeeTheNewestVersionAtTheirLsn) {
  overlay_.add(maker_.put("a", "1"));
  overlay_.add(maker_.put("b", "2"));
  overlay_.add(maker_.put("a", "3"));
  overlay_.add(maker_.erase("a"));
  EXPECT_EQ(overlay_.get("a", Lsn{0}), nothing);
  EXPECT_EQ(overlay_.get("a", Lsn{1}), value("1"));
  EXPECT_EQ(overlay_.get("a", Lsn{2}), value("1"));
  EXPECT_EQ(overlay_.get("a", Lsn{3}), value("3"));
  EXPECT_EQ(overlay_.get("a", Lsn{4}), erased);
  EXPECT_EQ(overlay_.get("a", Lsn{100}), erased);
  EXPECT_EQ(overlay_.get("b", Lsn{1}), nothing);
  EXPECT_EQ(overlay_.get("c", Lsn{100}), nothing);
}

TEST_F(OverlayTest, TheLastChangeOfARecordCounts) {
  overlay_.add(maker_.request({{"a", "1"}, {"a", std::nullopt}, {"a", "3"}}));
  EXPECT_EQ(overlay_.get("a", Lsn{1}), value("3"));
  overlay_.trim(Lsn{1});
  EXPECT_EQ(overlay_.get("a", Lsn{1}), nothing);
  EXPECT_EQ(overlay_.bytes(), 0U);
}

TEST_F(OverlayTest, ScansInKeyOrderAtTheirLsn) {
  for (int i = 999; i >= 0; --i)
    overlay_.add(maker_.put("key" + std::to_string(1000 + i), std::to_string(i)));
  overlay_.add(maker_.erase("key1500"));
  std::vector<std::string> keys;
  const auto take = [&](std::string_view key, const std::optional<std::string>& row) {
    keys.emplace_back(key);
    EXPECT_EQ(row.has_value(), key != "key1500");
    return true;
  };
  overlay_.scan("key1100", "key1900", Lsn{2000}, take);
  EXPECT_EQ(keys.size(), 800U);
  EXPECT_TRUE(std::ranges::is_sorted(keys));
  keys.clear();
  overlay_.scan("", "", Lsn{10}, take);
  EXPECT_EQ(keys.size(), 10U);
  EXPECT_EQ(keys.front(), "key1990");
  keys.clear();
  overlay_.scan("", "", Lsn{2000}, [&](std::string_view key, const auto&) {
    keys.emplace_back(key);
    return keys.size() < 70;
  });
  EXPECT_EQ(keys.size(), 70U);
}

TEST_F(OverlayTest, TrimForgetsWhatIsApplied) {
  overlay_.add(maker_.put("a", "1"));
  overlay_.add(maker_.put("b", "2"));
  overlay_.add(maker_.put("a", "3"));
  overlay_.trim(Lsn{2});
  EXPECT_EQ(overlay_.get("a", Lsn{2}), nothing);
  EXPECT_EQ(overlay_.get("a", Lsn{3}), value("3"));
  EXPECT_EQ(overlay_.get("b", Lsn{3}), nothing);
  overlay_.trim(Lsn{3});
  EXPECT_EQ(overlay_.bytes(), 0U);
}

TEST_F(OverlayTest, OpenBasesKeepWhatTheirReadersNeed) {
  overlay_.add(maker_.put("a", "1"));
  const Lsn early = overlay_.open_base();
  EXPECT_EQ(early, Lsn{0});
  overlay_.add(maker_.put("a", "2"));
  overlay_.add(maker_.put("a", "3"));
  overlay_.trim(Lsn{3});
  EXPECT_EQ(overlay_.get("a", Lsn{1}), value("1"));
  overlay_.move_base(early, Lsn{1});
  overlay_.trim(Lsn{3});
  EXPECT_EQ(overlay_.get("a", Lsn{1}), nothing);
  EXPECT_EQ(overlay_.get("a", Lsn{2}), value("2"));
  const Lsn second = overlay_.open_base();
  EXPECT_EQ(second, Lsn{1});
  overlay_.close_base(Lsn{1});
  overlay_.trim(Lsn{3});
  EXPECT_EQ(overlay_.get("a", Lsn{2}), value("2"));
  overlay_.close_base(second);
  overlay_.trim(Lsn{3});
  EXPECT_EQ(overlay_.get("a", Lsn{3}), nothing);
  EXPECT_EQ(overlay_.open_base(), Lsn{3});
}

TEST_F(OverlayTest, CutTakesTheNewestBack) {
  overlay_.add(maker_.put("a", "1"));
  overlay_.add(maker_.put("a", "2"));
  overlay_.add(maker_.put("b", "3"));
  overlay_.cut(Lsn{1});
  EXPECT_EQ(overlay_.get("a", Lsn{100}), value("1"));
  EXPECT_EQ(overlay_.get("b", Lsn{100}), nothing);
  RecordMaker other(Position{Lsn{1}, {}});
  overlay_.add(other.put("a", "other"));
  EXPECT_EQ(overlay_.get("a", Lsn{2}), value("other"));
  overlay_.clear();
  EXPECT_EQ(overlay_.get("a", Lsn{2}), nothing);
  EXPECT_EQ(overlay_.bytes(), 0U);
}

TEST_F(OverlayTest, OneKeyMayHaveThousandsOfVersions) {
  for (int i = 1; i <= 20'000; ++i) overlay_.add(maker_.put("hot", std::to_string(i)));
  EXPECT_EQ(overlay_.get("hot", Lsn{12'345}), value("12345"));
  overlay_.trim(Lsn{12'344});
  EXPECT_EQ(overlay_.get("hot", Lsn{12'344}), nothing);
  EXPECT_EQ(overlay_.get("hot", Lsn{12'345}), value("12345"));
  overlay_.cut(Lsn{15'000});
  EXPECT_EQ(overlay_.get("hot", Lsn{99'999}), value("15000"));
}

std::optional<std::string> maybe_value() {
  if (*rc::gen::inRange(0, 4) == 0) return std::nullopt;
  return *rc::gen::arbitrary<std::string>();
}

// Against the plainest thing that does the same: all versions in a map.
RC_GTEST_PROP(OverlayProperty, AgreesWithAPlainMap, ()) {
  Overlay overlay;
  std::map<std::pair<std::string, std::uint64_t>, std::optional<std::string>> model;
  RecordMaker maker;
  std::uint64_t trimmed = 0;
  const auto key = [] { return std::string(1, *rc::gen::inRange('a', 'h')); };
  const auto find = [&](const std::string& name, std::uint64_t upto) -> Versioned {
    auto at = model.upper_bound({name, upto});
    if (at == model.begin() || std::prev(at)->first.first != name) return nothing;
    return std::prev(at)->second;
  };
  for (int steps = *rc::gen::inRange(0, 80); steps > 0; --steps) {
    const int what = *rc::gen::inRange(0, 10);
    const std::uint64_t end = maker.last().lsn.value;
    if (what < 5) {
      std::vector<Change> changes;
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
        changes.push_back({key(), maybe_value()});
      }
      for (const auto& change : changes) model[{change.key, end + 1}] = change.value;
      overlay.add(maker.request(changes));
    } else if (what == 5) {
      trimmed = std::max(trimmed, *rc::gen::inRange<std::uint64_t>(0, end + 1));
      overlay.trim(Lsn{trimmed});
      std::erase_if(model, [&](const auto& entry) { return entry.first.second <= trimmed; });
    } else if (what == 6) {
      const auto at = *rc::gen::inRange<std::uint64_t>(trimmed, end + 1);
      overlay.cut(Lsn{at});
      std::erase_if(model, [&](const auto& entry) { return entry.first.second > at; });
      if (at < end) maker = RecordMaker(Position{Lsn{at}, {}});
    } else {
      const auto upto = *rc::gen::inRange<std::uint64_t>(trimmed, end + 2);
      const auto name = key();
      RC_ASSERT(overlay.get(name, Lsn{upto}) == find(name, upto));
      const auto from = key();
      const auto to = key();
      std::vector<std::pair<std::string, std::optional<std::string>>> expected, found;
      for (char c = from[0]; c < to[0]; ++c) {
        if (auto version = find(std::string(1, c), upto)) expected.emplace_back(std::string(1, c), *version);
      }
      overlay.scan(from, to, Lsn{upto}, [&](std::string_view row, const auto& version) {
        found.emplace_back(row, version);
        return true;
      });
      RC_ASSERT(found == expected);
    }
  }
}

}  // namespace
}  // namespace pollux::testing
