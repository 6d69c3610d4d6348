// Bytes to peer messages.
#include <utility>

#include "fields.h"
#include "frame.h"
#include "peer.pb.h"
#include "pollux/proto/message_codec.h"
#include "pollux/proto/record_codec.h"
#include "scratch.h"

namespace pollux {
namespace {

// Each `read` takes one body apart; what is wrong with single fields is left to `fields`.

PeerHello read(wire::PeerHello* from, Fields* fields) {
  PeerHello to;
  fields->id(from->boot(), &to.boot, "hello.boot");
  fields->position(from->durable(), &to.durable, "hello.durable");
  to.applied.value = from->applied();
  to.catching_up = from->catching_up();
  fields->configuration(from->configuration(), &to.configuration);
  fields->text(from->mutable_death_sign(), &to.death_sign, "hello.death_sign");
  return to;
}

Heartbeat read(wire::Heartbeat* from, Fields* fields) {
  Heartbeat to;
  to.number = from->number();
  fields->id(from->boot(), &to.boot, "heartbeat.boot");
  fields->configuration(from->configuration(), &to.configuration);
  fields->position(from->committed(), &to.committed, "heartbeat.committed");
  fields->text(from->mutable_death_sign(), &to.death_sign, "heartbeat.death_sign");
  return to;
}

HeartbeatAck read(wire::HeartbeatAck* from, Fields* fields) {
  HeartbeatAck to;
  to.number = from->number();
  fields->id(from->boot(), &to.boot, "heartbeat_ack.boot");
  fields->position(from->durable(), &to.durable, "heartbeat_ack.durable");
  to.applied.value = from->applied();
  fields->text(from->mutable_death_sign(), &to.death_sign, "heartbeat_ack.death_sign");
  return to;
}

Checkpoint read(const wire::Checkpoint& from, Fields* fields) {
  Checkpoint to;
  fields->position(from.previous(), &to.previous, "checkpoint.previous");
  fields->position(from.committed(), &to.committed, "checkpoint.committed");
  return to;
}

CheckpointAck read(const wire::CheckpointAck& from, Fields* fields) {
  CheckpointAck to;
  fields->position(from.durable(), &to.durable, "checkpoint_ack.durable");
  if (from.has_resend_after()) {
    fields->position(from.resend_after(), &to.resend_after.emplace(), "checkpoint_ack.resend_after");
  }
  return to;
}

HashAsk read(const wire::HashAsk& from, Fields* fields) {
  HashAsk to;
  fields->require(static_cast<std::size_t>(from.lsns_size()) <= message_lsns_max, "number of hash_ask.lsns");
  if (!fields->ok()) return to;
  to.lsns.reserve(static_cast<std::size_t>(from.lsns_size()));
  for (const std::uint64_t lsn : from.lsns()) to.lsns.push_back(Lsn{lsn});
  return to;
}

HashTell read(const wire::HashTell& from, Fields* fields) {
  HashTell to;
  fields->require(static_cast<std::size_t>(from.known_size()) <= message_lsns_max,
                  "number of hash_tell.known");
  if (!fields->ok()) return to;
  to.known.reserve(static_cast<std::size_t>(from.known_size()));
  for (const wire::Position& position : from.known()) {
    fields->position(position, &to.known.emplace_back(), "hash_tell.known");
  }
  return to;
}

TailAsk read(const wire::TailAsk& from, Fields* fields) {
  TailAsk to;
  fields->position(from.after(), &to.after, "tail_ask.after");
  fields->position(from.durable(), &to.durable, "tail_ask.durable");
  to.may_join = from.may_join();
  return to;
}

Tail read(const wire::Tail& from, Fields* fields) {
  Tail to;
  fields->position(from.previous(), &to.previous, "tail.previous");
  fields->position(from.last(), &to.last, "tail.last");
  fields->position(from.committed(), &to.committed, "tail.committed");
  to.gone = from.gone();
  return to;
}

SnapshotTell read(wire::SnapshotTell* from, Fields* fields) {
  SnapshotTell to;
  fields->text(from->mutable_cursor(), &to.cursor, "snapshot_tell.cursor");
  fields->position(from->tag(), &to.tag, "snapshot_tell.tag");
  to.time.us = from->time_us();
  fields->changes(from->mutable_rows(), &to.rows);
  fields->text(from->mutable_next(), &to.next, "snapshot_tell.next");
  return to;
}

Result<RecordTell> read(wire::RecordTell* from, Fields* fields) {
  RecordTell to;
  to.lsn.value = from->lsn();
  if (!from->has_record()) return to;
  Hash hash;
  fields->require(!from->hash().empty(), "record_tell.hash");
  fields->hash(from->hash(), &hash, "record_tell.hash");
  auto record = unseal_with_hash(from->record(), hash);
  if (!record) return std::unexpected(std::move(record.error()));
  fields->require((*record)->record.lsn == to.lsn, "record_tell.lsn");
  to.record = std::move(*record);
  return to;
}

Result<std::vector<RecordPtr>> read_records(google::protobuf::RepeatedPtrField<std::string>* from,
                                            const Position& previous) {
  std::vector<RecordPtr> records;
  if (static_cast<std::size_t>(from->size()) > message_records_max) {
    return fail(Code::malformed, "malformed peer message: " + std::to_string(from->size()) +
                                     " records, more than the limit of " +
                                     std::to_string(message_records_max));
  }
  records.reserve(static_cast<std::size_t>(from->size()));
  Position last = previous;
  for (const std::string& bytes : *from) {
    auto record = unseal(bytes, last.hash);
    if (!record) return std::unexpected(std::move(record.error()));
    if ((*record)->record.lsn != last.lsn.next()) {
      return fail(Code::malformed, "malformed peer message: LSN " +
                                       std::to_string((*record)->record.lsn.value) + " follows LSN " +
                                       std::to_string(last.lsn.value));
    }
    last = (*record)->position();
    records.push_back(std::move(*record));
  }
  return records;
}

Result<PeerBody> read_body(wire::PeerMessage* message, Fields* fields) {
  switch (message->body_case()) {
    case wire::PeerMessage::kCheckpoint: {
      Checkpoint checkpoint = read(message->checkpoint(), fields);
      auto records = read_records(message->mutable_records(), checkpoint.previous);
      if (!records) return std::unexpected(std::move(records.error()));
      checkpoint.records = std::move(*records);
      return checkpoint;
    }
    case wire::PeerMessage::kTail: {
      Tail tail = read(message->tail(), fields);
      auto records = read_records(message->mutable_records(), tail.previous);
      if (!records) return std::unexpected(std::move(records.error()));
      tail.records = std::move(*records);
      return tail;
    }
    case wire::PeerMessage::kCheckpointAck:
      return read(message->checkpoint_ack(), fields);
    case wire::PeerMessage::kConfirm:
      return Confirm{.number = message->confirm().number()};
    case wire::PeerMessage::kConfirmAck:
      return ConfirmAck{.number = message->confirm_ack().number()};
    case wire::PeerMessage::kHeartbeat:
      return read(message->mutable_heartbeat(), fields);
    case wire::PeerMessage::kHeartbeatAck:
      return read(message->mutable_heartbeat_ack(), fields);
    case wire::PeerMessage::kHello:
      return read(message->mutable_hello(), fields);
    case wire::PeerMessage::kHashAsk:
      return read(message->hash_ask(), fields);
    case wire::PeerMessage::kHashTell:
      return read(message->hash_tell(), fields);
    case wire::PeerMessage::kTailAsk:
      return read(message->tail_ask(), fields);
    case wire::PeerMessage::kSnapshotAsk: {
      SnapshotAsk ask;
      fields->text(message->mutable_snapshot_ask()->mutable_cursor(), &ask.cursor, "snapshot_ask.cursor");
      return ask;
    }
    case wire::PeerMessage::kSnapshotTell:
      return read(message->mutable_snapshot_tell(), fields);
    case wire::PeerMessage::kRecordAsk:
      return RecordAsk{.lsn = Lsn{message->record_ask().lsn()}};
    case wire::PeerMessage::kRecordTell: {
      auto tell = read(message->mutable_record_tell(), fields);
      if (!tell) return std::unexpected(std::move(tell.error()));
      return std::move(*tell);
    }
    case wire::PeerMessage::kConfigurationNews: {
      ConfigurationNews news;
      fields->configuration(message->configuration_news().configuration(), &news.configuration);
      return news;
    }
    case wire::PeerMessage::kAdoptAsk: {
      AdoptAsk ask{.number = message->adopt_ask().number(), .witness = {}};
      fields->required_id(message->adopt_ask().witness(), &ask.witness, "adopt_ask.witness");
      return ask;
    }
    case wire::PeerMessage::kAdoptPledge: {
      const wire::AdoptPledge& from = message->adopt_pledge();
      AdoptPledge pledge{.number = from.number(), .holds = {}, .exact = from.exact()};
      fields->position(from.holds(), &pledge.holds, "adopt_pledge.holds");
      return pledge;
    }
    case wire::PeerMessage::BODY_NOT_SET:
      break;
  }
  return fail(Code::malformed, "malformed peer message: it has no body that this version knows");
}

}  // namespace

Result<PeerMessage> decode_peer(std::string_view bytes) {
  const auto content = open_frame(MessageKind::peer, bytes);
  if (!content) return std::unexpected(content.error());
  Scratch<wire::PeerMessage> message;
  if (!message.parse(*content)) {
    return fail(Code::malformed, "malformed peer message: its encoding is broken");
  }
  Fields fields(Unknown::passed_over);
  PeerMessage decoded;
  Envelope& envelope = decoded.envelope;
  fields.id(message->cluster(), &envelope.cluster, "cluster");
  fields.require(message->pair().size() <= pair_name_bytes_max, "pair");
  envelope.pair = message->pair();
  envelope.generation.value = message->generation();
  fields.id(message->incarnation(), &envelope.from.incarnation, "incarnation");
  fields.id(message->run(), &envelope.from.run, "run");
  envelope.epoch.value = message->epoch();
  if (!fields.ok()) return fields.failure("peer message");
  const bool may_have_records = message->has_checkpoint() || message->has_tail();
  fields.require(may_have_records || message->records_size() == 0, "records");
  auto body = read_body(&*message, &fields);
  if (!body) return std::unexpected(std::move(body.error()));
  if (!fields.ok()) return fields.failure("peer message");
  decoded.body = std::move(*body);
  return decoded;
}

}  // namespace pollux
