// kill -9 of whatever a pair consists of, chosen by a seed: the fixture of the tests that kill.
#pragma once

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "integration/pair_under_test.h"

namespace pollux::testing {

/// The seeds of a test: those given, or the one of POLLUX_KILL_SEED.
std::vector<std::uint64_t> kill_seeds(std::vector<std::uint64_t> seeds);

class KillFixture : public PairUnderTest {
 protected:
  void seed(std::uint64_t seed);
  /// Kills one process or two: the primary, the backup, both, the supervisor, or (if there is one) the
  /// gateway.
  void kill_something(bool with_gateway = false);
  [[nodiscard]] unsigned kills() const { return kills_; }
  /// Half of the time true: wait until all is well before the next kill. Else the next one hits a pair that
  /// is still on its way back; then this waits a random moment itself.
  bool recover_before_next_kill();
  /// Prints what was killed, if the test has failed.
  void tell_story();

  /// The gateway's process, 0 if there is none right now.
  pid_t gateway_pid();

 private:
  void kill_role(const std::string& role);
  bool kill_role_if_any(const std::string& role);
  void kill_both();
  void kill_supervisor();
  void kill_gateway();
  void kill_told(const MemberStatus& victim);
  void note(const std::string& victim);

  std::uint64_t seed_ = 0;
  std::mt19937_64 random_;
  unsigned kills_ = 0;
  std::string story_;
};

}  // namespace pollux::testing
