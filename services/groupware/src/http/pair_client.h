// The groupware pair as the gateway sees it: two calls, answered later.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "pollux/core/result.h"
#include "pollux/ipc/requester.h"
#include "pollux/services/reads_beside.h"

namespace pollux {

/// `code` is ok or a service code, with the service's payload; or the code of an error, with its sentence.
struct PairReply {
  Code code = Code::ok;
  std::string payload;
  std::uint32_t retry_after_ms = 0;
};
using PairDone = std::function<void(PairReply)>;  ///< may run on any thread: hand over, do no work

class PairClient {
 public:
  virtual ~PairClient() = default;
  virtual void execute(std::string payload, PairDone done) = 0;
  virtual void query(std::string payload, PairDone done) = 0;
  /// Runs `read` here and now on the committed state, if that is at hand: as ReadsBeside.
  virtual bool read(const std::function<void(ReadTxn&)>& /*read*/) { return false; }
};

/// Over a requester. A call that ends in doubt is answered only when its outcome is known, or can't be
/// found out within `outcome_wait`.
std::unique_ptr<PairClient> make_requester_pair(std::unique_ptr<Requester> requester,
                                                std::chrono::milliseconds wait,
                                                std::chrono::milliseconds outcome_wait);

/// Queries are answered by `service` on the tables that `beside` has, at once and on the caller's thread; else by `pair`.
std::unique_ptr<PairClient> make_pair_with_reads(std::unique_ptr<PairClient> pair, std::unique_ptr<ReadsBeside> beside,
                                                 std::unique_ptr<Service> service);
/// What answers and reads take for now.
WallTime wall_now();

}  // namespace pollux
