// What every witness must do, whatever it is made of.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "pollux/ipc/witness.h"
#include "scratch_directory.h"
#include "witness_parts.h"

namespace pollux::testing {
namespace {

struct WitnessMaker {
  virtual ~WitnessMaker() = default;
  /// The witness as one more process sees it.
  virtual Witness& open() = 0;
};

class WitnessSuite : public ::testing::TestWithParam<std::function<std::unique_ptr<WitnessMaker>()>> {
 protected:
  using Outcome = WitnessSaid::Outcome;

  std::unique_ptr<WitnessMaker> maker_ = GetParam()();
  Witness& witness_ = maker_->open();
};

TEST_P(WitnessSuite, HoldsNothingAtFirst) {
  const auto answer = witness_.read();
  ASSERT_EQ(answer.outcome, Outcome::read) << answer.text;
  EXPECT_EQ(answer.view->configuration, Configuration{});
  EXPECT_FALSE(answer.view->witness.none());
}

TEST_P(WitnessSuite, KeepsWhatWasWon) {
  const auto next = configuration(1, member(1, 1), {}, Lsn{5});
  const auto won = witness_.propose(next);
  ASSERT_EQ(won.outcome, Outcome::won) << won.text;
  EXPECT_EQ(won.view->configuration, next);
  const auto read = maker_->open().read();
  ASSERT_EQ(read.outcome, Outcome::read) << read.text;
  EXPECT_EQ(*read.view, *won.view);
  const auto joined = witness_.propose(configuration(2, member(1, 1), member(2, 1), Lsn{5}));
  ASSERT_EQ(joined.outcome, Outcome::won) << joined.text;
  EXPECT_EQ(maker_->open().read().view->configuration.backup, member(2, 1));
}

TEST_P(WitnessSuite, GivesAnEpochToOneOnly) {
  ASSERT_EQ(witness_.propose(configuration(1, member(1, 1))).outcome, Outcome::won);
  const auto lost = maker_->open().propose(configuration(1, member(2, 1)));
  EXPECT_EQ(lost.outcome, Outcome::lost);
  EXPECT_EQ(lost.view->configuration.primary, member(1, 1));
}

TEST_P(WitnessSuite, SaysWonAgainToTheSameProposalOfTheSameRun) {
  const auto next = configuration(1, member(1, 1));
  ASSERT_EQ(witness_.propose(next).outcome, Outcome::won);
  EXPECT_EQ(witness_.propose(next).outcome, Outcome::won);
  EXPECT_EQ(maker_->open().propose(next).outcome, Outcome::won);
  auto other_run = next;
  other_run.primary.run = RunId{{9}};
  EXPECT_EQ(witness_.propose(other_run).outcome, Outcome::lost);
}

TEST_P(WitnessSuite, SaysLostOnceTheProposalIsNoLongerTheNewest) {
  const auto first = configuration(1, member(1, 1));
  ASSERT_EQ(witness_.propose(first).outcome, Outcome::won);
  ASSERT_EQ(witness_.propose(configuration(2, member(2, 1))).outcome, Outcome::won);
  const auto late = witness_.propose(first);
  EXPECT_EQ(late.outcome, Outcome::lost);
  EXPECT_EQ(late.view->configuration.epoch, Epoch{2});
}

TEST_P(WitnessSuite, RefusesAnEpochThatIsNotTheNext) {
  const auto early = witness_.propose(configuration(2, member(1, 1)));
  EXPECT_EQ(early.outcome, Outcome::lost);
  EXPECT_EQ(early.view->configuration.epoch, Epoch{});
}

TEST_P(WitnessSuite, IsNotInDoubtAboutAnotherClustersProposal) {
  ASSERT_EQ(witness_.propose(configuration(1, member(1, 1))).outcome, Outcome::won);
  auto foreign = configuration(2, member(3, 1));
  foreign.cluster = ClusterId{{9}};
  const auto answer = witness_.propose(foreign);
  EXPECT_EQ(answer.outcome, Outcome::in_doubt);  // nothing that the proposer could believe in
  EXPECT_NE(answer.text, "");
  EXPECT_EQ(witness_.read().view->configuration.epoch, Epoch{1});
}

TEST_P(WitnessSuite, RevisionsGrowWithEveryWrite) {
  std::uint64_t last = witness_.read().view->revision;
  const auto grew = [&] {
    const std::uint64_t now = maker_->open().read().view->revision;
    return now > std::exchange(last, now);
  };
  EXPECT_FALSE(grew());
  auto current = configuration(1, member(1, 1));
  ASSERT_EQ(witness_.propose(current).outcome, Outcome::won);
  EXPECT_TRUE(grew());
  for (std::uint64_t lsn = 10; lsn < 13; ++lsn) {
    current.floor = {Lsn{lsn}, Hash{{1}}};
    ASSERT_TRUE(witness_.raise_floor(current).has_value());
    EXPECT_TRUE(grew());
  }
  ASSERT_EQ(witness_.propose(configuration(2, member(2, 1))).outcome, Outcome::won);
  EXPECT_TRUE(grew());
}

TEST_P(WitnessSuite, TheFloorRisesAndNeverFalls) {
  auto current = configuration(1, member(1, 1), member(2, 1), Lsn{5});
  ASSERT_EQ(witness_.propose(current).outcome, Outcome::won);
  current.floor = {Lsn{20}, Hash{{20}}};
  ASSERT_TRUE(witness_.raise_floor(current).has_value());
  EXPECT_EQ(maker_->open().read().view->configuration.floor, current.floor);
  auto lower = current;
  lower.floor = {Lsn{19}, Hash{{19}}};
  EXPECT_TRUE(witness_.raise_floor(lower).has_value());
  EXPECT_EQ(maker_->open().read().view->configuration.floor, current.floor);
  // Nor by a change of roles whose proposer had not heard of it.
  const auto won = maker_->open().propose(configuration(2, member(2, 1), {}, Lsn{7}));
  ASSERT_EQ(won.outcome, Outcome::won);
  EXPECT_EQ(won.view->configuration.floor, current.floor);
  EXPECT_EQ(maker_->open().read().view->configuration.floor, current.floor);
  // Nor by many.
  for (std::uint64_t epoch = 3; epoch < 6; ++epoch) {
    ASSERT_EQ(witness_.propose(configuration(epoch, member(1, 1), {}, Lsn{7})).outcome, Outcome::won);
  }
  EXPECT_EQ(maker_->open().read().view->configuration.floor, current.floor);
}

TEST_P(WitnessSuite, OnlyTheStandingConfigurationRaisesTheFloor) {
  auto current = configuration(1, member(1, 1));
  ASSERT_EQ(witness_.propose(current).outcome, Outcome::won);
  ASSERT_EQ(witness_.propose(configuration(2, member(2, 1))).outcome, Outcome::won);
  current.floor = {Lsn{50}, Hash{{50}}};
  const auto late = witness_.raise_floor(current);
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().code, Code::witness_refused);
  EXPECT_EQ(witness_.read().view->configuration.floor.lsn, Lsn{});
}

TEST_P(WitnessSuite, AdoptsALaterConfigurationOverTheVeryViewThatWasRefused) {
  ASSERT_EQ(witness_.propose(configuration(1, member(1, 1), {}, Lsn{5})).outcome, Outcome::won);
  const WitnessView refused = *witness_.read().view;
  const auto known = configuration(70, member(2, 1), member(1, 2), Lsn{3});
  const auto adopted = witness_.adopt(refused, known);
  ASSERT_EQ(adopted.outcome, Outcome::won) << adopted.text;
  EXPECT_EQ(adopted.view->configuration.floor.lsn, Lsn{5}) << "the floor never goes back";
  EXPECT_GT(adopted.view->revision, refused.revision);
  EXPECT_EQ(*maker_->open().read().view, *adopted.view);
  EXPECT_EQ(maker_->open().adopt(refused, known).outcome, Outcome::won) << "the same again, by the other member";
  // From there on as ever.
  auto current = known;
  current.floor = {Lsn{9}, Hash{{9}}};
  ASSERT_TRUE(witness_.raise_floor(current).has_value());
  const auto next = witness_.propose(configuration(71, member(1, 2)));
  ASSERT_EQ(next.outcome, Outcome::won) << next.text;
  EXPECT_EQ(maker_->open().read().view->configuration.floor.lsn, Lsn{9});
  EXPECT_EQ(witness_.propose(configuration(2, member(3, 1))).outcome, Outcome::lost);
}

TEST_P(WitnessSuite, OfAnEmptyWitnessIsAdoptedToo) {
  const WitnessView refused = *witness_.read().view;
  ASSERT_EQ(witness_.adopt(refused, configuration(5, member(1, 1))).outcome, Outcome::won);
  EXPECT_EQ(maker_->open().read().view->configuration.epoch, Epoch{5});
  EXPECT_EQ(witness_.propose(configuration(6, member(2, 1))).outcome, Outcome::won);
}

TEST_P(WitnessSuite, DoesNotAdoptOverAnythingElse) {
  ASSERT_EQ(witness_.propose(configuration(1, member(1, 1))).outcome, Outcome::won);
  const WitnessView refused = *witness_.read().view;
  auto other = refused;
  other.witness = WitnessId{{9}};
  EXPECT_EQ(witness_.adopt(other, configuration(7, member(2, 1))).outcome, Outcome::lost);
  EXPECT_EQ(witness_.adopt(refused, configuration(1, member(2, 1))).outcome, Outcome::lost) << "not a later one";
  auto foreign = configuration(7, member(2, 1));
  foreign.cluster = ClusterId{{9}};
  EXPECT_EQ(witness_.adopt(refused, foreign).outcome, Outcome::in_doubt);
  // Somebody changed it in between.
  ASSERT_EQ(maker_->open().propose(configuration(2, member(3, 1))).outcome, Outcome::won);
  const auto late = witness_.adopt(refused, configuration(7, member(2, 1)));
  EXPECT_EQ(late.outcome, Outcome::lost);
  EXPECT_EQ(late.view->configuration, configuration(2, member(3, 1)));
}

TEST_P(WitnessSuite, LivesThroughManyEpochs) {
  for (std::uint64_t epoch = 1; epoch <= 40; ++epoch) {
    auto current = configuration(epoch, member(1 + epoch % 2, 1), {}, Lsn{epoch});
    ASSERT_EQ(witness_.propose(current).outcome, Outcome::won);
    current.floor.lsn.value += 1;
    ASSERT_TRUE(witness_.raise_floor(current).has_value());
  }
  EXPECT_EQ(maker_->open().read().view->configuration.epoch, Epoch{40});
  EXPECT_EQ(maker_->open().read().view->configuration.floor.lsn, Lsn{41});
}

struct MemoryMaker : WitnessMaker {
  Witness& open() override { return *witness; }
  std::unique_ptr<Witness> witness = make_memory_witness();
};

struct FileMaker : WitnessMaker {
  Witness& open() override {
    auto witness = open_file_witness(directory.path() / "witness" / "ledger");
    EXPECT_TRUE(witness.has_value()) << witness.error().text;
    witnesses.push_back(std::move(*witness));
    return *witnesses.back();
  }
  ScratchDirectory directory;
  std::vector<std::unique_ptr<Witness>> witnesses;
};

template <class Maker>
std::unique_ptr<WitnessMaker> make() {
  return std::make_unique<Maker>();
}
INSTANTIATE_TEST_SUITE_P(Memory, WitnessSuite, ::testing::Values(make<MemoryMaker>));
INSTANTIATE_TEST_SUITE_P(File, WitnessSuite, ::testing::Values(make<FileMaker>));

}  // namespace
}  // namespace pollux::testing
