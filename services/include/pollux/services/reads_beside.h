// Queries answered beside the members: a process on their host, such as a gateway, reads the tables of the member that
// serves, without a message (decisions/0011). As good as a confirmed read (I7): nothing is shown that a takeover could
// take back, and nothing older than what anybody has been told before.
#pragma once

#include <functional>
#include <memory>

#include "pollux/services/config.h"
#include "pollux/services/service.h"

namespace pollux {

class ReadsBeside {
 public:
  virtual ~ReadsBeside() = default;
  /// Runs `read` on one consistent, committed state. False if the pair has to be asked: nobody serves that is known
  /// here, the tables are behind what is committed, or they can't be read (or `read` threw, for which the pair has better
  /// words). Thread-safe.
  virtual bool read(const std::function<void(ReadTxn&)>& read) = 0;
};

/// Of a pair whose members are both on this host; none (null) if they are not: then only they can tell who serves.
std::unique_ptr<ReadsBeside> make_reads_beside(const Config& config, const PairConfig& pair);

}  // namespace pollux
