#include "pollux/bench/member_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "pollux/bench/child_process.h"
#include "pollux/services/control.h"

namespace pollux {
namespace {

constexpr auto line =
    R"({"pair":"ledger","member":"a","pid":42,"run":"aa","incarnation":"ii","role":"primary",
  "serving":true,"solo":false,"epoch":7,"primary":{"incarnation":"ii","run":"aa"},"backup":{"incarnation":"jj",
  "run":"bb"},"executed":{"lsn":12,"hash":"e"},"durable":11,"committed":{"lsn":10,"hash":"cc"},"applied":9,
  "reason":"took over","quarantined":[{"session":"ss","seq":3}]})";

TEST(MemberStatus, ReadsAStatusLine) {
  const auto status = parse_member_status(line);
  ASSERT_TRUE(status) << status.error().text;
  EXPECT_EQ(status->pid, 42);
  EXPECT_EQ(status->role, "primary");
  EXPECT_TRUE(status->serving);
  EXPECT_EQ(status->epoch, 7u);
  EXPECT_EQ(status->executed, 12u);
  EXPECT_EQ(status->durable, 11u);
  EXPECT_EQ(status->committed, 10u);
  EXPECT_EQ(status->committed_hash, "cc");
  EXPECT_EQ(status->applied, 9u);
  EXPECT_EQ(status->backup_run, "bb");
  EXPECT_THAT(status->quarantined, ::testing::ElementsAre("ss/3"));
}

TEST(MemberStatus, RefusesWhatIsNoStatus) {
  EXPECT_FALSE(parse_member_status("hello"));
  EXPECT_FALSE(parse_member_status("[1]"));
  EXPECT_FALSE(parse_member_status("{}"));
  const auto error = parse_member_status(R"({"error":{"code":"busy","text":"later"},"done":true})");
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().text, "busy: later");
}

TEST(MemberStatus, ASilentSocketIsUnreachable) {
  const auto status = ask_member_status("/nowhere/at/all.control");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::unreachable);
}

TEST(MemberStatus, ReadsTheMemoryOfAProcess) {
  EXPECT_GT(resident_anonymous_bytes(getpid()), 100u * 1024);
  EXPECT_EQ(resident_anonymous_bytes(0), 0u);
}

TEST(MemberStatus, ReadsTheProcessorTimeOfAProcess) {
  const auto before = processor_time_ns(getpid());
  timespec used{};
  for (std::int64_t ns = 0; ns < 100'000'000;) {
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    ns = used.tv_sec * 1'000'000'000 + used.tv_nsec;
  }
  EXPECT_GE(processor_time_ns(getpid()), std::max<std::int64_t>(before, 90'000'000));
  EXPECT_EQ(processor_time_ns(0), 0);
}

}  // namespace
}  // namespace pollux
