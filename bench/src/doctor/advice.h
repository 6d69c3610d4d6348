// Times for a pair's table in the configuration that this host can keep.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "doctor/observed.h"
#include "pollux/core/options.h"

namespace pollux {

struct AdvisedTime {
  std::string key;  ///< "heartbeat_ms"
  std::int64_t ms = 0;
  std::string reason;

  /// "heartbeat_ms = 40  # reason": a line of the configuration.
  [[nodiscard]] std::string line() const;
};
struct Advice {
  std::int64_t pause_ms = 0;  ///< that is allowed for
  std::string pause_reason;
  std::vector<AdvisedTime> times;  ///< heartbeat, lease, grace, takeover, left behind

  [[nodiscard]] std::int64_t ms_of(std::string_view key) const;
};

/// The shortest times that are safe here. Longer ones are always as safe.
Advice advise(const Observed& seen);
/// The same in a pair's options, to be checked as the configuration is.
PairOptions options_of(const Advice& advice);

}  // namespace pollux
