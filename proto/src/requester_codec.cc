// What requesters ask and what they are answered, to bytes and back.
#include <algorithm>
#include <limits>
#include <utility>

#include "fields.h"
#include "frame.h"
#include "pollux/core/check.h"
#include "pollux/proto/message_codec.h"
#include "requester.pb.h"
#include "scratch.h"

namespace pollux {
namespace {

/// A deadline that has passed already is zero.
std::uint64_t deadline_ns(Duration deadline) {
  return static_cast<std::uint64_t>(std::max<Duration::rep>(deadline.count(), 0));
}

Duration read_deadline(std::uint64_t ns, Fields* fields) {
  fields->require(ns <= static_cast<std::uint64_t>(std::numeric_limits<Duration::rep>::max()), "deadline_ns");
  return Duration(fields->ok() ? static_cast<Duration::rep>(ns) : 0);
}

void put(const OpenSession& from, wire::RequesterMessage* message) {
  put_id(from.proposed, message->mutable_open_session()->mutable_proposed());
}
void put(const CloseSession& from, wire::RequesterMessage* message) {
  put_id(from.session, message->mutable_close_session()->mutable_session());
}
void put(const Request& from, wire::RequesterMessage* message) {
  wire::Request* to = message->mutable_request();
  put_id(from.sync.session, to->mutable_session());
  to->set_seq(from.sync.seq);
  to->set_ack_below(from.ack_below);
  to->set_trace(from.trace);
  to->set_deadline_ns(deadline_ns(from.deadline));
  to->set_payload(from.payload);
}
void put(const Query& from, wire::RequesterMessage* message) {
  wire::Query* to = message->mutable_query();
  to->set_trace(from.trace);
  to->set_deadline_ns(deadline_ns(from.deadline));
  to->set_payload(from.payload);
}
void put(const OutcomeAsk& from, wire::RequesterMessage* message) {
  put_id(from.sync.session, message->mutable_outcome_ask()->mutable_session());
  message->mutable_outcome_ask()->set_seq(from.sync.seq);
}
void put(const RequesterHello&, wire::RequesterMessage* message) { message->mutable_hello(); }

void read_sync(const std::string& session, std::uint64_t seq, SyncId* sync, Fields* fields) {
  fields->required_id(session, &sync->session, "session");
  fields->require(seq >= 1, "seq");
  sync->seq = seq;
}

Request read(wire::Request* from, Fields* fields) {
  Request to;
  read_sync(from->session(), from->seq(), &to.sync, fields);
  to.ack_below = from->ack_below();
  to.trace = from->trace();
  to.deadline = read_deadline(from->deadline_ns(), fields);
  to.payload = std::move(*from->mutable_payload());
  return to;
}

Query read(wire::Query* from, Fields* fields) {
  Query to;
  to.trace = from->trace();
  to.deadline = read_deadline(from->deadline_ns(), fields);
  to.payload = std::move(*from->mutable_payload());
  return to;
}

Result<RequesterBody> read_body(wire::RequesterMessage* message, Fields* fields) {
  switch (message->body_case()) {
    case wire::RequesterMessage::kRequest:
      return read(message->mutable_request(), fields);
    case wire::RequesterMessage::kQuery:
      return read(message->mutable_query(), fields);
    case wire::RequesterMessage::kOpenSession: {
      OpenSession open;
      fields->id(message->open_session().proposed(), &open.proposed, "proposed");
      return open;
    }
    case wire::RequesterMessage::kCloseSession: {
      CloseSession close;
      fields->required_id(message->close_session().session(), &close.session, "session");
      return close;
    }
    case wire::RequesterMessage::kOutcomeAsk: {
      OutcomeAsk ask;
      read_sync(message->outcome_ask().session(), message->outcome_ask().seq(), &ask.sync, fields);
      return ask;
    }
    case wire::RequesterMessage::kHello:
      return RequesterHello{};
    case wire::RequesterMessage::BODY_NOT_SET:
      break;
  }
  return fail(Code::malformed, "malformed requester message: it has no body that this version knows");
}

}  // namespace

std::string encode(const RequesterMessage& message) {
  POLLUX_CHECK(message.pair.size() <= pair_name_bytes_max);
  Scratch<wire::RequesterMessage> to;
  put_id(message.cluster, to->mutable_cluster());
  to->set_pair(message.pair);
  to->set_number(message.number);
  std::visit([&](const auto& body) { put(body, &*to); }, message.body);
  std::string bytes;
  append_frame(MessageKind::requester, &bytes);
  to.append_to(&bytes);
  POLLUX_CHECK_WHY(bytes.size() <= message_bytes_max, "a message above its limit");
  return bytes;
}

Result<RequesterMessage> decode_requester(std::string_view bytes) {
  const auto content = open_frame(MessageKind::requester, bytes);
  if (!content) return std::unexpected(content.error());
  Scratch<wire::RequesterMessage> message;
  if (!message.parse(*content)) {
    return fail(Code::malformed, "malformed requester message: its encoding is broken");
  }
  Fields fields(Unknown::passed_over);
  RequesterMessage decoded;
  fields.id(message->cluster(), &decoded.cluster, "cluster");
  fields.require(message->pair().size() <= pair_name_bytes_max, "pair");
  decoded.pair = message->pair();
  decoded.number = message->number();
  auto body = read_body(&*message, &fields);
  if (!body) return std::unexpected(std::move(body.error()));
  if (!fields.ok()) return fields.failure("requester message");
  decoded.body = std::move(*body);
  return decoded;
}

std::string encode(const RequesterReply& reply) {
  Scratch<wire::RequesterReply> to;
  to->set_number(reply.number);
  to->set_code(static_cast<std::uint32_t>(reply.code));
  to->set_payload(reply.payload);
  to->set_epoch(reply.epoch.value);
  if (reply.primary) to->set_primary(reply.primary->bytes.data(), reply.primary->bytes.size());
  to->set_serving(reply.serving);
  put_id(reply.session, to->mutable_session());
  to->set_retry_after_ms(reply.retry_after_ms);
  to->set_lsn(reply.lsn.value);
  std::string bytes;
  append_frame(MessageKind::reply, &bytes);
  to.append_to(&bytes);
  POLLUX_CHECK_WHY(bytes.size() <= message_bytes_max, "a message above its limit");
  return bytes;
}

Result<RequesterReply> decode_reply(std::string_view bytes) {
  const auto content = open_frame(MessageKind::reply, bytes);
  if (!content) return std::unexpected(content.error());
  Scratch<wire::RequesterReply> message;
  if (!message.parse(*content)) return fail(Code::malformed, "malformed reply: its encoding is broken");
  Fields fields(Unknown::passed_over);
  RequesterReply reply;
  reply.number = message->number();
  fields.code(message->code(), &reply.code, "code");
  reply.payload = std::move(*message->mutable_payload());
  reply.epoch.value = message->epoch();
  if (message->has_primary()) fields.required_id(message->primary(), &reply.primary.emplace(), "primary");
  reply.serving = message->serving();
  fields.id(message->session(), &reply.session, "session");
  reply.retry_after_ms = message->retry_after_ms();
  reply.lsn.value = message->lsn();
  if (!fields.ok()) return fields.failure("reply");
  return reply;
}

}  // namespace pollux
