#include <gtest/gtest.h>

#include "ipc/ipc_plan.h"
#include "tcp/tcp_plan.h"

namespace pollux {

namespace {

Cell ipc_cell(std::uint64_t bytes, std::int64_t ns) {
  return {.bench = "ipc",
          .workload = {{"transport", "pipe"}, {"bytes", std::to_string(bytes)}, {"place", "free"}},
          .figures = {
              {.name = "round trip", .unit = Unit::ns, .better = Better::less, .times = {}, .runs = {ns}}}};
}

TEST(KneeTest, IsFoundWhereAByteBeginsToCostMore) {
  std::vector<Finding> findings;
  find_knees(
      {ipc_cell(1024, 2'000), ipc_cell(16'384, 4'000), ipc_cell(65'536, 16'000), ipc_cell(262'144, 160'000)},
      findings);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, "knee");
  EXPECT_EQ(findings[0].text,
            "pipe, free: a byte costs 2.50 x as much at 256 KiB as at 64 KiB; likely edge: what a pipe "
            "holds, 64 KiB");
}

TEST(KneeTest, IsNotFoundWhereTimeGrowsWithSizeOnly) {
  std::vector<Finding> findings;
  find_knees({ipc_cell(1024, 1'000), ipc_cell(4096, 4'000), ipc_cell(16'384, 17'000)}, findings);
  EXPECT_TRUE(findings.empty()) << findings[0].text;
}

TEST(KneeTest, AnInvalidCellShowsNothing) {
  auto bad = ipc_cell(262'144, 160'000);
  bad.verdict = Verdict::invalid;
  std::vector<Finding> findings;
  find_knees({ipc_cell(65'536, 16'000), bad}, findings);
  EXPECT_TRUE(findings.empty());
}

Cell tcp_cell(std::uint64_t bytes, std::int64_t rate) {
  return {.bench = "tcp",
          .workload = {{"mode", "throughput"},
                       {"library", "raw"},
                       {"bytes", std::to_string(bytes)},
                       {"sessions", "1"},
                       {"buffers", "auto"},
                       {"nagle", "off"}},
          .figures = {{.name = "throughput",
                       .unit = Unit::bytes_per_second,
                       .better = Better::more,
                       .times = {},
                       .runs = {rate}}}};
}

TEST(PlateauTest, BeginsWhereThroughputIsWithinATenthOfTheBest) {
  std::vector<Finding> findings;
  find_plateaus({tcp_cell(64, 100), tcp_cell(4096, 920), tcp_cell(16'384, 1000), tcp_cell(65'536, 980)},
                findings);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].text.find("from messages of 4 KiB on"), std::string::npos) << findings[0].text;
}

}  // namespace

}  // namespace pollux
