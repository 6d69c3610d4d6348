#include "host/process_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "pollux/bench/child_process.h"
#include "pollux/bench/histogram.h"

namespace pollux {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

TEST(ProcessTableTest, ALineIsReadWhateverTheProgramIsCalled) {
  const auto entry =
      parse_process("1234 (a) b (c)) S 77 1234 1234 0 -1 4194304 1 2 3 4 100 20 3 4 20 0 1 0 5 6 7");
  EXPECT_EQ(entry.pid, 1234);
  EXPECT_EQ(entry.parent, 77);
  EXPECT_EQ(entry.ticks, 127U) << "its own, and those of its children";
  EXPECT_EQ(parse_process("").pid, 0);
  EXPECT_EQ(parse_process("12 (cut) S 1 2").pid, 0);
}

TEST(ProcessTableTest, DescendantsAreFoundOverAllGenerations) {
  const std::vector<ProcessEntry> table = {{1, 0, 0}, {10, 1, 0}, {12, 11, 0}, {11, 10, 0}, {20, 1, 0}};
  EXPECT_THAT(descendants_of(10, table), UnorderedElementsAre(11, 12));
  EXPECT_THAT(descendants_of(20, table), ElementsAre());
}

TEST(ProcessTableTest, AChildOfOursIsOurs) {
  auto child =
      ChildProcess::start({.argv = {"/bin/sleep", "60"}, .environment = {}, .input = {}, .output = {}});
  ASSERT_TRUE(child) << child.error().text;
  EXPECT_THAT(descendants_of(::getpid()), Contains((*child)->pid()));
  EXPECT_THAT(descendants_of((*child)->pid()), Not(Contains(::getpid())));
}

}  // namespace
}  // namespace pollux
