// RapidCheck generators for everything the codecs know.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "pollux/core/peer_messages.h"
#include "pollux/core/requester_messages.h"
#include "pollux/core/session_table.h"
#include "pollux/proto/record_codec.h"

namespace pollux::testing {

/// Any bytes, zero and invalid UTF-8 included.
inline std::string any_bytes() { return *rc::gen::arbitrary<std::string>(); }
inline std::string any_bytes(std::size_t most) { return any_bytes().substr(0, most); }
/// Small, huge and in between: varints of every length.
inline std::uint64_t any_number() { return *rc::gen::arbitrary<std::uint64_t>() >> *rc::gen::inRange(0, 64); }
inline std::uint64_t number_from_1() { return std::max<std::uint64_t>(any_number(), 1); }

template <class Id>
Id any_id() {
  Id id;
  if (*rc::gen::inRange(0, 8) != 0) {
    for (auto& byte : id.bytes) byte = *rc::gen::arbitrary<std::uint8_t>();
  }
  return id;
}
template <class Id>
Id some_id() {
  Id id = any_id<Id>();
  id.bytes[0] |= 1;
  return id;
}
inline Hash any_hash() {
  Hash hash;
  if (*rc::gen::inRange(0, 8) != 0) {
    for (auto& byte : hash.bytes) byte = *rc::gen::arbitrary<std::uint8_t>();
  }
  return hash;
}
inline Position any_position() { return {Lsn{any_number()}, any_hash()}; }
inline MemberId any_member() { return {any_id<IncarnationId>(), any_id<RunId>()}; }
inline std::optional<MemberId> maybe_member() {
  return *rc::gen::arbitrary<bool>() ? std::optional(any_member()) : std::nullopt;
}
inline SyncId some_sync() { return {some_id<SessionId>(), number_from_1()}; }
inline Code any_code() {
  std::vector<Code> codes;
  for (std::uint16_t number = 0; number < 200; ++number) {
    if (to_string(static_cast<Code>(number)) != "unknown") codes.push_back(static_cast<Code>(number));
  }
  return *rc::gen::elementOf(codes);
}
inline WallTime any_time() { return {*rc::gen::arbitrary<std::int64_t>()}; }
inline Duration any_deadline() { return Duration(static_cast<Duration::rep>(any_number() >> 1)); }

inline Configuration any_configuration() {
  return {.cluster = any_id<ClusterId>(),
          .generation = Generation{any_number()},
          .epoch = Epoch{any_number()},
          .primary = any_member(),
          .backup = maybe_member(),
          .floor = any_position()};
}
inline std::vector<Change> any_changes() {
  std::vector<Change> changes(static_cast<std::size_t>(*rc::gen::inRange(0, 5)));
  for (Change& change : changes) {
    change.key = any_bytes(change_key_bytes_max);
    if (change.key.empty()) change.key = "k";
    if (*rc::gen::arbitrary<bool>()) change.value = any_bytes();
  }
  return changes;
}
inline Record any_record(Lsn lsn) {
  Record record{.lsn = lsn,
                .epoch = Epoch{any_number()},
                .time = any_time(),
                .kind = static_cast<RecordKind>(*rc::gen::inRange(1, 6)),
                .sync = {any_id<SessionId>(), any_number()},
                .ack_below = any_number(),
                .trace = any_number(),
                .changes = any_changes(),
                .code = any_code(),
                .reply = any_bytes(),
                .leads = {}};
  if (record.kind == RecordKind::leads) {
    record.leads = Leads{.epoch = Epoch{any_number()},
                         .primary = any_member(),
                         .backup = maybe_member(),
                         .commit_base = any_position(),
                         .reason = any_bytes()};
  }
  return record;
}
/// A chain that follows `previous`.
inline std::vector<RecordPtr> any_records(Position* previous) {
  previous->lsn.value >>= 1;  // room above
  std::vector<RecordPtr> records;
  Position last = *previous;
  for (int count = *rc::gen::inRange(0, 4); count > 0; --count) {
    records.push_back(seal(any_record(last.lsn.next()), last.hash));
    last = records.back()->position();
  }
  return records;
}
inline Session any_session() {
  Session session{
      .opened = any_time(), .last_used = any_time(), .ack_below = any_number() >> 8, .replies = {}};
  std::uint64_t seq = session.ack_below;
  for (int count = *rc::gen::inRange(0, 5); count > 0; --count) {
    seq += *rc::gen::inRange(1, 9);
    session.replies[seq] = StoredReply{Lsn{any_number()}, any_code(), any_bytes()};
  }
  return session;
}

inline PeerBody any_peer_body(std::size_t kind) {
  switch (kind) {
    case 0:
      return PeerHello{any_id<BootId>(),    any_position(), Lsn{any_number()}, *rc::gen::arbitrary<bool>(),
                       any_configuration(), any_bytes()};
    case 1:
      return Heartbeat{any_number(), any_id<BootId>(), any_configuration(), any_position(), any_bytes()};
    case 2:
      return HeartbeatAck{any_number(), any_id<BootId>(), any_position(), Lsn{any_number()}, any_bytes()};
    case 3: {
      Checkpoint checkpoint{.previous = any_position(), .records = {}, .committed = any_position()};
      checkpoint.records = any_records(&checkpoint.previous);
      return checkpoint;
    }
    case 4: {
      CheckpointAck ack{.durable = any_position(), .resend_after = {}};
      if (*rc::gen::arbitrary<bool>()) ack.resend_after = any_position();
      return ack;
    }
    case 5:
      return Confirm{any_number()};
    case 6:
      return ConfirmAck{any_number()};
    case 7: {
      HashAsk ask;
      for (int count = *rc::gen::inRange(0, 5); count > 0; --count) ask.lsns.push_back(Lsn{any_number()});
      return ask;
    }
    case 8: {
      HashTell tell;
      for (int count = *rc::gen::inRange(0, 5); count > 0; --count) tell.known.push_back(any_position());
      return tell;
    }
    case 9:
      return TailAsk{any_position(), any_position(), *rc::gen::arbitrary<bool>()};
    case 10: {
      Tail tail{
          .previous = any_position(), .records = {}, .last = any_position(), .committed = any_position()};
      tail.records = any_records(&tail.previous);
      tail.gone = *rc::gen::arbitrary<bool>();
      return tail;
    }
    case 11:
      return SnapshotAsk{any_bytes()};
    case 12:
      return SnapshotTell{any_bytes(), any_position(), any_time(), any_changes(), any_bytes()};
    case 13:
      return RecordAsk{Lsn{any_number()}};
    case 14: {
      RecordTell tell{.lsn = Lsn{number_from_1()}, .record = nullptr};
      if (*rc::gen::arbitrary<bool>()) tell.record = seal(any_record(tell.lsn), any_hash());
      return tell;
    }
    case 15:
      return ConfigurationNews{any_configuration()};
    case 16:
      return AdoptAsk{any_number(), some_id<WitnessId>()};
    default:
      return AdoptPledge{any_number(), any_position(), *rc::gen::arbitrary<bool>()};
  }
}
inline PeerMessage any_peer_message(std::size_t kind) {
  return {.envelope = {.cluster = any_id<ClusterId>(),
                       .pair = any_bytes(255),
                       .generation = Generation{any_number()},
                       .from = any_member(),
                       .epoch = Epoch{any_number()}},
          .body = any_peer_body(kind)};
}

inline RequesterBody any_requester_body(std::size_t kind) {
  switch (kind) {
    case 0:
      return OpenSession{any_id<SessionId>()};
    case 1:
      return CloseSession{some_id<SessionId>()};
    case 2:
      return Request{some_sync(), any_number(), any_number(), any_deadline(), any_bytes()};
    case 3:
      return Query{any_number(), any_deadline(), any_bytes()};
    case 4:
      return OutcomeAsk{some_sync()};
    default:
      return RequesterHello{};
  }
}
inline RequesterMessage any_requester_message(std::size_t kind) {
  return {.cluster = any_id<ClusterId>(),
          .pair = any_bytes(255),
          .number = any_number(),
          .body = any_requester_body(kind)};
}
inline RequesterReply any_reply() {
  RequesterReply reply{.number = any_number(),
                       .code = any_code(),
                       .payload = any_bytes(),
                       .epoch = Epoch{any_number()},
                       .primary = {},
                       .serving = *rc::gen::arbitrary<bool>(),
                       .session = any_id<SessionId>(),
                       .retry_after_ms = *rc::gen::arbitrary<std::uint32_t>(),
                       .lsn = Lsn{any_number()}};
  if (*rc::gen::arbitrary<bool>()) reply.primary = any_id<RunId>();
  return reply;
}

}  // namespace pollux::testing
