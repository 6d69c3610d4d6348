#include "serving_page.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "serving_teller.h"
#include "support.h"

namespace pollux::testing {
namespace {

constexpr BootId boot{{1, 2, 3}}, earlier_boot{{9}};
constexpr Lsn never{std::numeric_limits<std::uint64_t>::max()};

class ServingPageTest : public ::testing::Test {
 protected:
  ServingPage map() { return ServingPage::open(file_).value(); }
  static void tell(ServingPage& page, std::size_t member, std::uint64_t epoch, std::uint64_t committed) {
    page.tell({.member = member, .epoch = {epoch}, .committed = {committed}});
  }

  TestDirectory directory_;
  std::filesystem::path file_ = directory_.path() / "pair.serving";
};

TEST_F(ServingPageTest, KnowsNobodyAtFirst) {
  auto page = map();
  EXPECT_EQ(page.read(boot), std::nullopt);
  page.take_back(0, boot);
  page.take_back(1, boot);
  EXPECT_EQ(page.read(boot), std::nullopt);
}

TEST_F(ServingPageTest, TheHighestEpochCountsInEveryMapping) {
  auto a = map(), b = map(), reader = map();
  a.take_back(0, boot);
  b.take_back(1, boot);
  tell(a, 0, 5, 100);
  auto told = reader.read(boot);
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->member, 0U);
  EXPECT_EQ(told->committed, Lsn{100});
  tell(b, 1, 6, 101);
  tell(a, 0, 5, 102);  // it does not know yet that it has been deposed
  told = reader.read(boot);
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->member, 1U);
  EXPECT_EQ(told->epoch, Epoch{6});
  EXPECT_EQ(told->committed, Lsn{101});
}

// Otherwise a reader would believe the predecessor until its successor, killed and back, serves again.
TEST_F(ServingPageTest, WhatIsTakenBackHidesWhatTheOtherToldBefore) {
  auto page = map();
  page.take_back(0, boot);
  page.take_back(1, boot);
  tell(page, 0, 5, 100);
  tell(page, 1, 6, 101);
  page.take_back(1, boot);
  const auto told = page.read(boot);
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->member, 1U);
  EXPECT_EQ(told->committed, never);
}

TEST_F(ServingPageTest, WhatWasToldBeforeTheHostStartedIsForgotten) {
  auto page = map();
  page.take_back(0, earlier_boot);
  page.take_back(1, earlier_boot);
  tell(page, 1, 6, 101);
  EXPECT_EQ(page.read(boot), std::nullopt);
  page.take_back(0, boot);
  tell(page, 0, 7, 103);
  EXPECT_EQ(page.read(boot)->member, 0U);
}

TEST_F(ServingPageTest, NoticesThatItsFileIsGoneOrReplaced) {
  auto page = map();
  EXPECT_TRUE(page.has_name());
  EXPECT_TRUE(page.is_current());
  std::filesystem::remove(file_);
  EXPECT_FALSE(page.has_name());
  EXPECT_FALSE(page.is_current());
  auto other = map();
  EXPECT_FALSE(page.is_current());
  EXPECT_TRUE(other.is_current());
}

TEST_F(ServingPageTest, AMemberThatBeginsToServePutsTheFileBack) {
  Config config = ledger_config(directory_.path());
  for (auto& member : config.pairs.front().members) member.listen = "ipc://" + (directory_.path() / member.name).string();
  auto teller = ServingTeller::open(config, config.pairs.front(), "b", boot);
  ASSERT_TRUE(teller.has_value());
  const auto file = serving_file(config, config.pairs.front());
  ASSERT_TRUE(teller->tell({.epoch = {3}, .committed = {10}}).has_value());
  std::filesystem::remove(file);
  ASSERT_TRUE(teller->tell({.epoch = {4}, .committed = {11}}).has_value());
  const auto told = ServingPage::open(file).value().read(boot);
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->member, 1U);
  EXPECT_EQ(told->epoch, Epoch{4});

  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  const auto refused = teller->tell({.epoch = {5}, .committed = {12}});
  EXPECT_FALSE(refused.has_value()) << "it must not serve while readers can't be told";
}

TEST_F(ServingPageTest, APairOnTwoHostsTellsNothing) {
  Config config = ledger_config(directory_.path());
  for (auto& member : config.pairs.front().members) member.listen = "tcp://127.0.0.1:1";
  auto teller = ServingTeller::open(config, config.pairs.front(), "a", boot);
  ASSERT_TRUE(teller.has_value());
  EXPECT_TRUE(teller->tell({.epoch = {3}, .committed = {10}}).has_value());
  EXPECT_FALSE(std::filesystem::exists(serving_file(config, config.pairs.front())));
}

}  // namespace
}  // namespace pollux::testing
