// Reads under a lease: whatever happens to the primary, nobody sees a balance that is older than one that was
// acknowledged before he asked.
#include <atomic>
#include <thread>

#include "integration/pair_under_test.h"
#include "pollux/ledger/ledger.h"

namespace pollux::testing {
namespace {

constexpr ledger::Account account = 7;
constexpr std::chrono::milliseconds patience(120'000);

class LeaseTest : public PairUnderTest {
 protected:
  void SetUp() override {
    start_with({.pair_settings = "reads = \"lease\"\n"});
    if (HasFatalFailure()) return;
    auto writer = Requester::open(pair().address(), {.deadline = patience});
    ASSERT_TRUE(writer) << writer.error().text;
    writer_ = std::move(*writer);
    ASSERT_TRUE(answered(ledger::OpenAccount{.account = account}));
    threads_.emplace_back([this](const std::stop_token& stop) { write(stop); });
    // One asks whoever serves; the others one member each, also when it is not primary any more.
    const PairAddress all = pair().address();
    read_from(all, patience);
    for (const std::string& endpoint : all.endpoints) {
      read_from({all.cluster, all.pair, {endpoint}}, std::chrono::milliseconds(500));
    }
  }
  void TearDown() override {
    if (stopped_ != 0) kill(stopped_, SIGCONT);
    threads_.clear();
    writer_.reset();
    PairUnderTest::TearDown();
  }

  bool answered(const ledger::Request& request) {
    const auto answer = writer_->call(ledger::encode(request));
    return answer && answer->code == Code::ok;
  }

  void write(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const auto answer = writer_->call(ledger::encode(
          ledger::Request(ledger::Deposit{.account = account, .cents = 1, .memo = ""})));
      const auto balance = answer ? ledger::decode_balance(answer->payload) : Result<ledger::Balance>();
      if (!answer || !balance) {
        ADD_FAILURE() << "a deposit was not answered: " << (answer ? answer->payload : answer.error().text);
        return;
      }
      acknowledged_ = balance->cents;
    }
  }

  void read_from(const PairAddress& address, std::chrono::milliseconds deadline) {
    auto requester = Requester::open(address, {.deadline = deadline});
    ASSERT_TRUE(requester) << requester.error().text;
    threads_.emplace_back([this, reader = std::shared_ptr<Requester>(std::move(*requester))](const std::stop_token& stop) {
      while (!stop.stop_requested()) read(*reader);
    });
  }
  void read(Requester& reader) {
    const std::int64_t before = acknowledged_;
    const auto answer = reader.query(ledger::encode(ledger::Query(ledger::AskBalance{account})));
    if (!answer) return;  // not primary, or away: nothing was said
    const auto balance = ledger::decode_balance(answer->payload);
    ASSERT_TRUE(balance) << balance.error().text;
    ASSERT_GE(balance->cents, before) << "an old balance was read";
    ++reads_;
  }

  void wait_for_reads_and_deposits() {
    const std::uint64_t reads = reads_ + 200;
    const std::int64_t cents = acknowledged_ + 20;
    wait_until("reads and deposits", [&] { return HasFailure() || (reads_ >= reads && acknowledged_ >= cents); });
  }
  void wait_for_takeover(std::size_t old, std::uint64_t epoch) {
    wait_until("the other member to lead", [&] {
      const auto other = pair().status(1 - old);
      return other && other->role == "primary" && other->serving && other->epoch > epoch;
    });
  }

  std::unique_ptr<Requester> writer_;
  std::atomic<std::int64_t> acknowledged_ = 0;
  std::atomic<std::uint64_t> reads_ = 0;
  pid_t stopped_ = 0;
  std::vector<std::jthread> threads_;
};

TEST_F(LeaseTest, NobodyReadsAnOldBalanceWhenThePrimaryIsKilled) {
  for (int round = 0; round < 5 && !HasFailure(); ++round) {
    wait_for_reads_and_deposits();
    const auto old = primary();
    const auto epoch = status(old).epoch;
    kill_member(old);
    wait_for_takeover(old, epoch);
    wait_for_reads_and_deposits();
    wait_in_sync();
  }
}

TEST_F(LeaseTest, NobodyReadsAnOldBalanceFromAPrimaryThatWasPausedAndReplaced) {
  for (int round = 0; round < 4 && !HasFailure(); ++round) {
    wait_for_reads_and_deposits();
    const auto old = primary();
    const auto told = status(old);
    stopped_ = told.pid;
    kill(stopped_, SIGSTOP);
    wait_for_takeover(old, told.epoch);
    const std::int64_t cents = acknowledged_ + 20;
    wait_until("deposits at the new primary", [&] { return HasFailure() || acknowledged_ >= cents; });
    kill(std::exchange(stopped_, 0), SIGCONT);  // with questions in its sockets that were asked meanwhile
    wait_in_sync();
  }
  wait_for_reads_and_deposits();
}

TEST_F(LeaseTest, NobodyReadsAnOldBalanceAcrossSwitchovers) {
  for (int round = 0; round < 4 && !HasFailure(); ++round) {
    wait_for_reads_and_deposits();
    const auto old = primary();
    const auto epoch = status(old).epoch;
    const auto switched = run_pollux({"--config", pair().config_file().string(), "switch"});
    EXPECT_EQ(switched.exit_code, 0) << switched.output;
    wait_for_takeover(old, epoch);
    wait_in_sync();
  }
}

}  // namespace
}  // namespace pollux::testing
