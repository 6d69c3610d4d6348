// Result files: what is written is read back, and what is not whole or not plausible is refused with a line.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <fstream>

#include "made_up_result.h"
#include "pollux/bench/child_process.h"
#include "run/json_parts.h"
#include "run/print.h"

namespace pollux::testing {

namespace {

using ::testing::HasSubstr;
namespace json = boost::json;
namespace fs = std::filesystem;

BenchResult with_times() {
  auto result = made_up_result({made_up_cell("ipc", {{"bytes", "64"}}, made_up_time({}))});
  auto& figure = result.cells[0].figures[0];
  for (int i = 1; i <= 2000; ++i) figure.times.record_ns(1000 + i);
  figure.runs = {figure.times.median_ns()};
  result.findings = {{"ipc", "knee", "from 4 KiB on"}};
  return result;
}

std::string text_of(const BenchResult& result) { return json::serialize(json_of(result)); }

// As someone does who knows of the digest.
std::string forged(const json::object& object) {
  auto copy = object;
  copy["digest"] = digest_of(copy);
  return json::serialize(copy);
}

json::object& first_cell(json::object& object) { return object.at("cells").as_array().at(0).as_object(); }
json::object& first_figure(json::object& object) {
  return first_cell(object).at("figures").as_array().at(0).as_object();
}

std::string refusal(const std::string& text) {
  const auto read = parse_result(text, "file");
  if (read) return "(taken)";
  EXPECT_EQ(read.error().text.find('\n'), std::string::npos);
  return read.error().text;
}

TEST(ResultFileTest, IsReadBackAsItWasWritten) {
  const auto text = text_of(with_times());
  const auto read = parse_result(text, "file");
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(text_of(*read), text);
}

RC_GTEST_PROP(ResultFileTest, AnyResultComesBackTheSame, ()) {
  const auto word = rc::gen::container<std::string>(rc::gen::inRange<char>(' ', '~'));
  BenchResult result = made_up_result({});
  result.took_ns = *rc::gen::nonNegative<std::int64_t>();
  result.price_micro = *rc::gen::arbitrary<std::uint32_t>();
  result.complete = *rc::gen::arbitrary<bool>();
  result.arguments = *rc::gen::container<std::vector<std::string>>(word);
  const auto cells = *rc::gen::inRange(0, 4);
  for (int i = 0; i < cells; ++i) {
    auto cell = made_up_cell(*word, {{"n", std::to_string(i)}, {"x", *word}}, made_up_time({}));
    auto& figure = cell.figures[0];
    figure.name = *word;
    if (*rc::gen::arbitrary<bool>()) {
      for (const auto time : *rc::gen::container<std::vector<std::int64_t>>(
               rc::gen::inRange<std::int64_t>(0, 4'000'000'000'000))) {
        figure.times.record_ns(time);
      }
      if (figure.times.count() > 0) figure.runs = {figure.times.median_ns()};
    } else {
      figure.runs = *rc::gen::arbitrary<std::vector<std::int64_t>>();
    }
    if (*rc::gen::arbitrary<bool>()) {
      cell.verdict = Verdict::noisy;
      cell.reasons = {*word};
    }
    cell.counters.flushes = *rc::gen::arbitrary<std::uint32_t>();
    result.cells.push_back(std::move(cell));
  }
  const auto text = text_of(result);
  const auto read = parse_result(text, "file");
  if (!read) RC_FAIL(read.error().text);
  RC_ASSERT(text_of(*read) == text);
}

TEST(ResultFileTest, IsRefusedWhereverItIsCutOff) {
  const auto text = text_of(with_times());
  for (std::size_t length = 0; length < text.size(); ++length) {
    ASSERT_FALSE(parse_result(text.substr(0, length), "file")) << length;
  }
}

TEST(ResultFileTest, IsRefusedIfItWasChanged) {
  auto object = json_of(with_times());
  first_figure(object)["value"] = 1;
  EXPECT_THAT(refusal(json::serialize(object)), HasSubstr("changed after it was written"));
}

TEST(ResultFileTest, IsRefusedIfItsPartsContradictEachOtherThoughTheDigestFits) {
  const auto honest = json_of(with_times());
  ASSERT_EQ(refusal(forged(honest)), "(taken)");
  auto value = honest, verdict = honest, late = honest, bucket = honest, run = honest, reasonless = honest;
  first_figure(value)["value"] = 1;
  EXPECT_THAT(refusal(forged(value)), HasSubstr("contradict"));
  verdict["verdict"] = "noisy";
  EXPECT_THAT(refusal(forged(verdict)), HasSubstr("contradict"));
  first_figure(late).at("times").as_object()["p99_ns"] = 7;
  EXPECT_THAT(refusal(forged(late)), HasSubstr("contradict"));
  auto& buckets = first_figure(bucket).at("times").as_object().at("buckets").as_array();
  buckets[0] = buckets[0].to_number<std::int64_t>() + 5000;
  EXPECT_THAT(refusal(forged(bucket)), HasSubstr("contradict"));
  first_figure(run)["runs"] = json::array{5};
  first_figure(run)["value"] = 5;
  EXPECT_THAT(refusal(forged(run)), HasSubstr("outside of its own times"));
  first_cell(reasonless)["verdict"] = "invalid";
  EXPECT_THAT(refusal(forged(reasonless)), HasSubstr("without a reason"));
}

TEST(ResultFileTest, IsRefusedIfItIsOfAnotherFormatOrSomethingElse) {
  auto object = json_of(with_times());
  object["pollux_bench"] = 2;
  EXPECT_THAT(refusal(forged(object)), HasSubstr("format 2"));
  EXPECT_THAT(refusal("{}"), HasSubstr("no result of pollux bench"));
  EXPECT_THAT(refusal("[1,2]"), HasSubstr("no result of pollux bench"));
  EXPECT_THAT(refusal("hello"), HasSubstr("no JSON"));
  EXPECT_THAT(refusal(""), HasSubstr("no JSON"));
  EXPECT_THAT(refusal("{\"pollux_bench\":NaN}"), HasSubstr("no JSON"));
  EXPECT_THAT(refusal(std::string(100'000, '[')), HasSubstr("no JSON"));
}

TEST(ResultFileTest, IsRefusedWithTheSameCellTwiceAndWithNumbersThatDontFit) {
  auto twice = json_of(with_times());
  auto& cells = twice.at("cells").as_array();
  cells.push_back(json::value(cells[0]));
  EXPECT_THAT(refusal(forged(twice)), HasSubstr("is in it twice"));
  auto huge = json_of(with_times());
  huge["took_ns"] = 1e300;
  EXPECT_THAT(refusal(forged(huge)), HasSubstr("no whole number"));
  auto samples = json_of(with_times());
  auto& buckets = first_figure(samples).at("times").as_object().at("buckets").as_array();
  for (std::size_t i = 1; i < buckets.size(); i += 2) buckets[i] = UINT64_MAX;
  EXPECT_THAT(refusal(forged(samples)), HasSubstr("contradict"));
}

TEST(ResultFileTest, IsRefusedIfItIsADirectoryNotThereOrFarTooLarge) {
  const auto home = std::move(*TemporaryDirectory::make(fs::temp_directory_path(), "pollux-result-"));
  EXPECT_THAT(read_result(home->path()).error().text, HasSubstr("can't read"));
  EXPECT_THAT(read_result(home->path() / "none").error().text, HasSubstr("No such file"));
  const auto large = home->path() / "large";
  std::ofstream(large) << "{";
  fs::resize_file(large, 300u << 20);
  EXPECT_THAT(read_result(large).error().text, HasSubstr("larger than a result may be"));
  const auto closed = home->path() / "closed";
  std::ofstream(closed) << "{}";
  fs::permissions(closed, fs::perms::none);
  if (geteuid() == 0) return;  // may read everything
  EXPECT_THAT(read_result(closed).error().text, HasSubstr("can't read"));
}

TEST(ResultFileTest, HasTheSameTextInALocaleWithDecimalCommas) {
  struct Commas : std::numpunct<char> {
    [[nodiscard]] char do_decimal_point() const override { return ','; }
    [[nodiscard]] char do_thousands_sep() const override { return '.'; }
    [[nodiscard]] std::string do_grouping() const override { return "\3"; }
  };
  const auto result = with_times();
  for (const auto form : {BenchForm::json, BenchForm::csv, BenchForm::markdown, BenchForm::table}) {
    std::ostringstream plain;
    print_result(result, form, plain);
    const auto before = std::locale::global(std::locale(std::locale(), new Commas));
    std::ostringstream foreign;
    print_result(result, form, foreign);
    std::locale::global(before);
    EXPECT_EQ(plain.str(), foreign.str());
  }
}

TEST(ResultFileTest, MarkdownAndCsvTakeWhatAStrangerCallsThings) {
  auto result = made_up_result({made_up_cell("ipc", {{"peer", "a|b,\"c\"\n<d>"}}, made_up_time({5}))});
  std::ostringstream markdown, csv;
  print_result(result, BenchForm::markdown, markdown);
  EXPECT_THAT(markdown.str(), HasSubstr("a\\|b,\"c\" \\<d>"));
  print_result(result, BenchForm::csv, csv);
  EXPECT_THAT(csv.str(), HasSubstr("\"ipc peer=a|b,\"\"c\"\"\n<d>\""));
}

}  // namespace

}  // namespace pollux::testing
