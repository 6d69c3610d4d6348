// A damaged record is fetched from the peer, if it fits the chain (I12). The last good copy never stops
// silently: it goes on and says what it can't read.
#include "machine.h"

namespace pollux {

void Pair::Machine::on(DamageFound&& event) {
  if (!damaged_.insert(event.lsn).second) return;
  log(Log::Level::error, "the record at LSN " + std::to_string(event.lsn.value) +
                             " is damaged in this member's trail: its peer is asked for a good copy");
  damaged_asked_ = steady();
  send(RecordAsk{event.lsn});
}

void Pair::Machine::on_peer(const Envelope& from, RecordAsk&& message) {
  constexpr std::size_t reads_max = 16;
  static_cast<void>(from);
  if (newer_ || message.lsn.value == 0 || message.lsn > durable_.lsn || peer_reads_.size() >= reads_max) return;
  const std::uint64_t ticket = next_ticket_++;
  peer_reads_[ticket] = PeerRead{PeerRead::For::record, {}, {message.lsn}, steady()};
  out_->push_back(ReadTail{ticket, message.lsn.prev(), 1});
}

void Pair::Machine::on_peer(const Envelope& from, RecordTell&& message) {
  static_cast<void>(from);
  if (!damaged_.contains(message.lsn) || !message.record || message.record->record.lsn != message.lsn) return;
  out_->push_back(RepairRecord{std::move(message.record)});
}

void Pair::Machine::on(RecordRepaired&& event) {
  if (!event.ok) return;
  damaged_.erase(event.lsn);
  log(Log::Level::info, "the record at LSN " + std::to_string(event.lsn.value) + " was repaired from the peer's copy");
}

}  // namespace pollux
