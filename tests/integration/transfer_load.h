// Callers of a ledger pair, and what they were told: several requesters that send transfers and deposits, one
// after the other, and remember every answer. Under load a pair may be late, but it may not fail, forget or
// double.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "pollux/ipc/requester.h"

namespace pollux::testing {

/// One answered request.
struct Acknowledged {
  std::string session;  ///< hex, as in the trail
  std::uint64_t seq = 0, lsn = 0;
  std::string code;  ///< "ok", "insufficient", ...
};

struct TransferLoadOptions {
  unsigned requesters = 4;
  unsigned callers = 2;                         ///< threads of each
  std::chrono::milliseconds pace{5};            ///< pause of a caller between two calls
  std::chrono::milliseconds deadline{120'000};  ///< of a call: far beyond any stall
  std::uint64_t accounts = 100;                 ///< opened by start(), with opening_cents each
};

class TransferLoad {
 public:
  static constexpr std::int64_t opening_cents = 1'000'000;

  /// Opens the accounts and starts the callers. Fails the test if the pair does not answer.
  TransferLoad(const PairAddress& address, const TransferLoadOptions& options = {}, std::uint64_t seed = 1);
  ~TransferLoad();

  /// Every caller finishes its last call. Idempotent.
  void stop();

  [[nodiscard]] std::uint64_t answered() const { return answered_; }
  [[nodiscard]] std::uint64_t in_doubt() const { return in_doubt_; }
  /// What was answered so far, and not yet taken.
  [[nodiscard]] std::vector<Acknowledged> take_acknowledged();
  /// Cents that must be in the ledger once stopped.
  [[nodiscard]] std::int64_t cents() const { return cents_; }
  /// Calls that ended as no call should: one line each.
  [[nodiscard]] std::vector<std::string> failures() const;

 private:
  void run(Requester& requester, std::uint64_t seed);
  /// Calls until there is an answer that says what became of the request.
  CallResult call_until_known(Requester& requester, const std::string& payload);
  void note(const CallResult& result, std::int64_t cents);

  TransferLoadOptions options_;
  std::vector<std::unique_ptr<Requester>> requesters_;
  std::vector<std::jthread> threads_;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::uint64_t> answered_ = 0, in_doubt_ = 0;
  std::atomic<std::int64_t> cents_ = 0;
  mutable std::mutex mutex_;
  std::vector<Acknowledged> acknowledged_;
  std::vector<std::string> failures_;
};

}  // namespace pollux::testing
