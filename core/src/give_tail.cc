// Catch-up, giving side: hashes, records and snapshot chunks for a member that returns. Stateless: what was
// asked is read by the disk reader and sent; nothing waits for it.
#include <algorithm>

#include "machine.h"

namespace pollux {

namespace {
constexpr std::size_t peer_reads_max = 16;
constexpr std::size_t hashes_asked_max = 256;
}  // namespace

void Pair::Machine::on_peer(const Envelope& from, HashAsk&& message) {
  if (role_ != Role::primary || newer_ || from.epoch != config_.epoch) return;
  if (message.lsns.size() > hashes_asked_max || peer_reads_.size() >= peer_reads_max) return;
  const std::uint64_t ticket = next_ticket_++;
  peer_reads_[ticket] = PeerRead{PeerRead::For::hashes, {}, message.lsns, steady()};
  out_->push_back(ReadHashes{ticket, std::move(message.lsns)});
}

void Pair::Machine::on(HashesRead&& event) {
  const auto found = peer_reads_.find(event.ticket);
  if (found == peer_reads_.end()) return;
  const PeerRead read = std::move(found->second);
  peer_reads_.erase(found);
  if (read.purpose == PeerRead::For::hashes) {
    // What is executed but not forced yet is history too, for the other member: it must not cut it.
    for (const Lsn lsn : read.lsns) {
      if (lsn <= durable_.lsn || lsn > executed_.lsn) continue;
      if (const auto hash = hash_in_memory(lsn)) event.known.push_back(Position{lsn, *hash});
    }
    send(HashTell{std::move(event.known)});
    return;
  }
  if (read.purpose != PeerRead::For::own_hashes || phase_ != Phase::find) return;
  mine_ = std::move(event.known);
  if (mine_.empty()) return start_snapshot(false);
  // Nothing that is still known here lies between what is common and what differs: no more can be found out.
  const bool news = std::any_of(mine_.begin(), mine_.end(), [this](const Position& position) {
    return !common_known_ || position.lsn > common_low_.lsn;
  });
  if (!news) return found_common(common_low_);
  HashAsk ask;
  for (const Position& position : mine_) ask.lsns.push_back(position.lsn);
  enter(Phase::compare);
  send(std::move(ask));
}

void Pair::Machine::on_peer(const Envelope& from, TailAsk&& message) {
  if (role_ != Role::primary || newer_ || from.epoch != config_.epoch) return;
  peer_durable_ = message.durable;
  if (joining_ && *joining_ == from.from) return;  // its records stream already
  if (message.after.lsn > executed_.lsn) return give_tail(message.after, {}, true);
  const auto mine = hash_in_memory(message.after.lsn);
  if (mine && *mine != message.after.hash) return give_tail(message.after, {}, true);
  const bool in_memory = mine && recent_.position(message.after.lsn).has_value();
  if (!in_memory) {
    if (peer_reads_.size() >= peer_reads_max) return;
    const std::uint64_t ticket = next_ticket_++;
    peer_reads_[ticket] = PeerRead{PeerRead::For::tail, message.after, {}, steady()};
    out_->push_back(ReadTail{ticket, message.after.lsn, options_.tail_chunk_bytes});
    return;
  }
  const auto durable_hash = hash_in_memory(message.durable.lsn);
  const bool durable_fits = message.durable.lsn <= message.after.lsn && durable_hash && *durable_hash == message.durable.hash;
  const bool may_join = message.may_join && config_.solo() && !joining_ && !proposal_ && !handing_ && !stopping_ &&
                        !witness_refused_ && steady() >= rejoin_not_before_ && durable_fits;
  if (may_join) return begin_join(from.from, message.after, message.durable);
  give_tail(message.after,
            recent_.range(message.after.lsn, durable_.lsn, options_.batch_records_max, options_.tail_chunk_bytes), false);
}

void Pair::Machine::give_tail(const Position& after, std::vector<RecordPtr> records, bool gone) {
  send(Tail{after, std::move(records), durable_, committed_, gone});
}

void Pair::Machine::on(TailRead&& event) {
  const auto found = peer_reads_.find(event.ticket);
  if (found == peer_reads_.end()) return;
  const PeerRead read = std::move(found->second);
  peer_reads_.erase(found);
  if (role_ != Role::primary && read.purpose != PeerRead::For::record) return;
  if (read.purpose == PeerRead::For::record) {
    const bool there = !event.records.empty() && event.records.front()->record.lsn == read.lsns.front();
    send(RecordTell{read.lsns.front(), there ? event.records.front() : nullptr});
    return;
  }
  if (event.gone || event.records.empty()) return give_tail(read.after, {}, true);
  // The records must follow what the other member has: their chain says whether they do.
  const RecordPtr& first = event.records.front();
  if (first->record.lsn != read.after.lsn.next() || chain_hash(read.after.hash, first->bytes) != first->hash) {
    return give_tail(read.after, {}, true);
  }
  give_tail(read.after, std::move(event.records), false);
}

void Pair::Machine::on_peer(const Envelope& from, SnapshotAsk&& message) {
  if (role_ != Role::primary || newer_ || from.epoch != config_.epoch) return;
  if (peer_reads_.size() >= peer_reads_max) return;
  const std::uint64_t ticket = next_ticket_++;
  peer_reads_[ticket] = PeerRead{PeerRead::For::snapshot, {}, {}, steady()};
  out_->push_back(ReadSnapshot{ticket, std::move(message.cursor), options_.snapshot_chunk_bytes});
}

void Pair::Machine::on(SnapshotRead&& event) {
  const auto found = peer_reads_.find(event.ticket);
  if (found == peer_reads_.end()) return;
  peer_reads_.erase(found);
  if (role_ != Role::primary || event.failed) return;
  send(std::move(event.chunk));
}

}  // namespace pollux
