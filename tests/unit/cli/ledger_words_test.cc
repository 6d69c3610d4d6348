#include "ledger_words.h"

#include <gtest/gtest.h>

namespace pollux {
namespace {

TEST(LedgerWords, AmountsAreExactToTheCent) {
  const std::pair<const char*, ledger::Cents> good[] = {
      {"1", 100},  {"12.5", 1250}, {"12.50", 1250},
      {"0.01", 1}, {"007", 700},   {"92233720368547757", 9223372036854775700}};
  for (const auto& [text, cents] : good) {
    const Result<ledger::Cents> parsed = parse_cents(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, cents) << text;
  }
  for (const char* text : {"", "0", "0.00", "-1", "+1", "1.", ".5", "1.234", "1,5", "1e3", " 1", "1 ", "0x10",
                           "92233720368547758", "99999999999999999999", "1.-5", "nan"}) {
    EXPECT_FALSE(parse_cents(text)) << text;
  }
}

TEST(LedgerWords, AmountsArePrintedWithTwoDigits) {
  EXPECT_EQ(cents_text(0), "0.00");
  EXPECT_EQ(cents_text(5), "0.05");
  EXPECT_EQ(cents_text(1250), "12.50");
  EXPECT_EQ(cents_text(-1), "-0.01");
  EXPECT_EQ(cents_text(INT64_MIN), "-92233720368547758.08");
}

TEST(LedgerWords, ANumberIsItselfAndANameAlwaysTheSameAccount) {
  EXPECT_EQ(*account_named("42"), 42u);
  EXPECT_EQ(*account_named("alice"), *account_named("alice"));
  EXPECT_NE(*account_named("alice"), *account_named("bob"));
  EXPECT_FALSE(account_named("18446744073709551616"));
  EXPECT_FALSE(account_named(""));
  EXPECT_FALSE(account_named("a b"));
  EXPECT_FALSE(account_named(std::string(65, 'a')));
}

TEST(LedgerWords, BecomeTheRequestTheyMean) {
  const Result<LedgerCall> transfer = parse_ledger_words({"transfer", "1", "2", "5.50"});
  ASSERT_TRUE(transfer);
  const Result<ledger::Request> request = ledger::decode_request(transfer->payload);
  ASSERT_TRUE(request);
  const auto& meant = std::get<ledger::Transfer>(*request);
  EXPECT_EQ(meant.from, 1u);
  EXPECT_EQ(meant.to, 2u);
  EXPECT_EQ(meant.cents, 550);
  EXPECT_TRUE(parse_ledger_words({"balance", "alice"})->query);
  EXPECT_TRUE(parse_ledger_words({"total"})->total);
  EXPECT_FALSE(parse_ledger_words({"open", "alice"})->query);
}

TEST(LedgerWords, AccountsInAnAnswerAreCalledAsInTheCall) {
  const LedgerCall call = *parse_ledger_words({"transfer", "alice", "7", "1"});
  const std::string number = std::to_string(*account_named("alice"));
  EXPECT_EQ(in_words_of(call, "account " + number + " is open already"), "account alice is open already");
  EXPECT_EQ(in_words_of(call, "account " + number + "0 is another"), "account " + number + "0 is another");
  EXPECT_EQ(in_words_of(call, "there is no account 7"), "there is no account 7");
}

TEST(LedgerWords, WrongWordsSayWhatIsRight) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"steal", "alice", "1"}, {"open"}, {"open", "a", "b"}, {"total", "x"}, {"transfer", "a", "b"}}) {
    const Result<LedgerCall> call = parse_ledger_words(words);
    ASSERT_FALSE(call) << words[0];
    EXPECT_NE(call.error().text.find("a ledger takes: open NAME"), std::string::npos);
  }
}

}  // namespace
}  // namespace pollux
