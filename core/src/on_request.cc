// Requests: sessions, sync ids, admission, outcomes.
#include <algorithm>

#include "machine.h"

namespace pollux {

void Pair::Machine::on(RequesterSaid&& event) {
  const Route route = event.route;
  const std::uint64_t number = event.message.number;
  // Ignore what is not for us, with a clear answer.
  if (event.message.cluster != options_.cluster) {
    return answer(route, number, Code::wrong_cluster,
                  "this is cluster " + to_string(options_.cluster) + ": check the requester's configuration");
  }
  if (event.message.pair != options_.pair) {
    return answer(route, number, Code::unknown_pair, "this member belongs to the pair '" + options_.pair + "'");
  }
  if (std::holds_alternative<RequesterHello>(event.message.body)) {
    RequesterReply reply = who_serves();
    reply.number = number;
    out_->push_back(SendReply{route, std::move(reply)});
    return;
  }
  if (stopping_) return answer(route, number, Code::stopping, "this member is shutting down");
  if (!leads_or_serves()) return answer(route, number, Code::not_primary, "this member is not primary");
  if (role_ == Role::leading || newer_) {
    // Session look-ups wait until this primary's first record is committed (I9), and until it is known whether
    // it still is one.
    if (parked_.size() >= options_.queue_requests_max) {
      return answer(route, number, Code::busy, "a new primary is about to serve");
    }
    parked_.push_back(std::move(event));
    return;
  }
  std::visit(
      [&](auto&& body) {
        if constexpr (std::is_same_v<std::decay_t<decltype(body)>, Request>) {
          on_requester(route, number, std::forward<decltype(body)>(body), event.frees_space);
        } else if constexpr (!std::is_same_v<std::decay_t<decltype(body)>, RequesterHello>) {
          on_requester(route, number, std::forward<decltype(body)>(body));
        }
      },
      std::move(event.message.body));
}

RequesterReply Pair::Machine::who_serves() const {
  RequesterReply reply;
  reply.epoch = config_.epoch;
  if (config_.epoch.value > 0) reply.primary = config_.primary.run;
  reply.serving = role_ == Role::primary && serving_ && !newer_;
  return reply;
}

RequesterReply Pair::Machine::reply_of(std::uint64_t number, Code code, std::string payload) const {
  RequesterReply reply = who_serves();
  reply.number = number;
  reply.code = code;
  reply.payload = std::move(payload);
  return reply;
}

void Pair::Machine::answer(Route route, std::uint64_t number, Code code, std::string text) {
  RequesterReply reply = reply_of(number, code, std::move(text));
  if (code == Code::busy || code == Code::full) reply.retry_after_ms = options_.busy_retry_ms;
  out_->push_back(SendReply{route, std::move(reply)});
}

void Pair::Machine::answer_after(Lsn barrier, Route route, RequesterReply reply) {
  POLLUX_CHECK(replies_.empty() || replies_.back().barrier <= barrier);
  replies_.push_back(Waiting{barrier, route, std::move(reply)});
}

// For an answer that tells of this pair's records: it leaves with the last of them that it may tell of. What is said
// before work begins (busy, full, too far ahead, malformed) tells of none.
void Pair::Machine::answer_after_all(Route route, std::uint64_t number, Code code, std::string text) {
  answer_after(executed_.lsn, route, reply_of(number, code, std::move(text)));
}

void Pair::Machine::turn_away_callers(Code code, const std::string& text) {
  // Their requests were not executed, or their outcome will be found by sync id at the new primary. Replies
  // that wait for a commit position are forgotten, not sent.
  for (const Queued& queued : queue_) {
    const auto found = in_flight_.find(queued.sync);
    if (found == in_flight_.end()) continue;
    for (const Caller& caller : found->second) answer(caller.route, caller.number, code, text);
  }
  for (const RequesterSaid& parked : parked_) answer(parked.route, parked.message.number, code, text);
  for (auto* reads : {&reads_waiting_, &reads_in_round_}) {
    for (const Read& read : *reads) answer(read.query.route, read.query.number, code, text);
    reads->clear();
  }
  queue_.clear();
  queue_bytes_ = 0;
  parked_.clear();
  replies_.clear();
  in_flight_.clear();
  in_flight_of_session_.clear();
}

bool Pair::Machine::admit(Route route, std::uint64_t number, const SyncId& sync, std::size_t payload_bytes) {
  // A retry of what is under way: answer every caller when it is done.
  if (const auto found = in_flight_.find(sync); found != in_flight_.end() && sync.seq != 0) {
    for (Caller& caller : found->second) {
      if (caller.route == route) {
        caller.number = number;
        return false;
      }
    }
    found->second.push_back(Caller{route, number});
    return false;
  }
  if (queue_.size() >= options_.queue_requests_max || queue_bytes_ + payload_bytes > options_.queue_bytes_max) {
    answer(route, number, Code::busy, "the queue of this pair is full");
    return false;
  }
  in_flight_[sync].push_back(Caller{route, number});
  ++in_flight_of_session_[sync.session];
  return true;
}

void Pair::Machine::on_requester(Route route, std::uint64_t number, OpenSession&& message) {
  if (message.proposed.none() || sessions_.find(message.proposed) != nullptr) {
    return answer_after_all(route, number, Code::malformed, "a session needs a random id of its own");
  }
  if (sessions_.size() + in_flight_of_session_.size() >= options_.sessions_max) {
    expire_sessions();
    if (sessions_.size() + in_flight_of_session_.size() >= options_.sessions_max) {
      return answer(route, number, Code::busy, "too many sessions are open: raise sessions_max or close some");
    }
  }
  const SyncId sync{message.proposed, 0};
  if (in_flight_.contains(sync)) return;
  // Who is to delete needs a session; past the second mark nobody can. To close one, or to ask for an outcome, makes
  // a record of a few bytes: that is how callers come to an end, and goes on.
  if (disk_exhausted_) return answer(route, number, Code::full, "the disk is full: no session is opened");
  if (!admit(route, number, sync, 0)) return;
  Queued queued;
  queued.kind = RecordKind::session_opened;
  queued.sync = sync;
  queue_.push_back(std::move(queued));
}

void Pair::Machine::on_requester(Route route, std::uint64_t number, CloseSession&& message) {
  const SyncId sync{message.session, 0};
  if (sessions_.find(message.session) == nullptr) {
    return answer_after_all(route, number, Code::session_expired, "this session is not open");
  }
  if (in_flight_of_session_.contains(message.session)) {
    return answer(route, number, Code::busy, "this session is in use: close it when its calls are answered");
  }
  if (!admit(route, number, sync, 0)) return;
  Queued queued;
  queued.kind = RecordKind::session_closed;
  queued.sync = sync;
  queue_.push_back(std::move(queued));
}

void Pair::Machine::on_requester(Route route, std::uint64_t number, Request&& message, bool frees_space) {
  const Session* session = sessions_.find(message.sync.session);
  if (session == nullptr) {
    return answer_after_all(route, number, Code::session_expired, "this session is unknown or has expired: open a new one");
  }
  const std::uint64_t seq = message.sync.seq;
  if (seq == 0 || message.ack_below > seq) {
    return answer(route, number, Code::malformed, "sequence numbers start at 1 and are not below ack_below");
  }
  if (seq < session->ack_below) {
    return answer_after_all(route, number, Code::sync_id_too_old, "the reply of this request is no longer kept");
  }
  if (const auto seen = session->replies.find(seq); seen != session->replies.end()) {
    RequesterReply reply = reply_of(number, seen->second.code, seen->second.reply);
    reply.lsn = seen->second.lsn;
    return answer_after(executed_.lsn, route, std::move(reply));
  }
  if (in_flight_.contains(message.sync)) {
    static_cast<void>(admit(route, number, message.sync, 0));
    return;
  }
  // The end of this session is on its way to the executor: behind it a request would be executed, and its reply
  // kept nowhere.
  if (in_flight_.contains(SyncId{message.sync.session, 0})) {
    return answer(route, number, Code::busy, "this session is being closed: come back for a new one");
  }
  // What this very request acknowledges makes room for it.
  const std::uint64_t below = std::max(session->ack_below, message.ack_below);
  if (seq - below >= options_.session_window || session->reply_bytes >= options_.session_reply_bytes_max) {
    return answer(route, number, Code::window_exceeded, "too far ahead of what this session has acknowledged");
  }
  if (message.payload.size() > options_.request_bytes_max) {
    return answer(route, number, Code::too_large,
                  "the request is larger than request_bytes_max (" + std::to_string(options_.request_bytes_max) + ")");
  }
  if (disk_exhausted_) return answer(route, number, Code::full, "the disk is full: nothing is executed");
  if (disk_full_ && !frees_space) {
    return answer(route, number, Code::full, "the disk is nearly full: only what frees space is executed");
  }
  if (!admit(route, number, message.sync, message.payload.size())) return;

  Queued queued;
  queued.kind = RecordKind::request;
  queued.sync = message.sync;
  queued.ack_below = message.ack_below;
  queued.trace = message.trace;
  if (quarantined_.contains(message.sync)) {
    queued.verdict = Code::quarantined;
  } else {
    queued.payload = std::move(message.payload);
    if (message.deadline > Duration::zero()) queued.deadline = steady() + message.deadline;
  }
  queue_bytes_ += queued.payload.size();
  queue_.push_back(std::move(queued));
}

void Pair::Machine::on_requester(Route route, std::uint64_t number, OutcomeAsk&& message) {
  const Session* session = sessions_.find(message.sync.session);
  if (session == nullptr) {
    return answer_after_all(route, number, Code::session_expired, "this session has expired: the outcome is no longer known");
  }
  const std::uint64_t seq = message.sync.seq;
  if (seq == 0) return answer(route, number, Code::malformed, "sequence numbers start at 1");
  if (seq < session->ack_below) {
    return answer_after_all(route, number, Code::sync_id_too_old, "the outcome of this request is no longer kept");
  }
  if (const auto seen = session->replies.find(seq); seen != session->replies.end()) {
    RequesterReply reply = reply_of(number, seen->second.code, seen->second.reply);
    reply.lsn = seen->second.lsn;
    return answer_after(executed_.lsn, route, std::move(reply));
  }
  // An ask acknowledges nothing, and must not wait for a request that does: it has a window of its own.
  if (seq - session->ack_below >= 2 * options_.session_window) {
    return answer(route, number, Code::window_exceeded, "too far ahead of what this session has acknowledged");
  }
  // Under way: its caller hears when it is done. Never seen: from now on it can't execute.
  if (!admit(route, number, message.sync, 0)) return;
  Queued queued;
  queued.kind = RecordKind::tombstone;
  queued.sync = message.sync;
  queued.verdict = Code::tombstone;
  queue_.push_back(std::move(queued));
}

/// How long a session has not been used. Record times never go back: after a wall clock that was far ahead for a while
/// they stand still in what is the future now, and say nothing. Such sessions are watched by the steady clock.
std::int64_t Pair::Machine::idle_us(const SessionId& id, const Session& session) {
  const std::int64_t for_us = now_.wall.us - session.last_used.us;
  if (for_us >= 0) return for_us;
  const Lsn newest = session.replies.empty() ? Lsn{} : std::prev(session.replies.end())->second.lsn;
  const auto [found, fresh] = ahead_.try_emplace(id, Ahead{newest, session.ack_below, steady()});
  Ahead& ahead = found->second;
  if (ahead.newest != newest || ahead.ack_below != session.ack_below) ahead = {newest, session.ack_below, steady()};
  return std::chrono::duration_cast<std::chrono::microseconds>(steady() - ahead.since).count();
}

void Pair::Machine::expire_sessions() {
  // Oldest first; a few at a time, so that the records of requests are not held up.
  constexpr std::size_t at_a_time = 16;
  const std::int64_t idle_max_us = std::chrono::duration_cast<std::chrono::microseconds>(options_.session_idle).count();
  std::erase_if(ahead_, [this](const auto& each) {
    const Session* session = sessions_.find(each.first);
    return session == nullptr || session->last_used <= now_.wall;
  });
  const bool crowded = sessions_.size() + in_flight_of_session_.size() >= options_.sessions_max;
  const std::int64_t crowded_max_us = std::min<std::int64_t>(idle_max_us, 60'000'000);
  std::vector<std::pair<WallTime, SessionId>> idle;
  for (const auto& [id, session] : sessions_.all()) {
    if (in_flight_of_session_.contains(id)) continue;
    if (idle_us(id, session) < (crowded ? crowded_max_us : idle_max_us)) continue;
    idle.emplace_back(session.last_used, id);
  }
  std::sort(idle.begin(), idle.end());
  if (idle.size() > at_a_time) idle.resize(at_a_time);
  for (const auto& [used, id] : idle) {
    Queued queued;
    queued.kind = RecordKind::session_closed;
    queued.sync = SyncId{id, 0};
    in_flight_[queued.sync];
    ++in_flight_of_session_[id];
    queue_.push_back(std::move(queued));
  }
}

}  // namespace pollux
