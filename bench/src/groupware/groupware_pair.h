// A groupware pair with its gateway to be measured: started, given a user and everything that is asked for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "groupware/server_under_test.h"
#include "pollux/bench/spawned_pair.h"
#include "run/progress.h"

namespace pollux {

struct GroupwarePairOptions {
  std::string command;
  std::filesystem::path parent;
  std::uint64_t events = 0;
  std::string pair_settings, gateway_settings;
  std::vector<std::filesystem::path> cgroup_doors;  ///< as of SpawnedPairOptions
};

/// What must hold at the end.
struct GroupwareCheck {
  bool trails_equal = false;
  std::uint64_t lsn = 0;
  std::string wrong;  ///< one sentence; empty if all is well
};

class GroupwarePair {
 public:
  static Result<std::unique_ptr<GroupwarePair>> start(const GroupwarePairOptions& options,
                                                      Progress& progress);

  [[nodiscard]] const ServerUnderTest& server() const { return server_; }
  [[nodiscard]] SpawnedPair& spawned() { return *spawned_; }
  /// 0 if it does not run.
  [[nodiscard]] pid_t gateway_pid() const;
  /// In sync, the same hash at the same LSN, everything applied.
  GroupwareCheck check();

 private:
  GroupwarePair() = default;
  Result<void> add_user(const std::string& command);
  std::unique_ptr<SpawnedPair> spawned_;
  ServerUnderTest server_;
};

/// Makes the collections and stores the items of every size, those to be changed, and the events, by PUT.
Result<void> store_everything(const ServerUnderTest& server, std::uint64_t events, Progress& progress);

/// Collections that cells store in.
inline constexpr std::string_view new_collection = "new", changed_collection = "changed";

}  // namespace pollux
