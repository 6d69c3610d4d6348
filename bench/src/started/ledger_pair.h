// A ledger pair to be measured: started with its accounts open, and books kept of what it was sent, so that
// in the end its sum can be checked.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "commit/commit_report.h"
#include "pollux/bench/load.h"
#include "pollux/bench/spawned_pair.h"
#include "pollux/ipc/requester.h"

namespace pollux {

struct LedgerPairOptions {
  std::string command;
  std::filesystem::path parent;
  std::uint32_t accounts = 0;
  unsigned requesters = 1;
  std::vector<int> cpus_a, cpus_b;
  std::vector<std::string> environment;
  std::string node_settings;
  std::string pair_settings;
};

class LedgerPair {
 public:
  /// Starts the pair, waits until it is in sync, and opens the accounts.
  static Result<std::unique_ptr<LedgerPair>> start(const LedgerPairOptions& options);

  [[nodiscard]] SpawnedPair& spawned() { return *spawned_; }
  /// Deposits of one cent to scattered accounts, in requests of `request_bytes`.
  [[nodiscard]] LoadTarget deposits();
  static constexpr std::size_t request_bytes = 100;

  /// Enters into the books what a load reports. Asks for the outcome of what is in doubt.
  Result<void> account_for(const LoadCounts& counts);
  /// Settled, both trails equal, and the sum is what the books say.
  EndCheck check();
  /// Both members as they are now.
  [[nodiscard]] std::vector<MemberAtLoad> members() const;

 private:
  LedgerPair() = default;
  Result<void> open_accounts();
  std::unique_ptr<SpawnedPair> spawned_;
  std::vector<std::unique_ptr<Requester>> requesters_;
  std::uint32_t accounts_ = 0;
  std::int64_t booked_ = 0;  // cents that must be in the ledger
};

}  // namespace pollux
