#include "integration/transfer_load.h"

#include <gtest/gtest.h>

#include <random>

#include "pollux/ledger/ledger.h"

namespace pollux::testing {

TransferLoad::TransferLoad(const PairAddress& address, const TransferLoadOptions& options, std::uint64_t seed)
    : options_(options) {
  for (unsigned i = 0; i < options.requesters; ++i) {
    auto requester = Requester::open(address, {.deadline = options.deadline});
    if (!requester) {
      ADD_FAILURE() << requester.error().text;
      return;
    }
    requesters_.push_back(std::move(*requester));
  }
  const ledger::OpenMany open{
      .first = 0, .count = static_cast<std::uint32_t>(options.accounts), .cents = opening_cents};
  const auto opened = requesters_.front()->call(ledger::encode(ledger::Request(open)));
  if (!opened || opened->code != Code::ok) {
    ADD_FAILURE() << "can't open the accounts: " << (opened ? opened->payload : opened.error().text);
    return;
  }
  // What was there already (a second load on the same pair) is not deposited again.
  cents_ = ledger::decode_balance(opened->payload).value_or(ledger::Balance{}).cents;
  note(opened, 0);
  for (auto& requester : requesters_) {
    for (unsigned i = 0; i < options.callers; ++i) {
      threads_.emplace_back(
          [this, &requester, seed = seed * 1000 + threads_.size()] { run(*requester, seed); });
    }
  }
}

TransferLoad::~TransferLoad() { stop(); }

void TransferLoad::stop() {
  stopping_ = true;
  for (auto& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void TransferLoad::run(Requester& requester, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  while (!stopping_) {
    const auto from = random() % options_.accounts;
    const auto to = (from + 1 + random() % (options_.accounts - 1)) % options_.accounts;
    const auto cents = static_cast<ledger::Cents>(1 + random() % 100);
    const bool deposit = random() % 4 == 0;
    const ledger::Request request = deposit ? ledger::Request(ledger::Deposit{to, cents, "test"})
                                            : ledger::Request(ledger::Transfer{from, to, cents, "test"});
    note(call_until_known(requester, ledger::encode(request)), deposit ? cents : 0);
    std::this_thread::sleep_for(options_.pace);
  }
}

CallResult TransferLoad::call_until_known(Requester& requester, const std::string& payload) {
  auto result = requester.call(payload);
  while (!result && result.error().code == Code::busy) {
    std::this_thread::sleep_for(std::chrono::milliseconds(result.error().retry_after_ms + 1));
    result = requester.call(payload);
  }
  if (result || duty(result.error().code) != Duty::ask) return result;
  ++in_doubt_;
  return requester.outcome(result.error().sync, options_.deadline);
}

void TransferLoad::note(const CallResult& result, std::int64_t cents) {
  const std::scoped_lock lock(mutex_);
  // An outcome that is a tombstone is a clear answer, too: not executed, and never will be.
  if (!result && result.error().code == Code::tombstone) return;
  if (!result || (result->code != Code::ok && result->code != Code::insufficient)) {
    failures_.push_back(std::string(to_string(result ? result->code : result.error().code)) + ": " +
                        (result ? result->payload : result.error().text));
    return;
  }
  acknowledged_.push_back({to_string(result->sync.session), result->sync.seq, result->lsn.value,
                           std::string(to_string(result->code))});
  if (result->code == Code::ok) cents_ += cents;
  ++answered_;
}

std::vector<Acknowledged> TransferLoad::take_acknowledged() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(acknowledged_, {});
}

std::vector<std::string> TransferLoad::failures() const {
  const std::scoped_lock lock(mutex_);
  return failures_;
}

}  // namespace pollux::testing
