// What becomes of a child that has ended: started again, and when, or held until somebody has looked.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "pollux/services/config.h"

namespace pollux {

/// How a process ended. Neither code nor signal: it was adopted, and only its parent could have been told.
struct ChildEnd {
  std::optional<int> code;
  std::optional<int> signal;
};
/// "exit code 5", "signal 9 (Killed)", or "ended".
std::string to_string(const ChildEnd& end);

class RestartPolicy {
 public:
  explicit RestartPolicy(const NodeConfig& limits) : limits_(limits) {}

  struct Verdict {
    bool again = true;  ///< false: held
    std::chrono::milliseconds pause{0};
    std::string advice;  ///< what a person is to do, or empty
  };
  /// A child that lived for `lived` has ended.
  Verdict ended(const ChildEnd& end, std::chrono::milliseconds lived);
  /// Somebody ordered a restart: the next pause is the shortest again.
  void forget() { deaths_ = 0; }

 private:
  NodeConfig limits_;
  unsigned deaths_ = 0;  ///< in a row, none of them after a healthy life
};

}  // namespace pollux
