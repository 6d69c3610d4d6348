// What is left of a pair that tests and benchmarks start: nothing.
#include <gtest/gtest.h>

#include "integration/pair_under_test.h"

namespace pollux::testing {
namespace {

namespace fs = std::filesystem;

TEST(SpawnedPairTest, TakesItsSocketsDirectoryAlongWhereverThatIs) {
  const auto home = std::move(*TemporaryDirectory::make(fs::temp_directory_path(), "pollux-spawned-"));
  const auto deep = home->path() / std::string(60, 'd');
  fs::create_directory(deep);
  for (const auto& parent : {home->path(), deep}) {
    auto pair = SpawnedPair::start({.command = pollux_command(), .parent = parent});
    ASSERT_TRUE(pair) << pair.error().text;
    ASSERT_TRUE(SpawnedPair::wait_until([&] { return (*pair)->in_sync(); }, in_sync_limit))
        << (*pair)->describe();
    const auto run = (*pair)->config().run;
    EXPECT_EQ(run.string().starts_with(home->path().string()), parent == home->path())
        << "a Unix socket's path is short: below a long one it is elsewhere";
    EXPECT_TRUE(fs::exists(run));
    pair->reset();
    EXPECT_FALSE(fs::exists(run));
    EXPECT_TRUE(processes_with_argument(pollux_command(), home->path().string()).empty());
  }
}

}  // namespace
}  // namespace pollux::testing
