// The fixture of the integration tests: a real ledger pair with time-outs that hold on a busy machine and
// under sanitizers, load on it, and the checks that must hold after whatever was done to it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "integration/trail_check.h"
#include "integration/transfer_load.h"
#include "pollux/bench/spawned_pair.h"

namespace pollux::testing {

/// Path of the `pollux` command that was built beside the tests.
std::string pollux_command();
/// Lines for the pair's table: long enough that only what a test does makes anybody fall silent.
std::string patient_pair_settings();
/// Lines for the node's table: a child that was killed is back at once, however often.
std::string quick_restart_settings();

constexpr std::chrono::seconds in_sync_limit(90);

class PairUnderTest : public ::testing::Test {
 protected:
  /// Starts the pair and waits until it is in sync.
  void start(std::vector<std::string> environment = {}, const std::string& member_a = "",
             const std::string& member_b = "");
  void start_with(SpawnedPairOptions options);
  void TearDown() override;

  SpawnedPair& pair() { return *pair_; }
  TransferLoad& load() { return *load_; }
  void start_load(TransferLoadOptions options = {}, std::uint64_t seed = 1);

  void wait_in_sync();
  /// Waits until callers got so many answers more: the pair serves.
  void wait_for_answers(std::uint64_t more = 20);
  /// Waits for `condition`, or fails the test with `what` and the pair's state.
  void wait_until(const std::string& what, const std::function<bool()>& condition,
                  std::chrono::milliseconds limit = in_sync_limit);

  /// The member that serves: 0 or 1. Waits for one.
  std::size_t primary();
  MemberStatus status(std::size_t member);
  /// SIGKILL to the process of a member, by the pid it tells.
  void kill_member(std::size_t member);

  /// Stops the load and checks everything: nobody was failed, nothing was lost or doubled, sum right, both
  /// members in sync by themselves with equal trails and tables.
  void check_everything();

  /// Does any log or output of the pair have a line with all of these in it?
  bool said(const std::vector<std::string>& words);
  /// The ends of all logs, for a failure's message.
  std::string logs();

  std::unique_ptr<SpawnedPair> pair_;
  std::unique_ptr<TransferLoad> load_;
  std::unique_ptr<TrailCheck> trail_;
};

/// What a command printed and how it ended.
struct CommandResult {
  int exit_code = -1;
  std::string output;  ///< both streams
};
/// Runs `pollux` with these arguments to its end; `input` is what it reads.
CommandResult run_pollux(const std::vector<std::string>& arguments, const std::string& input = "",
                         std::chrono::milliseconds limit = std::chrono::seconds(60));

}  // namespace pollux::testing
