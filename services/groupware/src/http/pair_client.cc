#include "http/pair_client.h"

#include <utility>

#include "http/work_thread.h"

namespace pollux {
namespace {

/// Calls whose outcome is being asked for at a time; they are few: a takeover takes far less than `wait`.
constexpr std::size_t in_doubt_max = 10000;

class RequesterPair final : public PairClient {
 public:
  RequesterPair(std::unique_ptr<Requester> requester, std::chrono::milliseconds wait,
                std::chrono::milliseconds outcome_wait)
      : requester_(std::move(requester)), wait_(wait), outcome_wait_(outcome_wait) {}

  ~RequesterPair() override {
    requester_.reset();  // ends all calls first: their answers may still use the queue
    in_doubt_.stop();
  }

  void execute(std::string payload, PairDone done) override {
    requester_->call_async(
        std::move(payload), [this, done = std::move(done)](CallResult result) { finish(std::move(result), done); },
        wait_);
  }

  void query(std::string payload, PairDone done) override {
    requester_->query_async(
        std::move(payload), [done = std::move(done)](CallResult result) { done(to_reply(std::move(result))); }, wait_);
  }

 private:
  static PairReply to_reply(CallResult result) {
    if (result) return {result->code, std::move(result->payload), 0};
    return {result.error().code, std::move(result.error().text), result.error().retry_after_ms};
  }

  void finish(CallResult result, const PairDone& done) {
    if (result || duty(result.error().code) != Duty::ask) return done(to_reply(std::move(result)));
    const SyncId sync = result.error().sync;
    const auto until = std::chrono::steady_clock::now() + outcome_wait_;
    // One at a time: when the pair is back each takes a moment, and until then all wait together.
    const bool taken = in_doubt_.push([this, sync, until, done] {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
      done(to_reply(requester_->outcome(sync, std::max(left, std::chrono::milliseconds(1)))));
    });
    if (!taken) done(to_reply(std::move(result)));
  }

  std::unique_ptr<Requester> requester_;
  const std::chrono::milliseconds wait_, outcome_wait_;
  WorkThread in_doubt_{in_doubt_max};
};

}  // namespace

std::unique_ptr<PairClient> make_requester_pair(std::unique_ptr<Requester> requester, std::chrono::milliseconds wait,
                                                std::chrono::milliseconds outcome_wait) {
  return std::make_unique<RequesterPair>(std::move(requester), wait, outcome_wait);
}

}  // namespace pollux
