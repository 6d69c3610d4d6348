#include "pollux/ipc/requester.h"

#include <algorithm>
#include <utility>

#include "pollux/core/check.h"
#include "requester_loop.h"

namespace pollux {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds deadline_max = std::chrono::hours(24 * 365);

std::unique_ptr<Call> make_call(CallKind kind, std::string payload, CallDone done, milliseconds deadline,
                                std::uint64_t trace) {
  auto call = std::make_unique<Call>();
  call->kind = kind;
  call->payload = std::move(payload);
  call->done = std::move(done);
  call->trace = trace;
  call->made = std::chrono::steady_clock::now();
  call->deadline = call->made + std::clamp(deadline, milliseconds(0), deadline_max);
  return call;
}

}  // namespace

Requester::Requester(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}

Requester::~Requester() {
  if (loop_ != nullptr)
    POLLUX_CHECK_WHY(!loop_->on_its_thread(), "a requester can't be destroyed in a CallDone");
}

Result<std::unique_ptr<Requester>> Requester::open(const PairAddress& address,
                                                   const RequesterOptions& options) {
  auto loop = Loop::start(address, options);
  if (!loop) return std::unexpected(std::move(loop.error()));
  return std::unique_ptr<Requester>(new Requester(std::move(*loop)));
}

namespace {

/// Runs `start` with a CallDone and waits for it.
template <class Start>
CallResult wait_for(Start start) {
  // Shared: the loop's thread may still be leaving set_value when the waiting one goes on.
  const auto promise = std::make_shared<std::promise<CallResult>>();
  auto future = promise->get_future();
  start([promise](CallResult result) { promise->set_value(std::move(result)); });
  return future.get();
}

}  // namespace

CallResult Requester::call(std::string payload, std::optional<milliseconds> deadline, std::uint64_t trace) {
  POLLUX_CHECK_WHY(!loop_->on_its_thread(), "a CallDone must not wait for another call");
  return wait_for([&](CallDone done) { call_async(std::move(payload), std::move(done), deadline, trace); });
}

CallResult Requester::query(std::string payload, std::optional<milliseconds> deadline, std::uint64_t trace) {
  POLLUX_CHECK_WHY(!loop_->on_its_thread(), "a CallDone must not wait for another call");
  return wait_for([&](CallDone done) { query_async(std::move(payload), std::move(done), deadline, trace); });
}

CallResult Requester::outcome(SyncId sync, std::optional<milliseconds> deadline) {
  POLLUX_CHECK_WHY(!loop_->on_its_thread(), "a CallDone must not wait for another call");
  return wait_for([&](CallDone done) { outcome_async(sync, std::move(done), deadline); });
}

void Requester::call_async(std::string payload, CallDone done, std::optional<milliseconds> deadline,
                           std::uint64_t trace) {
  loop_->push(make_call(CallKind::request, std::move(payload), std::move(done),
                        deadline.value_or(loop_->options().deadline), trace));
}

void Requester::query_async(std::string payload, CallDone done, std::optional<milliseconds> deadline,
                            std::uint64_t trace) {
  loop_->push(make_call(CallKind::query, std::move(payload), std::move(done),
                        deadline.value_or(loop_->options().deadline), trace));
}

void Requester::outcome_async(SyncId sync, CallDone done, std::optional<milliseconds> deadline) {
  POLLUX_CHECK_WHY(!sync.session.none() && sync.seq != 0,
                   "only a call with a sync id has an outcome to ask for");
  auto call =
      make_call(CallKind::outcome, {}, std::move(done), deadline.value_or(loop_->options().deadline), 0);
  call->sync = sync;
  loop_->push(std::move(call));
}

Requester::Counters Requester::counters() const { return loop_->counters(); }

}  // namespace pollux
