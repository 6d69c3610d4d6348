// Queries: reads of committed state, confirmed with the backup or under a lease (I7).
#include "machine.h"

namespace pollux {

void Pair::Machine::on_requester(Route route, std::uint64_t number, Query&& message) {
  if (message.payload.size() > options_.request_bytes_max) {
    return answer(route, number, Code::too_large, "the query is larger than request_bytes_max");
  }
  RunQuery query{route, number, message.trace, std::move(message.payload), config_.epoch};
  // Solo outside a join nobody else can have led: the epoch would have to be won from this member.
  const bool leased = options_.reads == ReadMode::lease && steady() < lease_until_ && !joining_;
  if (!handing_ && (!needs_backup() || leased)) {
    out_->push_back(std::move(query));
    return;
  }
  if (reads_waiting_.size() + reads_in_round_.size() >= options_.queue_reads_max) {
    return answer(route, number, Code::busy, "too many reads are waiting");
  }
  const Instant deadline = message.deadline > Duration::zero() ? steady() + message.deadline : Instant::max();
  reads_waiting_.push_back(Read{std::move(query), deadline});
  if (reads_in_round_.empty()) start_confirm_round();
}

void Pair::Machine::start_confirm_round() {
  // The round begins after the reads arrived; those that arrive meanwhile wait for the next.
  if (reads_waiting_.empty() || handing_ || newer_) return;
  POLLUX_CHECK(reads_in_round_.empty());
  reads_in_round_.swap(reads_waiting_);
  if (!needs_backup()) {
    hand_out_reads();
    return;
  }
  ++confirm_number_;
  confirm_sent_ = steady();
  send(Confirm{confirm_number_});
}

void Pair::Machine::on_peer(const Envelope& from, Confirm&& message) {
  // Yes only to the primary of the epoch this member stands in, and not once it knows of a newer one.
  if (newer_ || !from_primary(from)) return;
  if (role_ != Role::backup && role_ != Role::catching_up) return;
  send(ConfirmAck{message.number});
}

void Pair::Machine::on_peer(const Envelope& from, ConfirmAck&& message) {
  if (role_ != Role::primary || newer_ || !from_second(from) || from.epoch != config_.epoch) return;
  if (message.number != confirm_number_ || reads_in_round_.empty()) return;
  hand_out_reads();
  start_confirm_round();
}

void Pair::Machine::hand_out_reads() {
  for (Read& read : reads_in_round_) {
    read.query.epoch = config_.epoch;  // the one just confirmed: it may be newer than the read
    out_->push_back(std::move(read.query));
  }
  reads_in_round_.clear();
}

}  // namespace pollux
