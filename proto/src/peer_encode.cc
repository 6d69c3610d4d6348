// Peer messages to bytes. The records of checkpoints and tails are appended as they are stored.
#include <google/protobuf/io/coded_stream.h>

#include <span>

#include "fields.h"
#include "frame.h"
#include "peer.pb.h"
#include "pollux/core/check.h"
#include "pollux/proto/message_codec.h"
#include "pollux/proto/record_codec.h"
#include "scratch.h"

namespace pollux {
namespace {

using google::protobuf::io::CodedOutputStream;

void put_text(const std::string& from, std::string* to) {
  POLLUX_CHECK_WHY(from.size() <= text_bytes_max, "a text above its limit");
  *to = from;
}

void put(const PeerHello& from, wire::PeerMessage* message) {
  wire::PeerHello* to = message->mutable_hello();
  put_id(from.boot, to->mutable_boot());
  put_position(from.durable, to->mutable_durable());
  to->set_applied(from.applied.value);
  to->set_catching_up(from.catching_up);
  put_configuration(from.configuration, to->mutable_configuration());
  put_text(from.death_sign, to->mutable_death_sign());
}

void put(const Heartbeat& from, wire::PeerMessage* message) {
  wire::Heartbeat* to = message->mutable_heartbeat();
  to->set_number(from.number);
  put_id(from.boot, to->mutable_boot());
  put_configuration(from.configuration, to->mutable_configuration());
  put_position(from.committed, to->mutable_committed());
  put_text(from.death_sign, to->mutable_death_sign());
}

void put(const HeartbeatAck& from, wire::PeerMessage* message) {
  wire::HeartbeatAck* to = message->mutable_heartbeat_ack();
  to->set_number(from.number);
  put_id(from.boot, to->mutable_boot());
  put_position(from.durable, to->mutable_durable());
  to->set_applied(from.applied.value);
  put_text(from.death_sign, to->mutable_death_sign());
}

void put(const Checkpoint& from, wire::PeerMessage* message) {
  wire::Checkpoint* to = message->mutable_checkpoint();
  put_position(from.previous, to->mutable_previous());
  put_position(from.committed, to->mutable_committed());
}

void put(const CheckpointAck& from, wire::PeerMessage* message) {
  wire::CheckpointAck* to = message->mutable_checkpoint_ack();
  put_position(from.durable, to->mutable_durable());
  if (from.resend_after) put_position(*from.resend_after, to->mutable_resend_after());
}

void put(const Confirm& from, wire::PeerMessage* message) {
  message->mutable_confirm()->set_number(from.number);
}
void put(const ConfirmAck& from, wire::PeerMessage* message) {
  message->mutable_confirm_ack()->set_number(from.number);
}

void put(const HashAsk& from, wire::PeerMessage* message) {
  POLLUX_CHECK(from.lsns.size() <= message_lsns_max);
  wire::HashAsk* to = message->mutable_hash_ask();
  for (const Lsn lsn : from.lsns) to->add_lsns(lsn.value);
}

void put(const HashTell& from, wire::PeerMessage* message) {
  POLLUX_CHECK(from.known.size() <= message_lsns_max);
  wire::HashTell* to = message->mutable_hash_tell();
  for (const Position& position : from.known) put_position(position, to->add_known());
}

void put(const TailAsk& from, wire::PeerMessage* message) {
  wire::TailAsk* to = message->mutable_tail_ask();
  put_position(from.after, to->mutable_after());
  put_position(from.durable, to->mutable_durable());
  to->set_may_join(from.may_join);
}

void put(const Tail& from, wire::PeerMessage* message) {
  wire::Tail* to = message->mutable_tail();
  put_position(from.previous, to->mutable_previous());
  put_position(from.last, to->mutable_last());
  put_position(from.committed, to->mutable_committed());
  to->set_gone(from.gone);
}

void put(const SnapshotAsk& from, wire::PeerMessage* message) {
  put_text(from.cursor, message->mutable_snapshot_ask()->mutable_cursor());
}

void put(const SnapshotTell& from, wire::PeerMessage* message) {
  POLLUX_CHECK(from.rows.size() <= record_changes_max);
  wire::SnapshotTell* to = message->mutable_snapshot_tell();
  put_text(from.cursor, to->mutable_cursor());
  put_position(from.tag, to->mutable_tag());
  to->set_time_us(from.time.us);
  for (const Change& row : from.rows) put_change(row, to->add_rows());
  put_text(from.next, to->mutable_next());
}

void put(const RecordAsk& from, wire::PeerMessage* message) {
  message->mutable_record_ask()->set_lsn(from.lsn.value);
}

void put(const RecordTell& from, wire::PeerMessage* message) {
  wire::RecordTell* to = message->mutable_record_tell();
  to->set_lsn(from.lsn.value);
  if (from.record == nullptr) return;
  POLLUX_CHECK(from.record->record.lsn == from.lsn);
  to->set_record(from.record->bytes.data(), from.record->bytes.size());
  to->set_hash(from.record->hash.bytes.data(), from.record->hash.bytes.size());
}

void put(const ConfigurationNews& from, wire::PeerMessage* message) {
  put_configuration(from.configuration, message->mutable_configuration_news()->mutable_configuration());
}

void put(const AdoptAsk& from, wire::PeerMessage* message) {
  wire::AdoptAsk* to = message->mutable_adopt_ask();
  to->set_number(from.number);
  put_id(from.witness, to->mutable_witness());
}
void put(const AdoptPledge& from, wire::PeerMessage* message) {
  wire::AdoptPledge* to = message->mutable_adopt_pledge();
  to->set_number(from.number);
  put_position(from.holds, to->mutable_holds());
  to->set_exact(from.exact);
}

std::span<const RecordPtr> records_of(const PeerBody& body) {
  if (const auto* checkpoint = std::get_if<Checkpoint>(&body)) return checkpoint->records;
  if (const auto* tail = std::get_if<Tail>(&body)) return tail->records;
  return {};
}

// A field of PeerMessage in protobuf's encoding: tag, length, bytes. Fields may stand in any order.
constexpr std::uint8_t records_tag = wire::PeerMessage::kRecordsFieldNumber << 3 | 2;
static_assert(wire::PeerMessage::kRecordsFieldNumber < 16);

std::size_t encoded_bytes(std::span<const RecordPtr> records) {
  POLLUX_CHECK_WHY(records.size() <= message_records_max, "too many records for one message");
  std::size_t bytes = 0;
  for (const RecordPtr& record : records) {
    POLLUX_CHECK(record->bytes.size() <= record_bytes_max);
    bytes += 1 + CodedOutputStream::VarintSize32(static_cast<std::uint32_t>(record->bytes.size())) +
             record->bytes.size();
  }
  return bytes;
}

void append(std::span<const RecordPtr> records, std::string* bytes) {
  for (const RecordPtr& record : records) {
    std::uint8_t head[1 + 5] = {records_tag};
    const std::uint8_t* end =
        CodedOutputStream::WriteVarint32ToArray(static_cast<std::uint32_t>(record->bytes.size()), head + 1);
    bytes->append(reinterpret_cast<const char*>(head), static_cast<std::size_t>(end - head));
    bytes->append(record->bytes);
  }
}

}  // namespace

std::string encode(const PeerMessage& message) {
  const Envelope& envelope = message.envelope;
  POLLUX_CHECK(envelope.pair.size() <= pair_name_bytes_max);
  Scratch<wire::PeerMessage> to;
  put_id(envelope.cluster, to->mutable_cluster());
  to->set_pair(envelope.pair);
  to->set_generation(envelope.generation.value);
  put_id(envelope.from.incarnation, to->mutable_incarnation());
  put_id(envelope.from.run, to->mutable_run());
  to->set_epoch(envelope.epoch.value);
  std::visit([&](const auto& body) { put(body, &*to); }, message.body);

  const std::span<const RecordPtr> records = records_of(message.body);
  std::string bytes;
  append_frame(MessageKind::peer, &bytes);
  to.append_to(&bytes, encoded_bytes(records));
  append(records, &bytes);
  POLLUX_CHECK_WHY(bytes.size() <= message_bytes_max, "a message above its limit");
  return bytes;
}

}  // namespace pollux
