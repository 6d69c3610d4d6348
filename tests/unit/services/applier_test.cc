// Applier and forcer with trail and tables in memory.
#include "applier.h"

#include <gmock/gmock.h>

#include "forcer.h"
#include "pollux/proto/record_codec.h"
#include "support.h"

namespace pollux {
namespace {

using testing::eventually;
using ::testing::SizeIs;

class StorageThreads : public ::testing::Test {
 protected:
  void open(FailHook fail = {}) {
    trail_ = make_memory_trail();
    if (fail) trail_ = make_faulty_trail(std::move(trail_), std::move(fail));
    tables_ = make_memory_tables();
    state_ = std::make_unique<SharedState>(*tables_);
    quarantine_ = Quarantine::open(home_.path()).value();
    log_ = MemberLog::open({.directory = home_.path(), .name = "test"}).value();
    applier_.emplace(Applier::Parts{*trail_, *state_, *quarantine_, inbox_, counters_, *log_},
                     Applier::Options{.records_max = 100, .every = std::chrono::milliseconds(5)});
    forcer_.emplace(Forcer::Parts{*trail_, *state_, *applier_, inbox_, counters_, *log_}, home_.path() / "aside");
    applier_->start();
    forcer_->start();
  }
  void TearDown() override {
    if (forcer_) forcer_->stop();
    if (applier_) applier_->stop();
  }

  std::vector<RecordPtr> make(std::uint64_t first, std::uint64_t last, const std::string& value = "v") {
    std::vector<RecordPtr> records;
    for (std::uint64_t lsn = first; lsn <= last; ++lsn) {
      Record record;
      record.lsn = {lsn};
      record.time = {static_cast<std::int64_t>(lsn)};
      record.kind = lsn == 1 ? RecordKind::session_opened : RecordKind::request;
      record.sync = {SessionId{{1}}, lsn == 1 ? 0 : lsn};
      record.changes.push_back({"key" + std::to_string(lsn), value});
      records.push_back(seal(std::move(record), hash_));
      hash_ = records.back()->hash;
    }
    return records;
  }

  template <class Fact>
  Fact expect() {
    std::optional<Fact> fact;
    EXPECT_TRUE(eventually([&] {
      std::vector<Input> inputs;
      inbox_.drain(inputs);
      for (Input& input : inputs) {
        if (auto* found = std::get_if<Fact>(&std::get<Event>(input))) fact = std::move(*found);
      }
      return fact.has_value();
    }));
    return fact.value_or(Fact{});
  }

  void force(std::uint64_t first, std::uint64_t last) {
    records_ = make(first, last);
    forcer_->give(Force{records_});
    EXPECT_EQ(expect<Forced>().upto.lsn.value, last);
  }

  testing::TestDirectory home_;
  std::unique_ptr<Trail> trail_;
  std::unique_ptr<Tables> tables_;
  std::unique_ptr<SharedState> state_;
  std::unique_ptr<Quarantine> quarantine_;
  std::unique_ptr<MemberLog> log_;
  CoreInbox inbox_;
  MemberCounters counters_;
  std::optional<Applier> applier_;
  std::optional<Forcer> forcer_;
  std::vector<RecordPtr> records_;
  Hash hash_;
};

TEST_F(StorageThreads, ForcedRecordsAreInTheTrailAndAppliedOnesInTheTables) {
  open();
  force(1, 3);
  EXPECT_EQ(trail_->last().lsn, Lsn{3});
  state_->set_committed({3});
  applier_->give(ApplyRecords{records_});
  EXPECT_EQ(expect<Applied>().upto, Lsn{3});
  EXPECT_EQ(state_->applied(), Lsn{3});
  EXPECT_EQ(tables_->view().value()->get("key2").value(), "v");
}

TEST_F(StorageThreads, AFailedFlushIsReportedAndNothingIsWrittenAfterIt) {
  std::atomic<bool> fail{false};
  open([&](std::string_view operation) -> std::optional<Code> {
    if (fail && operation == "append") return Code::io_error;
    return {};
  });
  force(1, 1);
  fail = true;
  forcer_->give(Force{make(2, 2)});
  EXPECT_EQ(expect<StorageFailed>().error.code, Code::io_error);
  fail = false;
  forcer_->give(Force{make(3, 3)});
  forcer_->stop();
  EXPECT_EQ(trail_->last().lsn, Lsn{1});
}

TEST_F(StorageThreads, ACutKeepsWhatItCutsOffAndTellsWhatIsNotApplied) {
  open();
  force(1, 5);
  state_->set_committed({2});
  applier_->give(ApplyRecords{{records_[0], records_[1]}});
  forcer_->give(CutTrail{records_[3]->position()});
  const TrailCut cut = expect<TrailCut>();
  EXPECT_EQ(cut.last, records_[3]->position());
  EXPECT_EQ(cut.applied, Lsn{2});
  EXPECT_EQ(cut.sessions.size(), 1U);
  ASSERT_THAT(cut.unapplied, SizeIs(2));
  EXPECT_EQ(cut.unapplied.back()->record.lsn, Lsn{4});
  EXPECT_EQ(trail_->last().lsn, Lsn{4});
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(home_.path() / "aside")) ++files;
  EXPECT_EQ(files, 1U);
}

TEST_F(StorageThreads, ASnapshotIsInstalledAndTheTrailBeginsAnewAtItsFirstTag) {
  open();
  force(1, 2);
  auto giver = make_memory_tables();
  hash_ = {};
  const auto history = make(1, 10, "new");
  ASSERT_TRUE(giver->apply(history));

  applier_->give(InstallSnapshot{.begin = true});
  auto installed = expect<SnapshotInstalled>();
  EXPECT_FALSE(installed.rows_complete);
  while (!installed.rows_complete) {
    const auto chunk = giver->read_snapshot(installed.next, 200).value();
    applier_->give(InstallSnapshot{
        .chunk = {
            .cursor = installed.next, .tag = chunk.tag, .time = chunk.time, .rows = chunk.rows, .next = chunk.next}});
    installed = expect<SnapshotInstalled>();
  }
  EXPECT_EQ(installed.first_tag, history.back()->position());
  forcer_->give(ResetTrail{installed.first_tag});
  const TrailReset reset = expect<TrailReset>();
  EXPECT_EQ(reset.base, history.back()->position());
  EXPECT_EQ(reset.sessions.size(), 1U);
  EXPECT_EQ(trail_->last(), history.back()->position());
  EXPECT_EQ(state_->newest_time(), history.back()->record.time) << "the next record's time may not be earlier";
  EXPECT_EQ(tables_->view().value()->get("key7").value(), "new");
}

TEST_F(StorageThreads, MemberStateIsPersistedBeforeItIsReported) {
  open();
  MemberState state;
  state.configuration.epoch = {4};
  forcer_->give(Persist{17, state});
  EXPECT_EQ(expect<Persisted>().ticket, 17U);
  EXPECT_EQ(trail_->load_state().value()->configuration.epoch, Epoch{4});
}

}  // namespace
}  // namespace pollux
