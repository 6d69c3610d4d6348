// Reads of the tables with the overlay on top, while records are added, applied and trimmed.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <map>
#include <thread>

#include "audit_tools.h"
#include "pollux/audit/state.h"

namespace pollux::testing {
namespace {

using Rows = std::map<std::string, std::string>;

Rows scan_all(StateView& view, std::string_view from = "", std::string_view to = "") {
  Rows rows;
  std::string last;
  EXPECT_OK(view.scan(from, to, [&](std::string_view key, std::string_view value) {
    EXPECT_TRUE(rows.empty() || last < key) << key << " after " << last;
    last = key;
    rows.emplace(key, value);
    return true;
  }));
  return rows;
}

TEST(StateView, MergesTheOverlayIntoTheTables) {
  auto tables = make_memory_tables();
  Overlay overlay;
  RecordMaker maker;
  ASSERT_OK(tables->apply({{maker.put("b", "table"), maker.put("d", "table"), maker.put("f", "table")}}));
  overlay.add(maker.put("a", "new"));
  overlay.add(maker.put("b", "newer"));
  overlay.add(maker.erase("d"));
  overlay.add(maker.put("g", "new"));
  overlay.add(maker.put("f", "not yet committed"));
  auto view = StateView::open(*tables, overlay, [] { return Lsn{7}; });
  ASSERT_OK(view);
  EXPECT_EQ(scan_all(**view), (Rows{{"a", "new"}, {"b", "newer"}, {"f", "table"}, {"g", "new"}}));
  EXPECT_EQ(scan_all(**view, "b", "g"), (Rows{{"b", "newer"}, {"f", "table"}}));
  EXPECT_EQ((*view)->get("d").value(), std::nullopt);
  EXPECT_EQ((*view)->get("f").value(), "table");
  (*view)->advance(Lsn{8});
  EXPECT_EQ((*view)->get("f").value(), "not yet committed");
}

TEST(StateView, ScansStopWhenToldAndMayReadMeanwhile) {
  auto tables = make_memory_tables();
  Overlay overlay;
  RecordMaker maker;
  ASSERT_OK(tables->apply({{maker.put("b", "1"), maker.put("d", "1")}}));
  overlay.add(maker.put("a", "1"));
  overlay.add(maker.put("c", "1"));
  overlay.add(maker.put("e", "1"));
  auto view = StateView::open(*tables, overlay, [] { return Lsn{5}; });
  ASSERT_OK(view);
  for (std::size_t most = 1; most <= 6; ++most) {
    std::string keys;
    ASSERT_OK((*view)->scan("", "", [&](std::string_view key, std::string_view value) {
      EXPECT_EQ((*view)->get(key).value(), value);
      keys += key;
      return keys.size() < most;
    }));
    EXPECT_EQ(keys, std::string("abcde").substr(0, most));
  }
}

TEST(StateView, ReadsWhatIsAppliedEvenIfTheLsnGivenLagsBehind) {
  auto tables = make_memory_tables();
  Overlay overlay;
  RecordMaker maker;
  ASSERT_OK(tables->apply({{maker.put("a", "1"), maker.put("a", "2")}}));
  auto view = StateView::open(*tables, overlay, [] { return Lsn{1}; });
  ASSERT_OK(view);
  EXPECT_EQ((*view)->lsn(), Lsn{2});
}

TEST(StateView, FailsWhenTheTablesWentBack) {
  auto tables = make_memory_tables();
  Overlay overlay;
  RecordMaker maker;
  ASSERT_OK(tables->apply(maker.some(5)));
  overlay.trim(Lsn{5});
  ASSERT_OK(tables->begin_snapshot());
  EXPECT_EQ(code_of(StateView::open(*tables, overlay, [] { return Lsn{5}; })), Code::busy);
  overlay.clear();
  EXPECT_OK(StateView::open(*tables, overlay, [] { return Lsn{5}; }));
}

// The race of DESIGN section 5: the applier commits a batch and trims the overlay just between the opening of
// a view's LMDB transaction and its registration.
TEST(StateView, TrimmingBetweenOpeningAndRegisteringLosesNothing) {
  class Hooked final : public Tables {  // calls `meanwhile` when a view was opened
   public:
    std::unique_ptr<Tables> inner = make_memory_tables();
    std::function<void()> meanwhile = [] {};
    [[nodiscard]] Position applied() const override { return inner->applied(); }
    [[nodiscard]] WallTime newest_time() const override { return inner->newest_time(); }
    [[nodiscard]] bool incomplete() const override { return false; }
    Result<void> apply(std::span<const RecordPtr> records) override { return inner->apply(records); }
    [[nodiscard]] Result<SessionTable> sessions() const override { return inner->sessions(); }
    [[nodiscard]] Result<std::unique_ptr<TablesView>> view() const override {
      auto made = inner->view();
      meanwhile();
      return made;
    }
    [[nodiscard]] Result<SnapshotChunk> read_snapshot(std::string_view, std::size_t) const override {
      return {};
    }
    Result<void> begin_snapshot() override { return {}; }
    Result<void> install(const SnapshotChunk&) override { return {}; }
    [[nodiscard]] std::optional<SnapshotProgress> snapshot_progress() const override { return {}; }
    [[nodiscard]] Result<std::pair<Position, Hash>> digest() const override { return inner->digest(); }
    [[nodiscard]] TablesStats stats() const override { return {}; }
  } tables;
  Overlay overlay;
  RecordMaker maker;
  const auto record = maker.put("a", "1");
  overlay.add(record);
  tables.meanwhile = [&] {
    ASSERT_OK(tables.apply({{record}}));
    overlay.trim(Lsn{1});
  };
  auto view = StateView::open(tables, overlay, [] { return Lsn{1}; });
  ASSERT_OK(view);
  EXPECT_EQ((*view)->get("a").value(), "1");
}

// Sums stay what they are: each record moves an amount between two of the accounts.
TEST(StateView, EveryReaderSeesAConsistentStateUnderLoad) {
  const TempDir directory;
  auto tables = open_tables(directory / "tables");
  Overlay overlay;
  constexpr int accounts = 20;
  constexpr int total = accounts * 100;
  std::atomic<std::uint64_t> executed{0}, committed{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::vector<RecordPtr> queue;
  RecordMaker maker;
  const auto name = [](int i) { return "account" + std::to_string(i); };
  const auto add = [&](std::vector<Change> changes) {
    const auto record = maker.request(std::move(changes));
    overlay.add(record);
    const std::lock_guard lock(mutex);
    queue.push_back(record);
    executed = record->record.lsn.value;
  };
  std::vector<Change> opening;
  for (int i = 0; i < accounts; ++i) opening.push_back({name(i), "100"});
  add(opening);
  committed = 1;

  std::thread applier([&] {
    while (!stop) {
      std::vector<RecordPtr> batch;
      {
        const std::lock_guard lock(mutex);
        batch.swap(queue);
      }
      if (!batch.empty()) {
        committed = batch.back()->record.lsn.value;
        ASSERT_OK(tables->apply(batch));
        overlay.trim(batch.back()->record.lsn);
      } else {
        std::this_thread::yield();
      }
    }
  });
  std::vector<std::thread> readers;
  std::atomic<int> reads{0};
  for (int r = 0; r < 2; ++r) {
    readers.emplace_back([&, r] {
      auto view = StateView::open(*tables, overlay, [&] { return Lsn{committed}; });
      ASSERT_OK(view);
      while (!stop) {
        int sum = 0;
        if (r == 0) {
          for (const auto& [key, value] : scan_all(**view)) sum += std::stoi(value);
        } else {
          for (int i = 0; i < accounts; ++i) sum += std::stoi((*view)->get(name(i)).value().value());
        }
        ASSERT_EQ(sum, total);
        ++reads;
        ASSERT_OK((*view)->renew([&] { return Lsn{committed}; }));
      }
    });
  }
  {
    auto view = StateView::open(*tables, overlay, [&] { return Lsn{executed}; });
    ASSERT_OK(view);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (int i = 0; (i < 3000 || reads < 50) && std::chrono::steady_clock::now() < deadline; ++i) {
      const auto from = name(i % accounts);
      const auto to = name((i * 7 + 3) % accounts);
      if (from == to) continue;
      const int a = std::stoi((*view)->get(from).value().value());
      const int b = std::stoi((*view)->get(to).value().value());
      add({{from, std::to_string(a - 1)}, {to, std::to_string(b + 1)}});
      (*view)->advance(Lsn{executed});
      if (i % 50 == 0) ASSERT_OK((*view)->renew([&] { return Lsn{executed}; }));
    }
  }
  EXPECT_GE(reads, 50);
  stop = true;
  applier.join();
  for (auto& reader : readers) reader.join();
  ASSERT_OK(tables->apply(queue));
  overlay.trim(maker.last().lsn);
  EXPECT_EQ(overlay.bytes(), 0U);
}

std::optional<std::string> maybe_value() {
  if (*rc::gen::inRange(0, 4) == 0) return std::nullopt;
  return *rc::gen::arbitrary<std::string>();
}

// Tables, overlay and view together are one map that forgets nothing it was told.
RC_GTEST_PROP(StateViewProperty, AgreesWithAPlainMap, ()) {
  const TempDir directory;
  auto tables = open_tables(directory / "tables");
  Overlay overlay;
  RecordMaker maker;
  std::vector<Rows> states{{}};  // by LSN
  std::vector<RecordPtr> unapplied;
  std::vector<std::pair<std::unique_ptr<StateView>, std::uint64_t>> views;
  const auto key = [] { return std::string(1, *rc::gen::inRange('a', 'g')); };
  const auto check = [&](StateView& view, std::uint64_t lsn) {
    RC_ASSERT(view.lsn() == Lsn{lsn});
    const Rows& state = states[lsn];
    for (char c = 'a'; c < 'g'; ++c) {
      const auto expected = state.find(std::string(1, c));
      const auto found = view.get(std::string(1, c)).value();
      RC_ASSERT(found == (expected == state.end() ? std::nullopt : std::optional(expected->second)));
    }
    RC_ASSERT(scan_all(view) == state);
    const auto from = key();
    const auto to = key();
    RC_ASSERT(scan_all(view, from, to) ==
              (from < to ? Rows(state.lower_bound(from), state.lower_bound(to)) : Rows{}));
  };
  for (int steps = *rc::gen::inRange(1, 60); steps > 0; --steps) {
    const int what = *rc::gen::inRange(0, 10);
    if (what < 5) {
      std::vector<Change> changes;
      for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
        changes.push_back({key(), maybe_value()});
      }
      Rows state = states.back();
      for (const auto& [name, value] : changes) {
        if (value) {
          state[name] = *value;
        } else {
          state.erase(name);
        }
      }
      states.push_back(std::move(state));
      unapplied.push_back(maker.request(changes));
      overlay.add(unapplied.back());
    } else if (what < 7 && !unapplied.empty()) {
      const auto count = *rc::gen::inRange<std::size_t>(1, unapplied.size() + 1);
      RC_ASSERT(tables->apply(std::span(unapplied).first(count)).has_value());
      overlay.trim(unapplied[count - 1]->record.lsn);
      unapplied.erase(unapplied.begin(), unapplied.begin() + static_cast<std::ptrdiff_t>(count));
    } else if (what == 7) {
      const auto upto = *rc::gen::inRange(tables->applied().lsn.value, maker.last().lsn.value + 1);
      auto view = StateView::open(*tables, overlay, [&] { return Lsn{upto}; });
      RC_ASSERT(view.has_value());
      views.emplace_back(std::move(*view), upto);
    } else if (!views.empty()) {
      const auto at = *rc::gen::inRange<std::size_t>(0, views.size());
      check(*views[at].first, views[at].second);
      const int then = *rc::gen::inRange(0, 3);
      if (then == 0) {
        views.erase(views.begin() + static_cast<std::ptrdiff_t>(at));
      } else if (then == 1) {
        views[at].second = maker.last().lsn.value;
        RC_ASSERT(views[at].first->renew([&] { return maker.last().lsn; }).has_value());
        check(*views[at].first, views[at].second);
      }
    }
  }
  for (auto& [view, lsn] : views) check(*view, lsn);
  views.clear();
  overlay.trim(tables->applied().lsn);
  if (unapplied.empty()) RC_ASSERT(overlay.bytes() == 0U);
}

}  // namespace
}  // namespace pollux::testing
