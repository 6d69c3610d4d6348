// Reads a pair's audit trails as an auditor would, and compares them with what callers were told.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "integration/transfer_load.h"
#include "pollux/bench/spawned_pair.h"

namespace pollux::testing {

class TrailCheck {
 public:
  explicit TrailCheck(const SpawnedPair& pair) : pair_(pair) {}

  /// Reads what was committed since the last time, from whichever member serves, and looks up what was
  /// acknowledged meanwhile. Fails the test if something is missing, there twice, or not where it was said to
  /// be.
  void follow(const std::vector<Acknowledged>& acknowledged);

  /// Both trails from beginning to end, at rest: every record at the same LSN with the same chain hash, no fault in
  /// them, and equal tables. To be called when all callers have their answers, after a last follow() with all that
  /// was acknowledged: behind the last acknowledged request there may be changes of roles and ends of sessions, but no
  /// request.
  void compare_members();

  [[nodiscard]] std::uint64_t last() const { return last_; }

 private:
  struct Seen {
    std::uint64_t lsn = 0;
    std::string code;
  };
  void take(const AuditLine& line);
  [[nodiscard]] bool read_on();
  void wait_at_rest();
  void compare_trail(std::size_t member);

  const SpawnedPair& pair_;
  std::uint64_t last_ = 0;
  std::map<std::pair<std::string, std::uint64_t>, Seen> seen_;  // by sync id
  std::vector<std::string> hashes_{""};                         // by LSN
};

}  // namespace pollux::testing
