// Load on a pair, in the two ways there are: closed (a fixed number of requests is outstanding; the next is
// sent when one is answered) and open (requests are due at fixed times, whatever becomes of those before).
//
// Closed load measures speed. Only open load shows what a caller feels when the pair stalls, and only if each
// request is timed from the moment it was due. Neither knows what a request means: see LoadTarget.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pollux/bench/histogram.h"
#include "pollux/ipc/requester.h"

namespace pollux {

/// What load is sent to. Usually a Requester's `call_async`.
struct LoadTarget {
  /// Sends one request; `done` is called once, from any thread.
  std::function<void(std::string payload, CallDone done)> send;
  /// Payload of the n-th request, n = 0, 1, ..., always the same for an n: what was not accepted is sent again.
  /// Called from the threads that call `done`, one at a time.
  std::function<std::string(std::uint64_t n)> payload;
};

/// How calls ended. Every call ends in exactly one of these.
struct LoadCounts {
  std::uint64_t answered = 0;  ///< with ok
  std::uint64_t refused = 0;   ///< with another code of the service
  std::uint64_t busy = 0;      ///< not executed, sent again after a pause
  std::uint64_t failed = 0;    ///< any other error, `in doubt` excepted
  std::uint64_t in_doubt = 0;
  std::uint64_t attempts = 0;  ///< sends of the calls that were answered
  std::string first_error;     ///< text of the first call that was refused or failed
  std::vector<SyncId> doubts;  ///< of the calls in doubt: their outcome can be asked for

  void merge(const LoadCounts& other);
};

struct ClosedLoadOptions {
  unsigned outstanding = 1;
  std::chrono::nanoseconds warm_up = std::chrono::milliseconds(500);  ///< not counted
  std::chrono::nanoseconds duration = std::chrono::seconds(3);
  std::uint64_t requests_max = UINT64_MAX;  ///< stop after this many, whatever the time
  std::chrono::nanoseconds drain_limit = std::chrono::seconds(30);  ///< wait for the last answers
  const std::atomic<bool>* stop = nullptr;               ///< when it becomes true, the load ends early
  std::function<void(std::uint64_t answered)> progress;  ///< a few times a second
};
struct ClosedLoadResult {
  LoadCounts counts;  ///< of all calls, warm-up included
  Histogram latency;  ///< of those answered within the measured time
  std::chrono::nanoseconds measured{};
  std::uint64_t measured_answers = 0;
  std::vector<std::uint64_t> answers_each_second;  ///< of the measured time, whole seconds only
  bool drained = false;                            ///< every call came back before drain_limit

  [[nodiscard]] std::uint64_t per_second() const;  ///< rounded down
  /// Adds what another part of the same measurement came to.
  void merge(const ClosedLoadResult& other);
};
ClosedLoadResult run_closed_load(const LoadTarget& target, const ClosedLoadOptions& options);

/// Open load on a thread of its own, from construction to stop().
class OpenLoad {
 public:
  OpenLoad(LoadTarget target, unsigned per_second);
  ~OpenLoad();

  /// The longest time that a request waited which was due, or not yet answered, between the two moments
  /// (monotonic_ns); it counts from when the request was due, up to its answer, or up to now.
  [[nodiscard]] std::int64_t longest_wait_ns(std::int64_t from_ns, std::int64_t to_ns) const;
  /// Stops sending and waits for the last answers; false if some did not come.
  bool stop(std::chrono::nanoseconds drain_limit = std::chrono::seconds(30));
  [[nodiscard]] LoadCounts counts() const;
  [[nodiscard]] Histogram latency() const;
  /// The largest delay between the moment a request was due and its sending: how late this load itself was.
  [[nodiscard]] std::int64_t latest_send_ns() const;

 private:
  struct Shared;
  void run();
  std::shared_ptr<Shared> shared_;
  struct Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace pollux
