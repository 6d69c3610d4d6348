#include <gmock/gmock.h>

#include "cpu/compressor.h"
#include "cpu/cpu_plan.h"
#include "cpu/generated_text.h"
#include "cpu/ray_tracer.h"
#include "host/pinned.h"
#include "memory/arrays.h"
#include "memory/memory_plan.h"

namespace pollux {
namespace {

using ::testing::HasSubstr;

TEST(GeneratedText, IsTheSameOnEveryHostAndReadsLikeOne) {
  const auto text = generated_text(100'000);
  EXPECT_EQ(text.size(), 100'000u);
  EXPECT_EQ(text.substr(0, 40), generated_text(1000).substr(0, 40));
  EXPECT_THAT(text, HasSubstr("\n"));
}

TEST(Compressor, GivesBackWhatItWasGiven) {
  std::string every;
  for (int i = 0; i < 256; ++i) every += static_cast<char>(i);
  const auto text = generated_text(50'000);
  for (const auto& sample : {std::string(), std::string("a"), std::string(10'000, 'x'), every,
                             every + every + every, std::string("abcabcabcabcabcabcabcab"), text}) {
    const auto back = decompress(compress(sample));
    ASSERT_TRUE(back) << sample.size() << " bytes";
    EXPECT_TRUE(*back == sample) << sample.size() << " bytes";
  }
}

TEST(Compressor, MakesTextSmallerAndRepetitionTiny) {
  const auto text = generated_text(200'000);
  EXPECT_LT(compress(text).size(), text.size() / 2);
  EXPECT_LT(compress(std::string(100'000, 'x')).size(), 1000u);
}

TEST(Compressor, RefusesWhatItDidNotMakeAndNeverReadsBeyondIt) {
  const auto packed = compress(generated_text(20'000));
  EXPECT_FALSE(decompress(""));
  EXPECT_FALSE(decompress(packed.substr(0, packed.size() / 2)));
  for (std::size_t at = 0; at < packed.size(); at += 37) {
    auto damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    const auto back = decompress(damaged);
    EXPECT_LT(back.value_or("").size(), 1u << 24) << "byte " << at;
  }
}

TEST(RayTracer, MakesTheSameImageToTheLastBitOnEveryHost) {
  const auto image = trace_image(320, 240);
  EXPECT_EQ(image.bytes.size(), 3u * 320 * 240);
  EXPECT_EQ(hash_of(image), 0x5506fcde9a997c81u);
  auto other = image;
  other.bytes[1000] ^= 1;
  EXPECT_NE(hash_of(other), hash_of(image));
}

TEST(CpuPlan, AddsTheRatesOfThreadsWhichEndAtDifferentTimes) {
  EXPECT_EQ(units_per_second_milli(
                {{.units = 10, .took_ns = 1'000'000'000}, {.units = 30, .took_ns = 2'000'000'000}}),
            25'000);
  EXPECT_EQ(units_per_second_milli({{.units = 0, .took_ns = 0}}), 0);
}

TEST(CpuPlan, MeasuresBothLoopsAndFindsTheirResultsRight) {
  const auto plan = plan_cpu({}, {.least = std::chrono::milliseconds(10)}, "");
  ASSERT_TRUE(plan);
  Progress progress;
  const auto cells = run_plan(*plan, {.runs = 1, .others_disturb = false}, progress);
  ASSERT_EQ(cells.size(), usable_cpus().size() > 1 ? 4u : 2u);
  for (const auto& cell : cells) {
    EXPECT_FALSE(cell.failed) << cell.name() << ": " << (cell.reasons.empty() ? "" : cell.reasons[0]);
    ASSERT_EQ(cell.figures.size(), 2u) << cell.name();
    EXPECT_GT(cell.figures[0].value().value_or(0), 0) << cell.name();
  }
}

template <class Number>
void expect_right_loops() {
  std::vector<Number> to(2000), b(2000), c(2000);
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] = value_of_b<Number>(i);
    c[i] = value_of_c<Number>(i);
  }
  for (const auto loop : {MemoryLoop::copy, MemoryLoop::scale, MemoryLoop::add, MemoryLoop::triad}) {
    run_loop<Number>(loop, {.to = to.data(), .b = b.data(), .c = c.data(), .size = to.size()});
    for (std::size_t i = 0; i < to.size(); ++i)
      ASSERT_EQ(to[i], value_after<Number>(loop, i)) << to_string(loop);
  }
}
TEST(MemoryLoops, DoWhatTheirNamesSay) {
  expect_right_loops<std::uint64_t>();
  expect_right_loops<double>();
  EXPECT_EQ(value_after<std::uint64_t>(MemoryLoop::triad, 1), 2u + 3 * 3);
  EXPECT_EQ(bytes_of_element(MemoryLoop::copy), 16u);
  EXPECT_EQ(bytes_of_element(MemoryLoop::triad), 24u);
}

constexpr std::uint64_t mib = 1u << 20;

TEST(ArraySize, IsFourLastLevelCachesWhereThatCanBeHad) {
  const auto size = choose_array_size({.cache_bytes = 32 * mib, .available_bytes = 8192 * mib});
  EXPECT_EQ(size.bytes, 128 * mib);
  EXPECT_EQ(size.capped, "");
}

TEST(ArraySize, IsCappedByTheProgramAndByMemoryAndSaysSo) {
  const auto limit = choose_array_size({.cache_bytes = 480 * mib, .available_bytes = 65536 * mib});
  EXPECT_EQ(limit.bytes, 512 * mib);
  EXPECT_THAT(limit.capped, HasSubstr("512 MiB, the limit of this program, instead of 1920 MiB"));
  const auto small = choose_array_size({.cache_bytes = 32 * mib, .available_bytes = 64 * mib});
  EXPECT_EQ(small.bytes, 8 * mib);
  EXPECT_THAT(small.capped, HasSubstr("an eighth of the memory that is available"));
  const auto asked =
      choose_array_size({.cache_bytes = 32 * mib, .available_bytes = 8192 * mib, .asked_bytes = 2 * mib});
  EXPECT_EQ(asked.bytes, 2 * mib);
  EXPECT_THAT(asked.capped, HasSubstr("as it was asked for"));
}

TEST(MemoryPlan, MeasuresEightLoopsAndTheirAveragesWithRightResults) {
  const auto plan = plan_memory({}, {.array_bytes = mib, .least = std::chrono::milliseconds(2)}, "");
  ASSERT_TRUE(plan);
  Progress progress;
  const auto cells = run_plan(*plan, {.runs = 2, .others_disturb = false}, progress);
  ASSERT_EQ(cells.size(), usable_cpus().size() > 1 ? 20u : 10u);
  for (const auto& cell : cells) {
    EXPECT_FALSE(cell.failed) << cell.name();
    ASSERT_EQ(cell.figures.size(), 1u) << cell.name() << (cell.reasons.empty() ? "" : cell.reasons[0]);
    ASSERT_EQ(cell.figures[0].runs.size(), 2u) << cell.name();
    EXPECT_EQ(fact(cell.found, "array"), "1 MiB");
  }
  for (std::size_t run = 0; run < 2; ++run) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += cells[i].figures[0].runs[run] / 4;
    EXPECT_EQ(cells[4].figures[0].runs[run], sum) << "the average is of this round's loops";
  }
  EXPECT_GE(cells[4].counters.elapsed_ns, cells[0].counters.elapsed_ns + cells[3].counters.elapsed_ns)
      << "what disturbed a loop disturbed the average";
  std::vector<Finding> findings;
  find_memory_caps(cells, findings);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].text, HasSubstr("may come from the cache"));
}

}  // namespace
}  // namespace pollux
