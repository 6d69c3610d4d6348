// Checkpoints and their acknowledgements.
#include <algorithm>

#include "machine.h"

namespace pollux {

void Pair::Machine::on_peer(const Envelope& from, Checkpoint&& message) {
  // Ignore: not from the primary of this epoch, or this member isn't following it record by record.
  if (newer_ || !from_primary(from)) return;
  const bool streaming = role_ == Role::catching_up && phase_ == Phase::tail && !incomplete_;
  if (role_ != Role::backup && !streaming) return;
  primary_heard_ = steady();
  primary_heard_ever_ = true;

  if (message.previous.lsn > executed_.lsn) return acknowledge_checkpoints(executed_);  // a gap: send again from here
  const auto mine = hash_in_memory(message.previous.lsn);
  if (mine && *mine != message.previous.hash) {
    log(Log::Level::error, "a checkpoint does not fit this member's trail at LSN " +
                               std::to_string(message.previous.lsn.value) + ": refused");
    return;
  }
  bool news = false;
  for (const RecordPtr& record : message.records) {
    if (record->record.lsn <= executed_.lsn) {
      const auto known = hash_in_memory(record->record.lsn);
      if (known && *known != record->hash) {
        log(Log::Level::error, "a record does not fit this member's trail at LSN " +
                                   std::to_string(record->record.lsn.value) + ": refused");
        return;
      }
      continue;
    }
    // The codec computed each hash from the one before it, beginning with `previous`; so one that is known
    // to be equal here vouches for all that follow.
    if (record->record.lsn != executed_.lsn.next()) return;
    accept_record(record, true);
    news = true;
  }
  if (streaming && !bound_by_promise()) {
    // The primary has proposed to join this member, and counts on what it acknowledges from here on (I5).
    promised_ = config_.epoch;
    persist(config_);
    promise_ticket_ = persist_ticket_;
  } else if (!news) {
    acknowledge_checkpoints();
  }
  learn_committed(message.committed);
}

void Pair::Machine::acknowledge_checkpoints(std::optional<Position> resend_after) {
  if (newer_) return;
  const bool promised = role_ == Role::catching_up && phase_ == Phase::tail && bound_by_promise() && promise_ticket_ == 0;
  if (role_ == Role::backup || promised) send(CheckpointAck{durable_, resend_after});
}

void Pair::Machine::on_peer(const Envelope& from, CheckpointAck&& message) {
  // Ignore: late, or from a run that has no place in the configuration.
  if (!leads_or_serves() || newer_ || !from_second(from) || from.epoch != config_.epoch) return;
  if (message.durable.lsn > executed_.lsn) return;
  if (message.durable.lsn > acked_.lsn || !second_acked_) {
    const auto mine = hash_in_memory(message.durable.lsn);
    if (!mine || *mine != message.durable.hash) {
      log(Log::Level::error, "an acknowledgement does not fit this member's trail at LSN " +
                                 std::to_string(message.durable.lsn.value) + ": refused");
      return;
    }
    if (message.durable.lsn < acked_.lsn) return;
    acked_ = message.durable;
    second_acked_ = true;
    acked_progress_ = steady();
    sent_ = std::max(sent_, acked_.lsn);
  }
  peer_durable_ = message.durable;
  if (message.resend_after && message.resend_after->lsn >= acked_.lsn && message.resend_after->lsn < sent_) {
    const auto mine = hash_in_memory(message.resend_after->lsn);
    if (mine && *mine == message.resend_after->hash) sent_ = message.resend_after->lsn;
  }
}

}  // namespace pollux
