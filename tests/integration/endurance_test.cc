// A pair that is left running under load: its memory and its files stay as small as they are said to. Some seconds
// here; POLLUX_ENDURANCE_MINUTES makes it as long as wanted (deploy/nightly, in a build without sanitizers, for they
// hold on to memory).
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <iomanip>
#include <iostream>

#include "integration/pair_under_test.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define POLLUX_MEMORY_IS_OURS 0
#else
#define POLLUX_MEMORY_IS_OURS 1
#endif

namespace pollux::testing {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t trail_bytes_max = 8u << 20;
/// LMDB's file is as large as it ever had to be: what is kept, what leaves meanwhile, and room for a step.
constexpr std::uint64_t trail_file_bytes_max = 4 * trail_bytes_max;
constexpr std::uint64_t tables_file_bytes_max = 64u << 20;
constexpr std::uint64_t member_memory_bytes_max = 40u << 20;
constexpr std::uint64_t node_memory_bytes_max = 20u << 20;
/// The first part is warming up; from then on memory may grow by so much.
constexpr std::uint64_t growth_bytes_max = 8u << 20;

std::chrono::milliseconds endurance_time() {
  const char* minutes = std::getenv("POLLUX_ENDURANCE_MINUTES");
  if (minutes == nullptr) return std::chrono::seconds(10);
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::strtod(minutes, nullptr) * 60'000));
}

std::uint64_t bytes_on_disk(const fs::path& directory) {
  std::uint64_t bytes = 0;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(directory, ignored)) {
    if (entry.is_regular_file(ignored)) bytes += entry.file_size(ignored);
  }
  return bytes;
}

class EnduranceTest : public PairUnderTest {
 protected:
  struct Sample {
    std::uint64_t member[2] = {}, node = 0, trail[2] = {}, tables[2] = {};
  };
  Sample look() {
    Sample sample;
    for (const std::size_t member : {0, 1}) {
      const auto& directory = pair().pair().members[member].directory;
      sample.member[member] = resident_anonymous_bytes(status(member).pid);
      sample.trail[member] = bytes_on_disk(directory / "trail");
      sample.tables[member] = bytes_on_disk(directory / "tables");
    }
    sample.node = resident_anonymous_bytes(pair().node()->pid());
    return sample;
  }
  void print(std::chrono::seconds after, const Sample& sample) {
    const auto mib = [](std::uint64_t bytes) { return static_cast<double>(bytes) / (1u << 20); };
    std::cout << std::fixed << std::setprecision(1) << after.count() << " s: " << load().answered() << " answers; MiB of "
              << "memory a " << mib(sample.member[0]) << ", b " << mib(sample.member[1]) << ", node "
              << mib(sample.node) << "; trail " << mib(sample.trail[0]) << ", " << mib(sample.trail[1]) << "; tables "
              << mib(sample.tables[0]) << ", " << mib(sample.tables[1]) << std::endl;
  }
  void expect_bounded(const Sample& sample, const std::optional<Sample>& warm) {
    for (const std::size_t member : {0, 1}) {
      EXPECT_LE(sample.trail[member], trail_file_bytes_max) << "the trail's file of member " << member;
      EXPECT_LE(sample.tables[member], tables_file_bytes_max) << "the tables' file of member " << member;
      if (!POLLUX_MEMORY_IS_OURS) continue;
      EXPECT_LE(sample.member[member], member_memory_bytes_max) << "memory of member " << member;
      if (!warm) continue;
      EXPECT_LE(sample.member[member], warm->member[member] + growth_bytes_max) << "member " << member;
    }
    if (POLLUX_MEMORY_IS_OURS) {
      EXPECT_LE(sample.node, node_memory_bytes_max);
    }
  }
};

TEST_F(EnduranceTest, MemoryAndFilesStayBoundedHoweverLongTheLoadLasts) {
  start_with({.pair_settings = "retention = { trail_bytes_max = " + std::to_string(trail_bytes_max) + " }\n"});
  if (HasFatalFailure()) return;
  start_load({.requesters = 8, .callers = 4, .pace = std::chrono::milliseconds(0)});
  const auto begin = Clock::now(), end = begin + endurance_time();
  const auto every = std::clamp<Clock::duration>(endurance_time() / 20, std::chrono::seconds(1), std::chrono::seconds(30));
  std::optional<Sample> warm;
  for (auto next = begin + every; Clock::now() < end && !HasFailure(); next += every) {
    wait_until("the next look", [&] { return Clock::now() >= next; }, std::chrono::minutes(2));
    const auto sample = look();
    if (HasFatalFailure()) return;
    print(std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin), sample);
    if (!warm && Clock::now() - begin > endurance_time() / 3) warm = sample;
    expect_bounded(sample, warm);
    static_cast<void>(load().take_acknowledged());  // what this test remembers is not the pair's
  }
  wait_for_answers();
  load().stop();
  EXPECT_THAT(load().failures(), ::testing::IsEmpty());
  wait_until("both members to have everything", [this] { return pair().settled(); });
}

}  // namespace
}  // namespace pollux::testing
