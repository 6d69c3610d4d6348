// The requester's session: opened when the first request needs it, and again after it expired.
#include <utility>

#include "pollux/proto/message_codec.h"
#include "requester_loop.h"

namespace pollux {

void Requester::Loop::assign_sync_ids() {
  if (unnumbered_.empty()) return;
  if (session_.none()) return want_session();
  while (!unnumbered_.empty() && window_.make_room()) {
    Call& call = *calls_.at(*unnumbered_.begin());
    unnumbered_.erase(unnumbered_.begin());
    call.sync = {session_, window_.assign()};
    place(call, primary_);
  }
}

void Requester::Loop::want_session() {
  if (opening_ != 0) return;
  auto call = std::make_unique<Call>();
  call->kind = CallKind::open_session;
  call->made = now_;
  call->deadline = SteadyTime::max();
  opening_ = last_number_ + 1;
  admit(std::move(call));
}

void Requester::Loop::on_session(Call& call, RequesterReply&& reply) {
  if (reply.code == Code::ok && !reply.session.none()) {
    session_ = reply.session;
    had_session_ = true;
    window_ = SessionWindow(std::max<std::size_t>(options_.session_window, 1));
    return finish(call, CallReply{});  // the loop gives out sync ids after each round of answers
  }
  finish(call, CallReply{});
  const std::string text =
      "no session: " + (reply.code == Code::ok ? "the answer names none" : reply.payload);
  const Code code = reply.code == Code::ok ? Code::malformed : reply.code;
  while (!unnumbered_.empty()) fail_call(*calls_.at(*unnumbered_.begin()), code, text);
}

void Requester::Loop::lose_session(const SessionId& session) {
  if (session_ == session) session_ = {};
}

void Requester::Loop::close_session() {
  if (session_.none() || primary_ < 0) return;
  send_close(primary_, session_);
}

void Requester::Loop::send_close(int link, const SessionId& session) {
  message_.number = ++last_number_;  // nobody waits for the answer
  message_.body = CloseSession{session};
  static_cast<void>(links_[static_cast<std::size_t>(link)].send(encode(message_)));
}

}  // namespace pollux
