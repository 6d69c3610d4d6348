// Sessions, configurations and member states, as the audit files and the witness keep them.
#include <utility>

#include "configuration.pb.h"
#include "fields.h"
#include "pollux/core/check.h"
#include "pollux/proto/record_codec.h"
#include "record.pb.h"
#include "scratch.h"

namespace pollux {

std::string encode_session(const Session& session) {
  Scratch<wire::Session> message;
  message->set_opened_us(session.opened.us);
  message->set_last_used_us(session.last_used.us);
  message->set_ack_below(session.ack_below);
  for (const auto& [seq, stored] : session.replies) {
    POLLUX_CHECK_WHY(seq >= session.ack_below, "a reply below ack_below is not kept");
    wire::StoredReply* reply = message->add_replies();
    reply->set_seq(seq);
    reply->set_lsn(stored.lsn.value);
    reply->set_code(static_cast<std::uint32_t>(stored.code));
    reply->set_reply(stored.reply);
  }
  std::string bytes;
  message.append_to(&bytes);
  return bytes;
}

Result<Session> decode_session(std::string_view bytes) {
  Scratch<wire::Session> message;
  if (!message.parse(bytes)) return fail(Code::malformed, "malformed session: its encoding is broken");
  Fields fields;
  Session session;
  fields.known(*message);
  session.opened.us = message->opened_us();
  session.last_used.us = message->last_used_us();
  session.ack_below = message->ack_below();
  for (wire::StoredReply& from : *message->mutable_replies()) {
    fields.known(from);
    const bool ascending = session.replies.empty() || from.seq() > session.replies.rbegin()->first;
    fields.require(ascending && from.seq() >= session.ack_below, "replies.seq");
    StoredReply stored;
    stored.lsn.value = from.lsn();
    fields.code(from.code(), &stored.code, "replies.code");
    stored.reply = std::move(*from.mutable_reply());
    session.replies.emplace_hint(session.replies.end(), from.seq(), std::move(stored));
    if (!fields.ok()) break;
  }
  if (!fields.ok()) return fields.failure("session");
  return session;
}

std::string encode_configuration(const Configuration& configuration) {
  Scratch<wire::Configuration> message;
  put_configuration(configuration, &*message);
  std::string bytes;
  message.append_to(&bytes);
  return bytes;
}

Result<Configuration> decode_configuration(std::string_view bytes) {
  Scratch<wire::Configuration> message;
  if (!message.parse(bytes)) return fail(Code::malformed, "malformed configuration: its encoding is broken");
  Fields fields;
  Configuration configuration;
  fields.configuration(*message, &configuration);
  if (!fields.ok()) return fields.failure("configuration");
  return configuration;
}

std::string encode_member_state(const MemberState& state) {
  Scratch<wire::MemberState> message;
  put_id(state.incarnation, message->mutable_incarnation());
  put_configuration(state.configuration, message->mutable_configuration());
  put_id(state.witness, message->mutable_witness());
  message->set_witness_revision(state.witness_revision);
  message->set_promised(state.promised.value);
  std::string bytes;
  message.append_to(&bytes);
  return bytes;
}

Result<MemberState> decode_member_state(std::string_view bytes) {
  Scratch<wire::MemberState> message;
  if (!message.parse(bytes)) return fail(Code::malformed, "malformed member state: its encoding is broken");
  Fields fields;
  MemberState state;
  fields.known(*message);
  fields.id(message->incarnation(), &state.incarnation, "incarnation");
  fields.configuration(message->configuration(), &state.configuration);
  fields.id(message->witness(), &state.witness, "witness");
  state.witness_revision = message->witness_revision();
  state.promised.value = message->promised();
  if (!fields.ok()) return fields.failure("member state");
  return state;
}

}  // namespace pollux
