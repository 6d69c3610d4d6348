// The ledger's rules, on a map in memory.
#include "pollux/ledger/ledger.h"

#include <gmock/gmock.h>

#include <limits>
#include <map>

namespace pollux::ledger {
namespace {

class MapTxn final : public WriteTxn {
 public:
  std::optional<std::string> get(std::string_view key) override {
    const auto found = rows.find(key);
    return found == rows.end() ? std::nullopt : std::optional(found->second);
  }
  void scan(std::string_view from, std::string_view to,
            const std::function<bool(std::string_view, std::string_view)>& row) override {
    for (auto each = rows.lower_bound(from); each != rows.end() && (to.empty() || each->first < to); ++each) {
      if (!row(each->first, each->second)) return;
    }
  }
  void put(std::string_view key, std::string_view value) override { rows[std::string(key)] = value; }
  void erase(std::string_view key) override { rows.erase(std::string(key)); }

  std::map<std::string, std::string, std::less<>> rows;
};

class Ledger : public ::testing::Test {
 protected:
  Code request(const Request& body) {
    reply_ = service_->execute({.payload = encode(body), .time = {}}, txn_);
    return reply_.code;
  }
  Cents balance(Account account) {
    const auto reply = service_->query({.payload = encode(Query{AskBalance{account}}), .time = {}}, txn_);
    EXPECT_EQ(reply.code, Code::ok);
    return decode_balance(reply.payload).value_or(Balance{-1}).cents;
  }
  Total total() {
    const auto reply = service_->query({.payload = encode(Query{AskTotal{}}), .time = {}}, txn_);
    EXPECT_EQ(reply.code, Code::ok);
    return decode_total(reply.payload).value_or(Total{});
  }

  std::unique_ptr<Service> service_ = make_service();
  MapTxn txn_;
  ServiceReply reply_;
};

TEST_F(Ledger, MoneyComesInByDepositsAndMovesByTransfers) {
  ASSERT_EQ(request(OpenAccount{1}), Code::ok);
  ASSERT_EQ(request(OpenAccount{2}), Code::ok);
  ASSERT_EQ(request(Deposit{1, 500, "first"}), Code::ok);
  ASSERT_EQ(request(Transfer{1, 2, 200, ""}), Code::ok);
  EXPECT_EQ(decode_balance(reply_.payload).value().cents, 300);
  EXPECT_EQ(balance(1), 300);
  EXPECT_EQ(balance(2), 200);
  EXPECT_EQ(total().accounts, 2U);
  EXPECT_EQ(total().cents, 500);
  EXPECT_EQ(total().deposited, 500);
}

TEST_F(Ledger, WhatIsNotThereOrNotEnoughIsAnAnswerAndChangesNothing) {
  ASSERT_EQ(request(OpenAccount{1}), Code::ok);
  EXPECT_EQ(request(OpenAccount{1}), Code::already_exists);
  EXPECT_EQ(request(Deposit{9, 1, ""}), Code::not_found);
  EXPECT_EQ(request(Transfer{1, 9, 1, ""}), Code::not_found);
  EXPECT_EQ(request(Transfer{9, 1, 1, ""}), Code::not_found);
  ASSERT_EQ(request(OpenAccount{2}), Code::ok);
  EXPECT_EQ(request(Transfer{1, 2, 1, ""}), Code::insufficient);
  EXPECT_EQ(total().cents, 0);
}

TEST_F(Ledger, AmountsThatAreNoneAreRefused) {
  ASSERT_EQ(request(OpenAccount{1}), Code::ok);
  ASSERT_EQ(request(OpenAccount{2}), Code::ok);
  ASSERT_EQ(request(Deposit{1, 10, ""}), Code::ok);
  for (const Cents cents : {Cents{0}, Cents{-5}, std::numeric_limits<Cents>::min()}) {
    EXPECT_EQ(request(Deposit{1, cents, ""}), Code::invalid_argument);
    EXPECT_EQ(request(Transfer{1, 2, cents, ""}), Code::invalid_argument);
  }
  EXPECT_EQ(request(Transfer{1, 1, 5, ""}), Code::invalid_argument);
  EXPECT_EQ(request(Deposit{1, 5, std::string(memo_bytes_max + 1, 'm')}), Code::invalid_argument);
  EXPECT_EQ(total().cents, 10);
}

TEST_F(Ledger, NothingOverflows) {
  constexpr Cents most = std::numeric_limits<Cents>::max();
  ASSERT_EQ(request(OpenAccount{1}), Code::ok);
  ASSERT_EQ(request(OpenAccount{2}), Code::ok);
  ASSERT_EQ(request(Deposit{1, most, ""}), Code::ok);
  EXPECT_EQ(request(Deposit{2, 1, ""}), Code::invalid_argument);
  EXPECT_EQ(total().cents, most);
  EXPECT_EQ(request(Transfer{1, 2, most, ""}), Code::ok);
  EXPECT_EQ(balance(2), most);
  EXPECT_ANY_THROW(request(OpenMany{10, 1, 1}));
}

TEST_F(Ledger, ManyAccountsAreOpenedInChunksThatCanBeSentAgain) {
  ASSERT_EQ(request(OpenMany{100, 50, 7}), Code::ok);
  EXPECT_EQ(decode_balance(reply_.payload).value().cents, 350);
  ASSERT_EQ(request(OpenMany{100, 60, 7}), Code::ok);
  EXPECT_EQ(decode_balance(reply_.payload).value().cents, 70);
  EXPECT_EQ(total().accounts, 60U);
  EXPECT_EQ(total().cents, total().deposited);
  EXPECT_EQ(request(OpenMany{1, 0, 7}), Code::invalid_argument);
  EXPECT_EQ(request(OpenMany{1, open_many_max + 1, 7}), Code::invalid_argument);
  EXPECT_EQ(request(OpenMany{std::numeric_limits<Account>::max(), 2, 7}), Code::invalid_argument);
  EXPECT_EQ(request(OpenMany{std::numeric_limits<Account>::max(), 1, 7}), Code::ok);
}

TEST_F(Ledger, RequestsSurviveTheirEncoding) {
  const auto deposit = decode_request(encode(Request{Deposit{7, -3, "memo"}}));
  ASSERT_TRUE(deposit && std::holds_alternative<Deposit>(*deposit));
  EXPECT_EQ(std::get<Deposit>(*deposit).cents, -3);
  EXPECT_EQ(std::get<Deposit>(*deposit).memo, "memo");
  EXPECT_FALSE(decode_request("garbage"));
  EXPECT_FALSE(decode_request(""));
  EXPECT_FALSE(decode_query("\xff\xff"));
}

TEST_F(Ledger, GarbageIsAnswered) {
  EXPECT_EQ(service_->execute({.payload = "garbage", .time = {}}, txn_).code, Code::invalid_argument);
  EXPECT_EQ(service_->query({.payload = "garbage", .time = {}}, txn_).code, Code::invalid_argument);
  EXPECT_THAT(service_->describe("garbage"), ::testing::HasSubstr("not a ledger's"));
}

TEST_F(Ledger, PaddedDepositsHaveTheSizeTheBenchmarkAsksFor) {
  for (const std::size_t bytes : {32U, 100U, 128U, 150U, 256U, 1000U, 4096U}) {
    EXPECT_EQ(encode_padded_deposit(12345, 10, bytes).size(), bytes);
  }
}

TEST_F(Ledger, TestRequestsAreOffUnlessTheEnvironmentTurnsThemOn) {
  ::unsetenv("POLLUX_LEDGER_TEST_REQUESTS");
  EXPECT_EQ(request(Misbehave{Misbehave::How::crash, 0}), Code::forbidden);
  ::setenv("POLLUX_LEDGER_TEST_REQUESTS", "1", 1);
  EXPECT_EQ(request(Misbehave{Misbehave::How::sleep, 1}), Code::ok);
  EXPECT_ANY_THROW(request(Misbehave{Misbehave::How::throw_up, 0}));
  ::unsetenv("POLLUX_LEDGER_TEST_REQUESTS");
}

}  // namespace
}  // namespace pollux::ledger
