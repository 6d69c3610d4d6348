// What the members answer, and what follows from it: who serves, what is tried again, what callers are told.
#include <algorithm>
#include <utility>

#include "pollux/proto/message_codec.h"
#include "requester_loop.h"

namespace pollux {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds refused_pause{20};

bool is_answer_of_service(Code code) {
  return code == Code::ok || (code >= Code::not_found && code < Code::io_error);
}

}  // namespace

void Requester::Loop::on_bytes(int index, std::string_view bytes) {
  auto reply = decode_reply(bytes);
  MemberLink& link = links_[static_cast<std::size_t>(index)];
  if (!reply) return on_malformed(index, reply.error());
  if (reply->number != 0) return on_answer(index, std::move(*reply));
  if (reply->code == Code::ok) {
    link.refuses.clear();
    learn(index, *reply);
  } else {
    link.refuses = reply->payload;
    link.refusal = reply->code;
    problem_ = link.endpoint() + ": " + reply->payload;
  }
}

void Requester::Loop::on_malformed(int index, const Error& error) {
  counters_.malformed.fetch_add(1, std::memory_order_relaxed);
  problem_ = links_[static_cast<std::size_t>(index)].endpoint() + ": " + error.text;
}

void Requester::Loop::learn(int link, const RequesterReply& reply) {
  if (reply.epoch.value == 0) return;  // not said by a member that knows
  const bool stale = reply.epoch < epoch_ && now_ - primary_heard_ < options_.epoch_memory;
  if (stale) return;
  if (reply.serving) return on_primary(link, reply);
  epoch_ = std::max(epoch_, reply.epoch);
  if (primary_ != link) return;
  primary_ = -1;
  for (MemberLink& each : links_) each.to_send.clear();
  for (Call* call = first_; call != nullptr; call = call->after) call->queued = false;
  ask_the_others();
}

void Requester::Loop::on_primary(int link, const RequesterReply& reply) {
  epoch_ = reply.epoch;
  primary_heard_ = now_;
  // The same run in a new epoch (alone, or joined by its backup) goes on with what it has.
  const bool same = primary_ == link && run_ == reply.primary;
  if (same) return;
  if (last_primary_ >= 0) counters_.takeovers_followed.fetch_add(1, std::memory_order_relaxed);
  primary_ = last_primary_ = link;
  run_ = reply.primary;
  place_all();
  assign_sync_ids();
}

void Requester::Loop::on_answer(int link, RequesterReply&& reply) {
  learn(link, reply);
  const auto found = calls_.find(reply.number);
  if (found == calls_.end()) {
    // An OpenSession that was sent twice opened two sessions: the pair need not keep the second.
    if (!reply.session.none() && reply.session != session_) send_close(link, reply.session);
    return;
  }
  Call& call = *found->second;
  const milliseconds come_back(std::max<std::uint32_t>(reply.retry_after_ms, 1));
  switch (reply.code) {
    case Code::not_primary:
    case Code::stopping:
      return refused(call, std::move(reply), refused_pause);
    case Code::busy:
      return refused(call, std::move(reply), come_back);
    case Code::window_exceeded:
      return refused(call, std::move(reply), refused_pause);
    case Code::full:
      if (call.kind == CallKind::request && call.copies_out <= 1) break;
      return refused(call, std::move(reply), come_back);
    case Code::session_expired:
      if (call.kind == CallKind::request) return on_session_expired(call, std::move(reply));
      break;
    default:
      break;
  }
  if (call.kind == CallKind::open_session) return on_session(call, std::move(reply));
  if (call.sync.session == session_) window_.settle(call.sync.seq);
  counters_.answered.fetch_add(1, std::memory_order_relaxed);
  if (is_answer_of_service(reply.code)) {
    return finish(call, CallReply{reply.code, std::move(reply.payload), call.sync, reply.lsn, call.attempts});
  }
  call.retry_after_ms = reply.retry_after_ms;
  fail_call(call, reply.code, std::move(reply.payload));
}

void Requester::Loop::refused(Call& call, RequesterReply&& reply, milliseconds pause) {
  if (call.copies_out > 0) --call.copies_out;
  call.refused = true;
  call.refusal = reply.code;
  call.refusal_text = std::move(reply.payload);
  call.retry_after_ms = reply.retry_after_ms;
  if (call.queued) return;  // for a primary that has just been found
  const bool elsewhere = reply.code == Code::not_primary && primary_ >= 0 && call.link != primary_;
  if (elsewhere) return place(call, primary_);
  if (reply.code == Code::not_primary) ask_the_others();
  call.retry_at = now_ + pause;
  due_by(call.retry_at);
}

void Requester::Loop::on_session_expired(Call& call, RequesterReply&& reply) {
  if (call.copies_out > 0) --call.copies_out;
  lose_session(call.sync.session);
  if (call.copies_out > 0) {
    return fail_call(
        call, Code::session_expired,
        "the call was sent more than once and may have been executed, but its session has expired and "
        "can't tell: look at what the service holds (" +
            reply.payload + ")",
        true);
  }
  // The only copy was refused: it was not executed, and may go into a new session.
  call.sync = {};
  call.queued = false;
  call.retry_at = SteadyTime::max();
  unnumbered_.insert(call.number);
}

void Requester::Loop::on_deadline(Call& call) {
  if (call.copies_out > 0 && (call.kind == CallKind::request || call.kind == CallKind::outcome)) {
    if (call.kind == CallKind::request && call.sync.session == session_) window_.doubt(call.sync.seq);
    counters_.in_doubt.fetch_add(1, std::memory_order_relaxed);
    return fail_call(call, Code::in_doubt,
                     "no answer before the deadline: ask for the outcome of its sync id", true);
  }
  if (call.kind == CallKind::outcome) {
    return fail_call(call, Code::in_doubt, "the outcome is not known yet: " + no_primary_text(), true);
  }
  // No copy of it is on its way: it never will be executed.
  if (call.kind == CallKind::request && call.sync.session == session_) window_.settle(call.sync.seq);
  if (call.refusal == Code::full) return fail_call(call, Code::full, std::move(call.refusal_text));
  if (call.refusal == Code::busy || call.refusal == Code::window_exceeded) {
    return fail_call(call, Code::busy, "not accepted before the deadline: " + call.refusal_text);
  }
  if (primary_ < 0 || call.attempts == 0) return fail_call(call, no_primary_code(), no_primary_text());
  fail_call(call, Code::deadline_exceeded, "no answer before the deadline; nothing was changed");
}

/// What all members refuse us for, such as the name of a pair that nobody has; else `unreachable`.
Code Requester::Loop::no_primary_code() const {
  const Code code = links_.front().refusal;
  const bool all = std::ranges::all_of(
      links_, [code](const MemberLink& link) { return !link.refuses.empty() && link.refusal == code; });
  return all ? code : Code::unreachable;
}

std::string Requester::Loop::no_primary_text() const {
  std::string text = "no primary of the pair '" + address_.pair + "' answers at";
  for (const MemberLink& link : links_) text += " " + link.endpoint();
  text += ": check that its members run";
  if (!problem_.empty()) text += "; last problem: " + problem_;
  return text;
}

}  // namespace pollux
