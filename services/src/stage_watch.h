// Where a request's time goes inside the primary: follows one request at a time, the next that comes once the last is
// answered. With one request outstanding that is every request; under load, a sample. Costs a look at the clock at
// each of five moments.
#pragma once

#include <cstdint>

#include "counters.h"
#include "pollux/core/events.h"

namespace pollux {

class StageWatch {
 public:
  explicit StageWatch(MemberCounters& counters) : counters_(counters) {}

  /// Before core takes the step: the request came, was executed, is durable here, is durable at the backup.
  void comes(const Event& event);
  /// A reply leaves.
  void replied();
  /// It will not be answered here, or not in the ordinary way: forget it.
  void forget() { stage_ = Stage::none; }

 private:
  enum class Stage : std::uint8_t { none, came, executed };
  MemberCounters& counters_;
  Stage stage_ = Stage::none;
  Lsn lsn_;
  std::int64_t came_ns_ = 0, executed_ns_ = 0, forced_ns_ = 0, acked_ns_ = 0;
};

}  // namespace pollux
