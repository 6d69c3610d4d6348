#include "requester_loop.h"

#include <pthread.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "pollux/core/check.h"
#include "pollux/proto/message_batch.h"
#include "pollux/proto/message_codec.h"

namespace pollux {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t answers_at_a_time = 1024;
constexpr milliseconds look_at_most_every{2};  // calls that become due close together are looked at once
constexpr milliseconds hello_without_primary{100};
constexpr milliseconds hello_at_most_every{20};
constexpr milliseconds close_linger{200};  // what a last CloseSession may take to leave this process
constexpr int high_water_mark = 20000;
constexpr std::uint32_t busy_here_retry_ms = 20;

/// Numbers in the watch.
constexpr std::size_t dealer_of(std::size_t link) { return 2 * link; }

}  // namespace

Requester::Loop::Loop(const PairAddress& address, const RequesterOptions& options)
    : address_(address), options_(options), window_(std::max<std::size_t>(options.session_window, 1)) {
  message_.cluster = address_.cluster;
  message_.pair = address_.pair;
  message_.body = RequesterHello{};
  hello_ = encode(message_);
}

Result<std::unique_ptr<Requester::Loop>> Requester::Loop::start(const PairAddress& address,
                                                                const RequesterOptions& options) {
  if (address.endpoints.empty()) {
    return fail(Code::bad_config, "the pair '" + address.pair + "' has no endpoints");
  }
  if (address.pair.empty() || address.pair.size() > pair_name_bytes_max) {
    return fail(Code::bad_config, "a pair's name has 1 to " + std::to_string(pair_name_bytes_max) + " bytes");
  }
  std::unique_ptr<Loop> loop(new Loop(address, options));
  loop->context_.reset(zmq_ctx_new());
  POLLUX_CHECK_WHY(loop->context_ != nullptr, "no ZeroMQ context");
  for (const std::string& endpoint : address.endpoints) {
    auto link = MemberLink::connect(loop->context_.get(), endpoint, {high_water_mark, message_bytes_max});
    if (!link) return std::unexpected(std::move(link.error()));
    loop->watch_.add(link->socket());
    loop->watch_.add(link->monitor());
    loop->links_.push_back(std::move(*link));
  }
  loop->thread_ = std::thread([raw = loop.get()] { raw->run(); });
  pthread_setname_np(loop->thread_.native_handle(), "pollux-request");
  return loop;
}

Requester::Loop::~Loop() {
  if (!thread_.joinable()) return;
  stopping_.store(true);
  inbox_.wake();
  thread_.join();
}

void Requester::Loop::push(std::unique_ptr<Call> call) { inbox_.push(std::move(call)); }

Requester::Counters Requester::Loop::counters() const {
  return {counters_.sent,     counters_.answered, counters_.retries,  counters_.takeovers_followed,
          counters_.in_doubt, counters_.busy,     counters_.malformed};
}

void Requester::Loop::run() {
  next_due_ = std::chrono::steady_clock::now();  // the first hellos
  while (!stopping_.load(std::memory_order_relaxed)) {
    now_ = std::chrono::steady_clock::now();
    bool worked = take_calls();
    worked = receive_answers() || worked;
    if (now_ >= next_due_) on_time();
    worked = send_queued() || worked;
    if (!worked) wait();
  }
  stop_all();
}

bool Requester::Loop::take_calls() {
  Call* call = inbox_.take();
  if (call == nullptr) return false;
  while (call != nullptr) {
    Call* next = call->inbox_next;
    admit(std::unique_ptr<Call>(call));
    call = next;
  }
  assign_sync_ids();
  return true;
}

bool Requester::Loop::receive_answers() {
  bool any = false;
  if (!std::exchange(just_waited_, false)) watch_.wait(0, -1);
  for (int i = 0; i < static_cast<int>(links_.size()); ++i) {
    MemberLink& link = links_[static_cast<std::size_t>(i)];
    const std::size_t dealer = dealer_of(static_cast<std::size_t>(i)), monitor = dealer + 1;
    const bool came_up = watch_.worth_a_look(monitor) && link.came_up();
    watch_.found_empty(monitor);
    if (came_up) {
      any = true;
      link.refuses.clear();
      link.hello_at = now_;
      due_by(now_);
      // What was on its way over the former connection may be lost.
      if (i == primary_) place_all();
    }
    for (std::size_t count = 0; count < answers_at_a_time && watch_.worth_a_look(dealer); ++count) {
      const auto bytes = link.receive();
      if (!bytes) {
        watch_.found_empty(dealer);
        break;
      }
      any = true;
      const auto messages = for_each_message(*bytes, [&](std::string_view message) { on_bytes(i, message); });
      if (!messages) on_malformed(i, messages.error());
    }
  }
  if (any) assign_sync_ids();
  return any;
}

bool Requester::Loop::send_queued() {
  bool any = false;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    while (!links_[i].to_send.empty() && !links_[i].blocked && send_batch(static_cast<int>(i))) any = true;
  }
  return any;
}

/// Sends as many queued calls in one message as fit; false if there were none, or if they can't be sent now.
bool Requester::Loop::send_batch(int index) {
  MemberLink& link = links_[static_cast<std::size_t>(index)];
  MessageBatch batch;
  sending_.clear();
  for (; !link.to_send.empty() && !batch.full(); link.to_send.pop_front()) {
    const auto found = calls_.find(link.to_send.front());
    // It may have ended, or have been queued for the other member since.
    if (found == calls_.end() || !found->second->queued || found->second->link != index) continue;
    batch.add(bytes_of(*found->second));
    sending_.push_back(found->second.get());
  }
  if (batch.empty()) return false;
  watch_.touched(dealer_of(static_cast<std::size_t>(index)));
  if (!link.send(batch.take())) {
    for (auto call = sending_.rbegin(); call != sending_.rend(); ++call) link.to_send.push_front((*call)->number);
    return false;
  }
  for (Call* call : sending_) was_sent(*call);
  return true;
}

RequesterMessage& Requester::Loop::message_for(Call& call) {
  message_.number = call.number;
  const auto left = std::max(call.deadline - now_, std::chrono::steady_clock::duration(1));
  switch (call.kind) {
    case CallKind::request:
      message_.body = Request{call.sync, window_.ack_below(), call.trace, left, std::move(call.payload)};
      break;
    case CallKind::query:
      message_.body = Query{call.trace, left, std::move(call.payload)};
      break;
    case CallKind::outcome:
      message_.body = OutcomeAsk{call.sync};
      break;
    case CallKind::open_session: {
      // A random id of its own for each attempt: an answer that was lost may have left a session behind.
      OpenSession open;
      fill_random(open.proposed.bytes.data(), open.proposed.bytes.size());
      message_.body = open;
      break;
    }
  }
  return message_;
}

std::string Requester::Loop::bytes_of(Call& call) {
  std::string bytes = encode(message_for(call));
  // The payload was lent to the message.
  if (auto* request = std::get_if<Request>(&message_.body)) call.payload = std::move(request->payload);
  if (auto* query = std::get_if<Query>(&message_.body)) call.payload = std::move(query->payload);
  return bytes;
}

void Requester::Loop::was_sent(Call& call) {
  call.queued = false;
  call.refused = false;
  if (++call.attempts > 1) counters_.retries.fetch_add(1, std::memory_order_relaxed);
  ++call.copies_out;
  call.retry_at = now_ + call.backoff;
  due_by(call.retry_at);
  counters_.sent.fetch_add(1, std::memory_order_relaxed);
}

void Requester::Loop::admit(std::unique_ptr<Call> owned) {
  Call& call = *owned;
  call.number = ++last_number_;
  call.backoff = options_.retry_after;
  const bool crowded = call.kind != CallKind::open_session && calls_.size() >= options_.outstanding_max;
  calls_.emplace(call.number, std::move(owned));
  call.before = last_;
  (last_ == nullptr ? first_ : last_->after) = &call;
  last_ = &call;
  if (crowded) {
    call.retry_after_ms = busy_here_retry_ms;
    return fail_call(call, Code::busy,
                     "this requester has " + std::to_string(options_.outstanding_max) +
                         " calls outstanding already (outstanding_max)");
  }
  if (call.payload.size() > options_.payload_bytes_max) {
    return fail_call(call, Code::too_large,
                     "the payload of " + std::to_string(call.payload.size()) +
                         " bytes is larger than payload_bytes_max (" +
                         std::to_string(options_.payload_bytes_max) + ")");
  }
  due_by(call.deadline);
  if (call.kind == CallKind::request) {
    if (!had_session_) due_by(call.made + options_.connect_within);
    // The usual way is the short one: no others wait, and there is room.
    if (unnumbered_.empty() && !session_.none() && window_.make_room()) {
      call.sync = {session_, window_.assign()};
      place(call, primary_);
    } else {
      unnumbered_.insert(call.number);
    }
  } else {
    place(call, primary_);
  }
}

void Requester::Loop::place(Call& call, int link) {
  call.queued = false;
  call.retry_at = now_ + call.backoff;
  due_by(call.retry_at);
  if (link < 0) return;  // placed when a primary is known
  call.link = link;
  call.queued = true;
  links_[static_cast<std::size_t>(link)].to_send.push_back(call.number);
}

void Requester::Loop::place_all() {
  for (MemberLink& link : links_) link.to_send.clear();
  for (Call* call = first_; call != nullptr; call = call->after) {
    if (call->kind == CallKind::request && call->sync.seq == 0) continue;
    call->backoff = options_.retry_after;
    call->refused = false;
    place(*call, primary_);
  }
}

void Requester::Loop::on_time() {
  next_due_ = SteadyTime::max();
  for (int i = 0; i < static_cast<int>(links_.size()); ++i) {
    MemberLink& link = links_[static_cast<std::size_t>(i)];
    if (now_ >= link.hello_at) ask_who_serves(i);
    due_by(link.hello_at);
  }
  for (Call* call = first_; call != nullptr;) {
    Call& due = *call;
    call = call->after;
    SteadyTime deadline = due.deadline;
    if (due.kind == CallKind::request && due.attempts == 0 && !had_session_) {
      deadline = std::min(deadline, due.made + options_.connect_within);
    }
    if (now_ >= deadline) {
      on_deadline(due);
      continue;
    }
    if (now_ >= due.retry_at) retry(due);
    due_by(std::min(deadline, due.retry_at));
  }
  assign_sync_ids();
  next_due_ = std::max(next_due_, now_ + look_at_most_every);
}

void Requester::Loop::retry(Call& call) {
  const bool was_refused = call.refused;
  if (!was_refused) {
    call.backoff = std::min(call.backoff * 2, std::max(options_.retry_after_max, options_.retry_after));
    ask_the_others();
  }
  if (call.queued) {  // and could not be sent yet
    call.retry_at = now_ + call.backoff;
    return;
  }
  int link = primary_;
  if (!was_refused && primary_ >= 0 && call.attempts % 2 == 1) {
    // No answer: maybe another member is primary by now. If not it refuses, which costs nothing.
    const int other = (primary_ + 1) % static_cast<int>(links_.size());
    if (links_[static_cast<std::size_t>(other)].refuses.empty()) link = other;
  }
  place(call, link);
}

/// Is there room again for what could not be sent? To ask takes in the socket's news of messages.
bool Requester::Loop::unblock_links() {
  bool any = false;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    MemberLink& link = links_[i];
    if (!link.blocked || link.to_send.empty()) continue;
    int events = 0;
    std::size_t size = sizeof events;
    if (zmq_getsockopt(link.socket(), ZMQ_EVENTS, &events, &size) != 0) continue;
    if ((events & ZMQ_POLLIN) != 0) watch_.touched(dealer_of(i));
    if ((events & ZMQ_POLLOUT) != 0) {
      link.blocked = false;
      any = true;
    }
  }
  return any;
}

void Requester::Loop::wait() {
  if (!inbox_.begin_sleep()) return;
  if (!unblock_links()) {
    int timeout_ms = -1;
    if (next_due_ != SteadyTime::max()) {
      const auto left = std::chrono::ceil<milliseconds>(next_due_ - std::chrono::steady_clock::now());
      timeout_ms = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, INT_MAX));
    }
    watch_.wait(timeout_ms, inbox_.fd());
    just_waited_ = true;
  }
  inbox_.end_sleep();
}

void Requester::Loop::finish(Call& call, CallResult result) {
  if (call.number == opening_) opening_ = 0;
  if (!unnumbered_.empty()) unnumbered_.erase(call.number);
  (call.before == nullptr ? first_ : call.before->after) = call.after;
  (call.after == nullptr ? last_ : call.after->before) = call.before;
  const auto found = calls_.find(call.number);
  const std::unique_ptr<Call> owned = std::move(found->second);
  calls_.erase(found);
  if (owned->done) owned->done(std::move(result));
}

void Requester::Loop::fail_call(Call& call, Code code, std::string text, bool with_sync) {
  if (code == Code::busy) counters_.busy.fetch_add(1, std::memory_order_relaxed);
  CallError error{code, std::move(text), with_sync ? call.sync : SyncId{}, call.retry_after_ms};
  finish(call, std::unexpected(std::move(error)));
}

void Requester::Loop::stop_all() {
  // Calls that a CallDone makes now end in the next round.
  do {
    for (Call* call = inbox_.take(); call != nullptr;) {
      Call* next = call->inbox_next;
      admit(std::unique_ptr<Call>(call));
      call = next;
    }
    while (first_ != nullptr) {
      const bool maybe = first_->copies_out > 0 && first_->kind != CallKind::query;
      fail_call(*first_, Code::stopping,
                maybe ? "this requester was closed; the call may have been executed or not"
                      : "this requester was closed; the call was not executed",
                maybe);
    }
  } while (!inbox_.empty());
  close_session();
  for (const MemberLink& link : links_) {
    set_option(link.socket(), ZMQ_LINGER, static_cast<int>(close_linger.count()));
  }
  links_.clear();
}

void Requester::Loop::ask_who_serves(int index) {
  MemberLink& link = links_[static_cast<std::size_t>(index)];
  const milliseconds pause =
      primary_ >= 0 ? options_.hello_every : std::min(options_.hello_every, hello_without_primary);
  link.hello_sent = now_;
  link.hello_at = now_ + pause;
  due_by(link.hello_at);
  watch_.touched(dealer_of(static_cast<std::size_t>(index)));
  static_cast<void>(link.send(std::string(hello_)));  // if it can't be sent now, the next one can
}

void Requester::Loop::ask_the_others() {
  for (int i = 0; i < static_cast<int>(links_.size()); ++i) {
    MemberLink& link = links_[static_cast<std::size_t>(i)];
    if (i == primary_) continue;
    link.hello_at = std::min(link.hello_at, std::max(now_, link.hello_sent + hello_at_most_every));
    due_by(link.hello_at);
  }
}

}  // namespace pollux
