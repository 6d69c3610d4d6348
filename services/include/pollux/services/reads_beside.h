// Queries answered beside the members: a process on their host, such as a gateway, reads the tables of the member that
// serves, without a message (decisions/0011). As good as a confirmed read (I7): nothing is shown that a takeover could
// take back, and nothing older than what anybody has been told before.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

#include "pollux/core/result.h"
#include "pollux/services/config.h"
#include "pollux/services/service.h"

namespace pollux {

class ReadsBeside {
 public:
  virtual ~ReadsBeside() = default;
  /// The service's answer; none if the pair has to be asked: nobody serves that is known here, or the tables are behind
  /// what is committed, or can't be read. Thread-safe.
  [[nodiscard]] virtual std::optional<ServiceReply> query(std::string_view payload) = 0;
};

/// Of a pair whose members are both on this host; none (null) if they are not: then only they can tell who serves.
std::unique_ptr<ReadsBeside> make_reads_beside(const Config& config, const PairConfig& pair,
                                               const ServiceFactory& service);

}  // namespace pollux
