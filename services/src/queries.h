// The query threads: reads of committed state, several at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core_inbox.h"
#include "counters.h"
#include "log.h"
#include "pollux/core/actions.h"
#include "pollux/services/service.h"
#include "shared_state.h"
#include "work_queue.h"

namespace pollux {

class Queries {
 public:
  struct Parts {
    Service& service;
    SharedState& state;
    CoreInbox& inbox;
    MemberCounters& counters;
    MemberLog& log;
    std::function<bool()> solo;  ///< is there no backup? (an atomic of core's thread)
  };
  struct Options {
    RunId run;                                ///< of this member, for the answers
    std::size_t threads = 2;
    std::size_t waiting_max = 8192;           ///< beyond: `busy`
    std::size_t reply_bytes_max = 8u << 20;
    std::uint32_t busy_retry_ms = 20;
  };
  Queries(const Parts& parts, const Options& options) : parts_(parts), options_(options) {}
  ~Queries() { stop(); }

  void start();
  void stop();  ///< waits for the queries that run; those that wait are dropped
  void give(RunQuery query);

 private:
  void run();
  void answer(const RunQuery& query, ServiceReply reply);
  /// None: this member stops because of what it found, and its peer will answer.
  std::optional<ServiceReply> run_one(const RunQuery& query);
  std::optional<ServiceReply> cannot_read(const Error& error);

  const Parts parts_;
  const Options options_;
  WorkQueue<RunQuery> waiting_;
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
  std::mutex told_mutex_;
  std::string told_last_;  ///< the fault that was logged last
};

}  // namespace pollux
