#include "core_loop.h"

#include <algorithm>
#include <utility>

#include "clocks.h"
#include "pollux/core/check.h"
#include "text.h"

namespace pollux {
namespace {

/// Messages taken from ZeroMQ in one round, so that the other threads' news and the tick get their turn.
constexpr std::size_t messages_a_round = 256;
/// The clocks are read anew after so many steps.
constexpr std::uint32_t steps_a_clock = 32;
/// Core asks for two ticks a heartbeat; a third makes up for jitter.
constexpr int ticks_a_heartbeat = 3;
constexpr Duration refused_log_every = std::chrono::seconds(5);

}  // namespace

CoreLoop::CoreLoop(const Parts& parts, const PairOptions& options)
    : parts_(parts), tick_every_(options.heartbeat / ticks_a_heartbeat), pair_(options), feed_(parts.applier),
      stages_(parts.counters) {}

Stop CoreLoop::run(Recovered recovered) {
  look_at_clocks();
  tick_due_ = now_.steady + tick_every_;
  step(std::move(recovered));
  while (!stop_) go_round();
  parts_.serving_teller.take_back();
  feed_.flush();
  parts_.board.publish({pair_.status(), parts_.socket.counters(), now_.steady});
  return *stop_;
}

void CoreLoop::go_round() {
  parts_.progress.core.fetch_add(1, std::memory_order_relaxed);
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(tick_due_ - steady_now()).count();
  const bool may_sleep = !more_messages_ && parts_.inbox.begin_sleep();
  const int timeout_ms = may_sleep ? static_cast<int>(std::max<std::int64_t>(wait, 0)) : 0;
  // Messages are stepped after the poll, not in its handlers: carrying out an order sends on the same sockets.
  const MemberSocket::Handlers handlers{
      .peer = [this](PeerMessage message) { said_.emplace_back(PeerSaid{std::move(message)}); },
      .requester =
          [this](Route route, RequesterMessage message) {
            const bool frees = disk_full_ && frees_space(message);
            said_.emplace_back(RequesterSaid{route, std::move(message), frees});
          },
      .refused = [this](const std::string& text) { refused(text); }};
  more_messages_ = parts_.socket.poll(timeout_ms, parts_.inbox.fd(), handlers, messages_a_round);
  look_at_clocks();
  parts_.socket.hold_replies();

  // First what the other threads finished: it gives back credits and releases replies.
  parts_.inbox.drain(inputs_);
  for (Input& input : inputs_) take(input);
  inputs_.clear();
  for (Event& event : said_) step(std::move(event));
  said_.clear();
  tick_if_due();

  if (!to_execute_.empty()) parts_.executor.give(to_execute_);
  parts_.socket.release_replies();
  feed_.flush_if_due(now_.steady);
}

void CoreLoop::take(Input& input) {
  if (auto* event = std::get_if<Event>(&input)) return step(std::move(*event));
  if (auto* batch = std::get_if<ExecutedBatch>(&input)) return take_executed(*batch);
  auto& answer = std::get<QueryAnswer>(input);
  parts_.socket.send(answer.route, answer.reply);
}

void CoreLoop::take_executed(ExecutedBatch& batch) {
  // A step before may have reset the executor.
  if (batch.generation != parts_.executor.generation()) return;
  for (const RecordPtr& record : batch.records) feed_.add(record);
  step(Executed{std::move(batch.records)});
}

void CoreLoop::step(Event event) {
  if (stop_) return;
  if (++steps_since_clock_ >= steps_a_clock) look_at_clocks();
  if (const auto* pressure = std::get_if<DiskPressure>(&event)) disk_full_ = pressure->full;
  stages_.comes(event);
  pair_.step(std::move(event), now_, actions_);
  // At once: an order such as ResetExecutor decides what becomes of the next event.
  for (Action& action : actions_) {
    carry_out(action);
    if (stop_) break;  // what follows may depend on what could not be done
  }
  actions_.clear();
}

void CoreLoop::tick_if_due() {
  if (now_.steady < tick_due_) return;
  tick_due_ = now_.steady + tick_every_;
  step(Tick{});
  parts_.board.publish({pair_.status(), parts_.socket.counters(), now_.steady});
}

bool CoreLoop::frees_space(const RequesterMessage& message) const {
  const auto* request = std::get_if<Request>(&message.body);
  if (request == nullptr) return false;
  try {
    return parts_.service.frees_space(request->payload);
  } catch (const std::exception& failure) {
    parts_.log.warning(cat("the service could not say whether a request frees space: ", failure.what()));
    return false;
  }
}

void CoreLoop::look_at_clocks() {
  steps_since_clock_ = 0;
  now_ = read_clocks();
}

void CoreLoop::refused(const std::string& text) {
  ++refused_unlogged_;
  if (now_.steady - refused_logged_ < refused_log_every) return;
  refused_logged_ = now_.steady;
  const auto others = std::exchange(refused_unlogged_, 0) - 1;
  parts_.log.warning(others == 0 ? cat("a message was refused: ", text)
                                 : cat("a message was refused: ", text, " (and ", others, " others)"));
}

}  // namespace pollux
