// A scripted member: a ROUTER on a thread of its own that answers requesters as the test tells it.
//
// By default it serves: hellos, sessions, and requests, each of which it executes once (a second copy of a
// sync id gets the first one's reply).
#pragma once

#include <zmq.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "pollux/proto/message_codec.h"

namespace pollux::testing {

/// What the members of a fake pair have in common: sessions and what was executed.
struct FakeState {
  std::mutex mutex;
  std::uint64_t sessions = 0;
  std::map<SyncId, std::string> executed;  ///< reply by sync id
  std::map<std::string, int> executions;   ///< by payload
  std::vector<SessionId> open;

  std::uint64_t sessions_opened() {
    const std::lock_guard lock(mutex);
    return sessions;
  }
  int times_executed(const std::string& payload) {
    const std::lock_guard lock(mutex);
    const auto found = executions.find(payload);
    return found == executions.end() ? 0 : found->second;
  }
  void expire_sessions() {
    const std::lock_guard lock(mutex);
    open.clear();
  }
};

class FakeMember {
 public:
  struct Received {
    RequesterMessage message;
    std::string from;  ///< routing id
  };
  /// Returns the answer, or none for silence. Called with the state locked, on the member's thread.
  using Script = std::function<std::optional<RequesterReply>(const Received& received)>;

  FakeMember(std::string endpoint, std::shared_ptr<FakeState> state, std::uint8_t run);
  ~FakeMember();

  void serve(Epoch epoch);  ///< begins to serve, with news to all known requesters
  void retire(Epoch epoch, std::optional<RunId> primary = {});  ///< is not primary (any more)
  /// Asked first about every message; nullopt from the outer optional: the default answer.
  using Override = std::function<std::optional<std::optional<RequesterReply>>(const Received& received)>;
  void override_with(Override override);
  /// Sends these bytes to every requester known.
  void send_raw(std::string bytes);

  /// Waits until `enough` holds for what was received so far.
  bool wait_for(const std::function<bool(const std::vector<Received>&)>& enough,
                std::chrono::milliseconds limit = std::chrono::seconds(20));
  /// The Requests received so far.
  [[nodiscard]] std::vector<Request> requests();
  [[nodiscard]] RunId run() const { return run_; }

  // For overrides.
  [[nodiscard]] RequesterReply reply(const Received& received, Code code, std::string payload = {});
  [[nodiscard]] std::optional<RequesterReply> answer_normally(const Received& received);

 private:
  void loop();
  void take(Received received);
  void send(const std::string& to, const std::string& bytes);
  void news();
  RequesterReply who_serves();

  std::string endpoint_;
  std::shared_ptr<FakeState> state_;
  RunId run_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Received> received_;
  Override override_;
  bool serving_ = false;
  Epoch epoch_;
  std::optional<RunId> primary_;
  std::vector<std::string> known_;
  std::vector<std::string> raw_;
  bool news_wanted_ = false;
  std::atomic<bool> stop_{false};
  void* context_;
  void* socket_;
  std::thread thread_;
};

}  // namespace pollux::testing
