// What every trail promises: the one in LMDB, the one in memory, and the faulty one without faults.
#include <gmock/gmock.h>

#include <functional>
#include <thread>

#include "audit_tools.h"
#include "pollux/audit/archive.h"

namespace pollux::testing {
namespace {

struct TrailKind {
  const char* name;
  std::function<std::unique_ptr<Trail>(const std::filesystem::path&)> make;
};

class TrailTest : public ::testing::TestWithParam<TrailKind> {
 protected:
  TempDir directory_;
  std::unique_ptr<Trail> trail_ = GetParam().make(directory_ / "trail");
  RecordMaker maker_;

  std::vector<RecordPtr> append(std::size_t count, std::size_t value_bytes = 100) {
    auto records = maker_.some(count, value_bytes);
    EXPECT_OK(trail_->append(records));
    return records;
  }
  std::vector<RecordPtr> all_after(Lsn after, std::size_t bytes_max) {
    std::vector<RecordPtr> all;
    for (;;) {
      auto some = trail_->read_after(after, bytes_max);
      EXPECT_OK(some);
      if (!some || some->empty()) return all;
      all.insert(all.end(), some->begin(), some->end());
      after = all.back()->record.lsn;
    }
  }
};

TEST_P(TrailTest, IsEmptyWhenNew) {
  EXPECT_EQ(trail_->base(), Position{});
  EXPECT_EQ(trail_->last(), Position{});
  EXPECT_EQ(code_of(trail_->read(Lsn{1})), Code::not_found);
  EXPECT_EQ(code_of(trail_->read(Lsn{0})), Code::gone);
  EXPECT_EQ(trail_->hash_at(Lsn{0}), Hash{});
  EXPECT_TRUE(trail_->read_after(Lsn{0}, 1000)->empty());
  EXPECT_EQ(trail_->stats().records, 0U);
  EXPECT_EQ(*trail_->load_state(), std::nullopt);
}

TEST_P(TrailTest, GivesBackWhatWasAppended) {
  const auto first = append(3);
  const auto second = append(2, 10'000);
  EXPECT_EQ(trail_->last(), maker_.last());
  for (const auto& record : {first[0], first[2], second[1]}) {
    auto read = trail_->read(record->record.lsn);
    ASSERT_OK(read);
    EXPECT_EQ((*read)->record, record->record);
    EXPECT_EQ((*read)->bytes, record->bytes);
    EXPECT_EQ((*read)->hash, record->hash);
    EXPECT_EQ(*trail_->hash_at(record->record.lsn), record->hash);
  }
  EXPECT_EQ(code_of(trail_->read(Lsn{6})), Code::not_found);
  EXPECT_EQ(code_of(trail_->hash_at(Lsn{6})), Code::not_found);
}

TEST_P(TrailTest, AppendingNothingChangesNothing) {
  EXPECT_OK(trail_->append({}));
  EXPECT_EQ(trail_->last(), Position{});
}

TEST_P(TrailTest, ReadsOnInPortionsOfBytes) {
  const auto records = append(50);
  for (const std::size_t bytes_max :
       {std::size_t{0}, std::size_t{1}, std::size_t{500}, std::size_t{1} << 20}) {
    const auto read = all_after(Lsn{0}, bytes_max);
    ASSERT_EQ(read.size(), 50U);
    for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(read[i]->bytes, records[i]->bytes);
  }
  const auto some = trail_->read_after(Lsn{10}, 500);
  ASSERT_OK(some);
  EXPECT_EQ(some->front()->record.lsn, Lsn{11});
  std::size_t bytes = 0;
  for (const auto& record : *some) bytes += record->bytes.size();
  EXPECT_LE(bytes, 500U);
  EXPECT_GT(some->size(), 1U);
}

TEST_P(TrailTest, CutDropsWhatIsAboveAndSetsItAside) {
  const auto records = append(20);
  const Position to = records[11]->position();
  ASSERT_OK(trail_->cut(to, directory_ / "aside/cut"));
  EXPECT_EQ(trail_->last(), to);
  EXPECT_EQ(code_of(trail_->read(Lsn{13})), Code::not_found);
  auto aside = read_archive(directory_ / "aside/cut");
  ASSERT_OK(aside);
  EXPECT_EQ(aside->base, to);
  ASSERT_EQ(aside->records.size(), 8U);
  EXPECT_EQ(aside->records.back()->bytes, records.back()->bytes);

  RecordMaker other(to);
  const auto record = other.put("other", "history");
  ASSERT_OK(trail_->append({{record}}));
  EXPECT_EQ((*trail_->read(Lsn{13}))->bytes, record->bytes);
  EXPECT_EQ(trail_->stats().newest, record->record.time);
}

TEST_P(TrailTest, CutRefusesAnotherHistoryAndChangesNothing) {
  const auto records = append(5);
  Position wrong = records[2]->position();
  wrong.hash.bytes[0] ^= 1;
  EXPECT_EQ(code_of(trail_->cut(wrong, directory_ / "aside")), Code::damaged);
  EXPECT_EQ(code_of(trail_->cut({Lsn{6}, {}}, directory_ / "aside")), Code::not_found);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "aside"));
  EXPECT_EQ(trail_->last(), maker_.last());
  EXPECT_OK(trail_->append(maker_.some(1)));
}

TEST_P(TrailTest, CutToTheEndDoesNothing) {
  append(5);
  EXPECT_OK(trail_->cut(maker_.last(), directory_ / "aside"));
  EXPECT_FALSE(std::filesystem::exists(directory_ / "aside"));
}

TEST_P(TrailTest, CutToTheBaseLeavesAnEmptyTrail) {
  append(5);
  ASSERT_OK(trail_->cut({}, directory_ / "aside"));
  EXPECT_EQ(trail_->last(), Position{});
  RecordMaker other;
  EXPECT_OK(trail_->append(other.some(2)));
}

TEST_P(TrailTest, ResetStartsAnewAfterABase) {
  append(5);
  RecordMaker elsewhere;
  elsewhere.some(1000);
  ASSERT_OK(trail_->reset(elsewhere.last()));
  EXPECT_EQ(trail_->base(), elsewhere.last());
  EXPECT_EQ(trail_->last(), elsewhere.last());
  EXPECT_EQ(code_of(trail_->read(Lsn{3})), Code::gone);
  EXPECT_EQ(code_of(trail_->read_after(Lsn{3}, 1000)), Code::gone);
  EXPECT_EQ(*trail_->hash_at(Lsn{1000}), elsewhere.last().hash);
  EXPECT_EQ(code_of(trail_->hash_at(Lsn{999})), Code::gone);
  const auto more = elsewhere.some(3);
  ASSERT_OK(trail_->append(more));
  EXPECT_EQ((*trail_->read(Lsn{1002}))->bytes, more[1]->bytes);
  EXPECT_EQ(trail_->read_after(Lsn{1000}, 1 << 20)->size(), 3U);
}

TEST_P(TrailTest, OldRecordsLeaveInPortions) {
  const auto records = append(100);
  EXPECT_EQ(trail_->drop_below(Lsn{50}, 30)->lsn, Lsn{30});
  EXPECT_EQ(trail_->drop_below(Lsn{50}, 30)->lsn, Lsn{50});
  EXPECT_EQ(*trail_->drop_below(Lsn{50}, 30), records[49]->position());
  EXPECT_EQ(*trail_->drop_below(Lsn{10}, 30), records[49]->position());
  EXPECT_EQ(code_of(trail_->read(Lsn{50})), Code::gone);
  EXPECT_EQ(code_of(trail_->read_after(Lsn{49}, 1000)), Code::gone);
  EXPECT_EQ(*trail_->hash_at(Lsn{50}), records[49]->hash);
  EXPECT_EQ(code_of(trail_->hash_at(Lsn{49})), Code::gone);
  EXPECT_EQ((*trail_->read(Lsn{51}))->bytes, records[50]->bytes);
  const TrailStats stats = trail_->stats();
  EXPECT_EQ(stats.records, 50U);
  EXPECT_EQ(stats.oldest, records[50]->record.time);
  EXPECT_EQ(stats.newest, records[99]->record.time);
}

TEST_P(TrailTest, AllRecordsMayLeave) {
  append(10);
  EXPECT_EQ(*trail_->drop_below(Lsn{1000}, 1000), maker_.last());
  EXPECT_EQ(trail_->last(), maker_.last());
  EXPECT_EQ(trail_->stats().records, 0U);
  const auto more = append(2);
  EXPECT_EQ((*trail_->read(Lsn{11}))->bytes, more[0]->bytes);
}

TEST_P(TrailTest, AnchorsOfDroppedRecordsStayKnown) {
  const auto records = append(3000, 10);
  while (trail_->base().lsn < Lsn{2500}) ASSERT_OK(trail_->drop_below(Lsn{2500}, 700));
  EXPECT_EQ(*trail_->hash_at(Lsn{1024}), records[1023]->hash);
  EXPECT_EQ(*trail_->hash_at(Lsn{2048}), records[2047]->hash);
  EXPECT_EQ(code_of(trail_->hash_at(Lsn{1025})), Code::gone);
  ASSERT_OK(trail_->reset({Lsn{5000}, records[0]->hash}));
  EXPECT_EQ(code_of(trail_->hash_at(Lsn{1024})), Code::gone);
}

TEST_P(TrailTest, RepairTakesTheVeryRecordOnly) {
  const auto records = append(5);
  EXPECT_OK(trail_->repair(records[2]));
  RecordMaker other(records[1]->position());
  EXPECT_EQ(code_of(trail_->repair(other.put("another", "record"))), Code::damaged);
  RecordMaker beyond(maker_.last());
  EXPECT_EQ(code_of(trail_->repair(beyond.put("a", "b"))), Code::not_found);
  EXPECT_EQ((*trail_->read(Lsn{3}))->bytes, records[2]->bytes);
}

TEST_P(TrailTest, KeepsTheMembersState) {
  MemberState state;
  state.incarnation.bytes[3] = 7;
  state.configuration.epoch = Epoch{12};
  state.witness_revision = 99;
  ASSERT_OK(trail_->store_state(state));
  EXPECT_EQ(*trail_->load_state(), state);
  state.configuration.epoch = Epoch{13};
  ASSERT_OK(trail_->store_state(state));
  ASSERT_OK(trail_->reset({Lsn{5}, {}}));
  EXPECT_EQ(*trail_->load_state(), state);
}

TEST_P(TrailTest, TellsItsSizeAndAge) {
  const auto before = trail_->stats().bytes_used;
  const auto records = append(1000);
  const TrailStats stats = trail_->stats();
  EXPECT_EQ(stats.records, 1000U);
  EXPECT_GT(stats.bytes_used, before + 1000 * 100);
  EXPECT_EQ(stats.oldest, records.front()->record.time);
  EXPECT_EQ(stats.newest, records.back()->record.time);
  ASSERT_OK(trail_->drop_below(Lsn{900}, 900));
  EXPECT_LT(trail_->stats().bytes_used, stats.bytes_used / 4);
}

TEST_P(TrailTest, VerifyFindsNothingWrong) {
  append(300);
  ASSERT_OK(trail_->drop_below(Lsn{100}, 100));
  std::uint64_t told = 0;
  auto report = verify(*trail_, [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(total, 200U);
    told = done;
  });
  ASSERT_OK(report);
  EXPECT_EQ(report->records, 200U);
  EXPECT_EQ(told, 200U);
  EXPECT_TRUE(report->faults.empty());
  EXPECT_EQ(report->last, maker_.last());
}

TEST_P(TrailTest, ReadersGoOnWhileItIsWritten) {
  append(100);
  std::atomic<bool> stop = false;
  std::thread reader([&] {
    while (!stop) {
      const Lsn after = trail_->base().lsn;
      auto records = trail_->read_after(after, 4000);
      // Retention may overtake a reader; nothing else may go wrong.
      if (!records) {
        EXPECT_EQ(records.error().code, Code::gone) << records.error().text;
      }
      EXPECT_GE(trail_->stats().last.lsn, after);
    }
  });
  for (int i = 0; i < 30; ++i) {
    append(20);
    EXPECT_OK(trail_->drop_below(Lsn{trail_->last().lsn.value - 100}, 25));
  }
  stop = true;
  reader.join();
}

INSTANTIATE_TEST_SUITE_P(Kinds, TrailTest,
                         ::testing::Values(TrailKind{"Lmdb", open_trail},
                                           TrailKind{"Memory",
                                                     [](const auto&) { return make_memory_trail(); }},
                                           TrailKind{"Faulty",
                                                     [](const auto& directory) {
                                                       return make_faulty_trail(open_trail(directory), {});
                                                     }}),
                         [](const auto& kind) { return kind.param.name; });

TEST(FaultyTrail, FailsWhenToldAndRefusesEveryLaterWrite) {
  int countdown = 2;
  auto trail = make_faulty_trail(make_memory_trail(), [&](std::string_view operation) -> std::optional<Code> {
    if (operation != "append" || --countdown > 0) return std::nullopt;
    return Code::disk_full;
  });
  RecordMaker maker;
  EXPECT_OK(trail->append(maker.some(2)));
  const auto lost = maker.some(1);
  EXPECT_EQ(code_of(trail->append(lost)), Code::disk_full);
  EXPECT_EQ(code_of(trail->append(lost)), Code::disk_full);
  EXPECT_EQ(code_of(trail->store_state({})), Code::disk_full);
  EXPECT_EQ(trail->last().lsn, Lsn{2});
  EXPECT_OK(trail->read(Lsn{2}));
}

}  // namespace
}  // namespace pollux::testing
