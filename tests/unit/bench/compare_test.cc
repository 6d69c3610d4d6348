// What two results show together, and what they don't.
#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <sstream>

#include "compare/compare_print.h"
#include "compare/comparison.h"
#include "compare/pairing.h"
#include "compare/words.h"
#include "made_up_result.h"

namespace pollux::testing {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const Facts small = {{"bytes", "64"}};

Side side_of(const BenchResult& result) {
  Side side;
  EXPECT_TRUE(add_to_side(side, result, "file"));
  return side;
}

Result<Comparison> compare(const BenchResult& a, const BenchResult& b,
                           const ComparisonOptions& options = {}) {
  return compare_sides(side_of(a), side_of(b), options);
}

Comparison of_times(std::vector<std::int64_t> a, std::vector<std::int64_t> b) {
  return *compare(made_up_result({made_up_cell("ipc", small, made_up_time(std::move(a)))}),
                  made_up_result({made_up_cell("ipc", small, made_up_time(std::move(b)))}));
}

const FigureComparison& first(const Comparison& comparison) { return comparison.cells.at(0).figures.at(0); }

TEST(CompareTest, SaysHowMuchSlowerWhereTheRunsCarryIt) {
  const auto comparison = of_times({1000, 1010, 990, 1005, 995}, {1310, 1300, 1320, 1305, 1315});
  EXPECT_EQ(first(comparison).shown, Shown::difference);
  EXPECT_EQ(first(comparison).text, "B is 1.31 x slower");
  EXPECT_EQ(first(comparison).ratio->ppm, 1'310'000u);
  EXPECT_GT(first(comparison).ratio->low_ppm, 1'250'000u);
  EXPECT_LT(first(comparison).ratio->high_ppm, 1'350'000u);
}

TEST(CompareTest, ClaimsNothingWhereTheIntervalHoldsOneAndSaysWhatWouldHaveBeenSeen) {
  const auto comparison = of_times({1000, 1100, 900, 1050, 950}, {1010, 1110, 910, 1060, 960});
  EXPECT_EQ(first(comparison).shown, Shown::no_difference);
  EXPECT_THAT(first(comparison).text, HasSubstr("no difference shown; 1."));
}

TEST(CompareTest, ClaimsNothingFromThreeRunsASideHoweverFarApart) {
  const auto comparison = of_times({1000, 1001, 1002}, {9000, 9001, 9002});
  EXPECT_EQ(first(comparison).shown, Shown::too_few_runs);
  EXPECT_THAT(first(comparison).text, HasSubstr("too few runs (3 and 3"));
}

TEST(CompareTest, FourRunsASideAreEnoughAsThreeAndFiveAre) {
  EXPECT_TRUE(too_few_runs(1, 38));
  EXPECT_FALSE(too_few_runs(1, 39));
  EXPECT_TRUE(too_few_runs(0, 1000));
  EXPECT_TRUE(too_few_runs(3, 4));
  EXPECT_FALSE(too_few_runs(3, 5));
  EXPECT_FALSE(too_few_runs(4, 4));
  EXPECT_FALSE(too_few_runs(1'000'000, 1'000'000));
}

TEST(CompareTest, NeverClaimsAnythingOfAnInvalidSide) {
  auto a = made_up_result({made_up_cell("ipc", small, made_up_time({1000, 1000, 1000, 1000}))});
  auto b = made_up_result({made_up_cell("ipc", small, made_up_time({2000, 2000, 2000, 2000}))});
  b.cells[0].verdict = Verdict::invalid;
  b.cells[0].reasons = {"on tmpfs"};
  const auto comparison = compare(a, b);
  ASSERT_TRUE(comparison);
  EXPECT_EQ(first(*comparison).shown, Shown::untrusted);
  EXPECT_FALSE(first(*comparison).ratio);
  EXPECT_TRUE(comparison->untrusted());
  EXPECT_THAT(comparison->cells[0].reasons, ElementsAre("B: on tmpfs"));
}

TEST(CompareTest, CarriesNoiseOver) {
  auto a = made_up_result({made_up_cell("ipc", small, made_up_time({1000, 1000, 1000, 1000}))});
  auto b = a;
  b.cells[0].figures[0].runs = {2000, 2000, 2000, 2000};
  b.cells[0].verdict = Verdict::noisy;
  b.cells[0].reasons = {"steal"};
  EXPECT_EQ(first(*compare(a, b)).text, "B is 2.00 x slower; noisy: B");
}

TEST(CompareTest, WordsFollowTheDirectionOfTheFigure) {
  EXPECT_EQ(ratio_words(Unit::ns, Better::less, 500'000), "2.00 x faster");
  EXPECT_EQ(ratio_words(Unit::bytes_per_second, Better::more, 500'000), "2.00 x slower");
  EXPECT_EQ(ratio_words(Unit::per_second_milli, Better::more, 1'250'000), "1.25 x faster");
  EXPECT_EQ(ratio_words(Unit::count, Better::less, 3'000'000), "3.00 x more");
  EXPECT_EQ(ratio_words(Unit::ns, Better::less, 1'002'000), "1.0020 x slower");
}

TEST(CompareTest, ZerosAndTheLargestNumbersHaveNoRatioOrOneThatFits) {
  EXPECT_FALSE(bootstrap_ratio({{{0, 0, 0, 0}, {1, 1, 1, 1}}}));
  EXPECT_FALSE(bootstrap_ratio({{{1}, {}}}));
  EXPECT_FALSE(bootstrap_ratio({{{-5, -5}, {1, 1}}}));
  const auto largest = bootstrap_ratio({{{1, 1, 1, 1}, {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX}}});
  ASSERT_TRUE(largest);
  EXPECT_EQ(largest->ppm, ratio_max_ppm);
  EXPECT_GT(detectable_ppm({.ppm = 0, .low_ppm = 0, .high_ppm = 0}), one_ppm);
}

TEST(CompareTest, IsTheSameAtEveryCall) {
  const RunsPair runs{{1000, 1100, 900, 1050, 950}, {1010, 1110, 910, 1060, 960}};
  const auto once = bootstrap_ratio({runs}), again = bootstrap_ratio({runs});
  EXPECT_EQ(once->low_ppm, again->low_ppm);
  EXPECT_EQ(once->high_ppm, again->high_ppm);
}

// The published case: the time ratio is 2.15, and the clocks alone are 1.75 apart.
TEST(CompareTest, TellsWhatIsLeftAfterTheReferenceLoop) {
  const auto host = [](std::int64_t time, std::int64_t loop) {
    return made_up_result(
        {made_up_cell("cpu", {{"work", "integer compression"}}, made_up_rate({loop, loop, loop, loop})),
         made_up_cell("risk", small, made_up_time({time, time, time, time})),
         made_up_cell("tcp", small, made_up_rate({2'150'000, 2'150'000, 2'150'000, 2'150'000}))});
  };
  const auto comparison = compare(host(667, 1750), host(1434, 1000));
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->reference, "cpu work=integer compression");
  const auto& time = comparison->cells[1].figures[0];
  EXPECT_EQ(ratio_ppm_text(time.ratio->ppm), "2.15");
  EXPECT_EQ(ratio_ppm_text(time.per_reference->ppm), "1.23");
  EXPECT_EQ(ratio_ppm_text(comparison->cells[2].figures[0].per_reference->ppm), "1.75");
  EXPECT_FALSE(comparison->cells[0].figures[0].per_reference);
}

TEST(CompareTest, TellsWorkForTheSameMoney) {
  auto a = made_up_result(
      {made_up_cell("tcp", small, made_up_rate({2'000'000, 2'000'000, 2'000'000, 2'000'000}))});
  auto b = made_up_result(
      {made_up_cell("tcp", small, made_up_rate({1'500'000, 1'500'000, 1'500'000, 1'500'000}))});
  a.price_micro = 20'000;
  b.price_micro = 10'000;
  const auto comparison = compare(a, b);
  EXPECT_EQ(first(*comparison).per_money->ppm, 1'500'000u);
  std::ostringstream out;
  print_comparison(*comparison, BenchForm::table, out);
  EXPECT_THAT(out.str(), HasSubstr("360000.0 MB"));  // 2 MB/s for an hour, fifty hours for one unit of money
}

TEST(CompareTest, RefusesDifferentWorkloadsAndDifferentMeasurements) {
  const auto a = made_up_result({made_up_cell("ipc", {{"bytes", "64"}}, made_up_time({1}))});
  const auto b = made_up_result({made_up_cell("ipc", {{"bytes", "128"}}, made_up_time({1}))});
  const auto c = made_up_result({made_up_cell("tcp", {{"bytes", "64"}}, made_up_time({1}))});
  const auto different = compare(a, b);
  ASSERT_FALSE(different);
  EXPECT_EQ(different.error().code, Code::precondition_failed);
  EXPECT_THAT(different.error().text, HasSubstr("different workloads (A: bytes=64; B: bytes=128)"));
  EXPECT_THAT(compare(a, c).error().text, HasSubstr("no measurement in common"));
}

TEST(CompareTest, ListsCellsOfOneSideOnlyAndTakesTheOrderOfAWorkloadAsNothing) {
  const auto a = made_up_result({made_up_cell("ipc", {{"bytes", "64"}, {"place", "x"}}, made_up_time({1})),
                                 made_up_cell("ipc", {{"bytes", "65"}}, made_up_time({1}))});
  const auto b = made_up_result({made_up_cell("ipc", {{"place", "x"}, {"bytes", "64"}}, made_up_time({1})),
                                 made_up_cell("tcp", small, made_up_time({1}))});
  const auto comparison = compare(a, b);
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->cells.size(), 1u);
  EXPECT_THAT(comparison->only_a, ElementsAre("ipc bytes=65"));
  EXPECT_THAT(comparison->only_b, ElementsAre("tcp bytes=64"));
}

TEST(CompareTest, SeparatesTheIntendedFactorFromConfoundersAndHarmlessDifferences) {
  auto a = made_up_result({}, "none");
  auto b = made_up_result({}, "kvm");
  a.host.facts.push_back({"cpu.model", "old", "", FactKind::matters});
  b.host.facts.push_back({"cpu.model", "new", "", FactKind::matters});
  a.host.facts.push_back({"host.name", "one", "", FactKind::identity});
  b.host.facts.push_back({"host.name", "two", "", FactKind::identity});
  b.host.facts.push_back({"disk.kind", "virtio", "", FactKind::matters});
  const auto names = [](const std::vector<HostDifference>& list) {
    std::vector<std::string> out;
    for (const auto& one : list) out.push_back(one.name);
    return out;
  };
  const auto guessed = differences_of(a, b, {});
  EXPECT_THAT(names(guessed.intended), ElementsAre("vm"));
  EXPECT_THAT(names(guessed.confounders), ElementsAre("cpu.model", "disk.kind"));
  EXPECT_THAT(names(guessed.harmless), ElementsAre("host.name"));
  const auto told = differences_of(a, b, {"cpu", "nic"});
  EXPECT_THAT(names(told.intended), ElementsAre("cpu.model"));
  EXPECT_THAT(names(told.confounders), ElementsAre("vm", "disk.kind"));
  EXPECT_THAT(told.unused, ElementsAre("nic"));
  a.host.facts[2].value = "(redacted)";
  EXPECT_TRUE(differences_of(a, b, {}).harmless.empty());
}

TEST(CompareTest, SeveralFilesOfASideAreMoreRuns) {
  Side side = side_of(made_up_result({made_up_cell("ipc", small, made_up_time({1, 2}))}));
  auto more = made_up_result({made_up_cell("ipc", small, made_up_time({3, 4, 5}))}, "kvm");
  more.cells[0].verdict = Verdict::noisy;
  more.cells[0].reasons = {"steal"};
  ASSERT_TRUE(add_to_side(side, more, "second"));
  EXPECT_THAT(side.result.cells[0].figures[0].runs, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(side.result.cells[0].verdict, Verdict::noisy);
  EXPECT_EQ(side.result.cells[0].runs, 5u);
  ASSERT_EQ(side.notes.size(), 1u);
  EXPECT_THAT(side.notes[0], HasSubstr("vm was 'kvm'"));
  auto other = made_up_result({made_up_cell("ipc", small, made_up_time({3}))});
  other.cells[0].figures[0].unit = Unit::count;
  EXPECT_THAT(add_to_side(side, other, "third").error().text, HasSubstr("another unit"));
}

TEST(CompareTest, CommandsMayDifferInAPartOfTheWorkload) {
  const auto of_place = [](const std::string& place) {
    return made_up_result(
        {made_up_cell("ipc", {{"bytes", "64"}, {"place", place}}, made_up_time({1, 1, 1, 1})),
         made_up_cell("ipc", {{"bytes", "99"}, {"place", place}}, made_up_time({1, 1, 1, 1}))});
  };
  const auto comparison = compare(of_place("same-core"), of_place("other-core"), {.keys_may_differ = true});
  ASSERT_TRUE(comparison);
  EXPECT_THAT(comparison->different_keys, ElementsAre("place"));
  ASSERT_EQ(comparison->cells.size(), 2u);
  EXPECT_EQ(comparison->cells[0].name, "ipc bytes=64");
}

TEST(CompareTest, CommandsMayShareSomeCellsAndDifferInOthers) {
  const auto of = [](const std::string& busy) {
    return made_up_result({made_up_cell("noise", {{"of", "clock"}}, made_up_time({1})),
                           made_up_cell("noise", {{"of", "loop"}, {"for", busy}}, made_up_time({1}))});
  };
  const auto comparison = compare(of("10 ms"), of("11 ms"), {.keys_may_differ = true});
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->cells.size(), 2u);
  EXPECT_THAT(comparison->different_keys, ElementsAre("for"));
}

TEST(CompareTest, RefusesCommandsWhoseCellsCanNotBePairedOneToOne) {
  const auto a = made_up_result({made_up_cell("ipc", {{"bytes", "64"}}, made_up_time({1})),
                                 made_up_cell("ipc", {{"bytes", "65"}}, made_up_time({1}))});
  const auto b = made_up_result({made_up_cell("ipc", {{"bytes", "66"}}, made_up_time({1}))});
  const auto refused = compare(a, b, {.keys_may_differ = true});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::precondition_failed);
  EXPECT_THAT(refused.error().text, HasSubstr("differ in bytes, and without these several cells are alike"));
}

TEST(CompareTest, JsonHoldsWholeNumbersOnlyAndMarkdownEscapes) {
  auto a = made_up_result({made_up_cell("ipc", {{"bytes", "a|b"}}, made_up_time({1000, 1100, 900, 1050}))});
  const auto comparison = compare(a, a);
  std::ostringstream json, markdown;
  print_comparison(*comparison, BenchForm::json, json);
  const auto value = boost::json::parse(json.str());
  EXPECT_EQ(value.at("cells").at(0).at("figures").at(0).at("ratio").at("ppm").as_int64(), 1'000'000);
  print_comparison(*comparison, BenchForm::markdown, markdown);
  EXPECT_THAT(markdown.str(), HasSubstr("bytes=a\\|b"));
  EXPECT_THAT(comparison->notes, ::testing::Contains(HasSubstr("the same result")));
}

}  // namespace

}  // namespace pollux::testing
