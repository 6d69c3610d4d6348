// The requester: calls a pair by name, retries with the same sync id, follows takeovers.
//
// One requester holds one session and a thread of its own. Calls may come from any thread. A request that
// was answered was executed exactly once; one whose answer is `in_doubt` can be asked about with `outcome`
// while the requester (its session) lives. A call that fails with another code was not executed.
//
// What the codes of a failed call mean here:
//   in_doubt           its deadline passed and it may have been sent: ask `outcome` with its sync id
//   session_expired    it may have been executed, but the session that could tell is gone: only the service's
//                      own state can answer
//   stopping           the requester was closed under it; if `sync` is set it may have been executed
//   busy, full         not accepted until the deadline; come back after `retry_after_ms`
//   deadline_exceeded  not executed: its deadline passed before
//   unreachable        not executed: no primary answered until the deadline; the text says what was tried
//   aborted, quarantined, tombstone, too_large, wrong_cluster, unknown_pair ...: as in core's result.h
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pollux/core/result.h"
#include "pollux/core/types.h"

namespace pollux {

/// Where a pair is. One endpoint a member.
struct PairAddress {
  ClusterId cluster;
  std::string pair;
  std::vector<std::string> endpoints;
};

/// Tells where pairs are. Thread-safe.
class Directory {
 public:
  virtual ~Directory() = default;
  /// `unknown_pair` with the names that are known.
  [[nodiscard]] virtual Result<PairAddress> find(std::string_view pair) const = 0;
};
/// A directory of what a configuration file says.
std::unique_ptr<Directory> make_static_directory(std::vector<PairAddress> addresses);

struct RequesterOptions {
  std::chrono::milliseconds deadline{10000};        ///< of a call that names none
  std::chrono::milliseconds retry_after{250};       ///< no answer: send again, to the other member in turn
  std::chrono::milliseconds retry_after_max{2000};  ///< the wait doubles up to this
  std::chrono::milliseconds hello_every{1000};      ///< each member is told that we are here
  std::chrono::milliseconds connect_within{10000};  ///< for the first session
  std::chrono::milliseconds epoch_memory{5000};     ///< so long without a primary, and an older epoch is
                                                 ///< believed again: the pair was founded anew
  std::size_t outstanding_max = 4096;         ///< more calls are answered `busy` at once
  std::size_t payload_bytes_max = 64u << 20;  ///< larger ones are answered `too_large` at once
  std::size_t session_window = 8192;          ///< the pair's; calls beyond wait for the oldest answer
};

struct CallReply {
  Code code = Code::ok;  ///< ok or a service code (not_found ...); other codes come as Error
  std::string payload;
  SyncId sync;  ///< none for queries
  Lsn lsn;
  std::uint32_t attempts = 1;
};
/// A failed call. `sync` is set when the outcome can be asked for (duty(code) == ask).
struct CallError {
  Code code = Code::ok;
  std::string text;
  SyncId sync;
  std::uint32_t retry_after_ms = 0;
};
using CallResult = std::expected<CallReply, CallError>;
using CallDone =
    std::function<void(CallResult)>;  ///< runs on the requester's thread: keep it short, don't throw

class Requester {
 public:
  /// Starts the thread; does not wait for the pair to be there. `bad_config` if an endpoint is not one.
  static Result<std::unique_ptr<Requester>> open(const PairAddress& address,
                                                 const RequesterOptions& options = {});
  /// Outstanding calls end with `stopping`, and the session is closed. Not from a CallDone.
  ~Requester();

  /// The blocking ones must not be used in a CallDone: they wait for the thread that runs it.
  CallResult call(std::string payload, std::optional<std::chrono::milliseconds> deadline = {},
                  std::uint64_t trace = 0);
  void call_async(std::string payload, CallDone done, std::optional<std::chrono::milliseconds> deadline = {},
                  std::uint64_t trace = 0);
  CallResult query(std::string payload, std::optional<std::chrono::milliseconds> deadline = {},
                   std::uint64_t trace = 0);
  void query_async(std::string payload, CallDone done, std::optional<std::chrono::milliseconds> deadline = {},
                   std::uint64_t trace = 0);
  /// The outcome of a call that was `in_doubt`. If it was never executed, it never will be: `tombstone`. No
  /// answer until the deadline: still `in_doubt`. Of calls in doubt that nobody asks about, the oldest are
  /// given up (`sync_id_too_old`) when the session's window is full.
  CallResult outcome(SyncId sync, std::optional<std::chrono::milliseconds> deadline = {});
  void outcome_async(SyncId sync, CallDone done, std::optional<std::chrono::milliseconds> deadline = {});

  struct Counters {
    std::uint64_t sent = 0, answered = 0, retries = 0, takeovers_followed = 0, in_doubt = 0, busy = 0;
    std::uint64_t malformed = 0;  ///< answers that could not be read
  };
  [[nodiscard]] Counters counters() const;

 private:
  class Loop;
  explicit Requester(std::unique_ptr<Loop> loop);
  std::unique_ptr<Loop> loop_;
};

}  // namespace pollux
