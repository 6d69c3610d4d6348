// The requester: calls a pair by name, retries with the same sync id, follows takeovers.
//
// One requester holds one session and a thread of its own. Calls may come from any thread. A request that
// was answered was executed exactly once; one whose answer is `in_doubt` can be asked about with `outcome`
// while the requester (its session) lives.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
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
  [[nodiscard]] virtual Result<PairAddress> find(std::string_view pair) const = 0;
};
/// A directory of what a configuration file says.
std::unique_ptr<Directory> make_static_directory(std::vector<PairAddress> addresses);

struct RequesterOptions {
  std::chrono::milliseconds deadline{10000};      ///< of a call that names none
  std::chrono::milliseconds retry_after{250};     ///< no answer: send again, to the other member
  std::chrono::milliseconds connect_within{10000};  ///< for the first session
  std::size_t outstanding_max = 4096;             ///< more calls are answered `busy` at once
};

struct CallReply {
  Code code = Code::ok;       ///< ok or a service code (not_found ...); other codes come as Error
  std::string payload;
  SyncId sync;                ///< none for queries
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
using CallDone = std::function<void(CallResult)>;   ///< runs on the requester's thread: keep it short

class Requester {
 public:
  /// Starts the thread; does not wait for the pair to be there.
  static Result<std::unique_ptr<Requester>> open(const PairAddress& address, const RequesterOptions& options = {});
  ~Requester();  ///< outstanding calls end with `stopping`

  CallResult call(std::string payload, std::optional<std::chrono::milliseconds> deadline = {}, std::uint64_t trace = 0);
  void call_async(std::string payload, CallDone done, std::optional<std::chrono::milliseconds> deadline = {},
                  std::uint64_t trace = 0);
  CallResult query(std::string payload, std::optional<std::chrono::milliseconds> deadline = {}, std::uint64_t trace = 0);
  void query_async(std::string payload, CallDone done, std::optional<std::chrono::milliseconds> deadline = {},
                   std::uint64_t trace = 0);
  /// The outcome of a call that was `in_doubt`. If it was never executed, it never will be: `tombstone`.
  CallResult outcome(SyncId sync, std::optional<std::chrono::milliseconds> deadline = {});

  struct Counters {
    std::uint64_t sent = 0, answered = 0, retries = 0, takeovers_followed = 0, in_doubt = 0, busy = 0;
  };
  [[nodiscard]] Counters counters() const;

 private:
  class Loop;
  explicit Requester(std::unique_ptr<Loop> loop);
  std::unique_ptr<Loop> loop_;
};

}  // namespace pollux
