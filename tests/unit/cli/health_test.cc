#include "health.h"

#include <gmock/gmock.h>

namespace pollux {
namespace {

using ::testing::HasSubstr;

Result<Json> member(const std::string& role, const std::string& more = "") {
  return Json::parse(R"({"role":")" + role + R"(","serving":)" + (role == "primary" ? "true" : "false") +
                     more + "}");
}
Result<Json> silent() { return fail(Code::unreachable, "nobody there"); }
PairHealth judge(const Result<Json>& a, const Result<Json>& b) { return judge_pair({"a", "b"}, {a, b}); }

TEST(Health, APrimaryWithItsBackupIsHealthy) {
  const PairHealth health = judge(member("backup"), member("primary"));
  EXPECT_EQ(health.health, Health::healthy);
  EXPECT_EQ(health.primary, 1);
  EXPECT_FALSE(health.solo);
  EXPECT_TRUE(health.complaints.empty());
}

TEST(Health, ASoloPrimaryIsDegraded) {
  const PairHealth health = judge(member("primary", R"(,"solo":true)"), silent());
  EXPECT_EQ(health.health, Health::degraded);
  EXPECT_TRUE(health.solo);
  ASSERT_EQ(health.complaints.size(), 1u);
  EXPECT_THAT(health.complaints[0], HasSubstr("member b does not answer"));
}

TEST(Health, AMemberThatHangsIsNotCalledDead) {
  const PairHealth health = judge(member("primary"), fail(Code::deadline_exceeded, "no answer"));
  ASSERT_EQ(health.complaints.size(), 1u);
  EXPECT_THAT(health.complaints[0], HasSubstr("member b runs and does not answer"));
}

TEST(Health, AMemberThatCatchesUpIsNoBackup) {
  EXPECT_EQ(judge(member("primary"), member("catching_up")).health, Health::degraded);
}

TEST(Health, NobodyWhoServesIsDown) {
  EXPECT_EQ(judge(silent(), silent()).health, Health::down);
  EXPECT_EQ(judge(member("backup"), silent()).health, Health::down);
  EXPECT_EQ(judge(member("primary", R"(,"x":1)"), silent()).health, Health::degraded);
  EXPECT_EQ(judge(Json::parse(R"({"role":"primary","serving":false})"), member("backup")).health,
            Health::down);
}

TEST(Health, OfTwoThatSayTheyServeTheNewerEpochIsThePrimary) {
  EXPECT_EQ(judge(member("primary", R"(,"epoch":7)"), member("primary", R"(,"epoch":8)")).primary, 1);
  EXPECT_EQ(judge(member("primary", R"(,"epoch":9)"), member("primary", R"(,"epoch":8)")).primary, 0);
}

TEST(Health, WhatAMemberSuffersFromIsSaid) {
  const PairHealth health = judge(member("primary", R"(,"disk_full":true,"age_ms":9000)"),
                                  member("backup", R"(,"witness_refused":true,"waiting_for":"the witness")"));
  EXPECT_EQ(health.health, Health::degraded);
  EXPECT_THAT(health.complaints, ::testing::UnorderedElementsAre(
                                     HasSubstr("disk is nearly full"), HasSubstr("no progress"),
                                     HasSubstr("pollux witness adopt"), HasSubstr("waits for the witness")));
  const PairHealth full = judge(member("primary", R"(,"disk_full":true,"disk_exhausted":true)"), member("backup"));
  EXPECT_THAT(full.complaints, ::testing::ElementsAre(HasSubstr("deletions too")));
}

}  // namespace
}  // namespace pollux
