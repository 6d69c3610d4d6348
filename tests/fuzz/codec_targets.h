// One function a decoder: whatever the bytes, no crash, and what is accepted comes back the same from its own
// encoding. Called by the libFuzzer targets, and by a unit test with mutated seeds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pollux/core/check.h"
#include "pollux/proto/message_batch.h"
#include "pollux/proto/message_codec.h"
#include "pollux/proto/record_codec.h"

namespace pollux::testing {

inline void try_record(std::string_view bytes) {
  const auto record = unseal(bytes, {});
  if (!record) {
    POLLUX_CHECK(record.error().code == Code::malformed && !record.error().text.empty());
    return;
  }
  const RecordPtr again = seal(copy_of((*record)->record), {});
  POLLUX_CHECK(unseal(again->bytes, {}).value()->record == (*record)->record);
}

inline void try_peer(std::string_view bytes) {
  const auto message = decode_peer(bytes);
  if (!message) {
    POLLUX_CHECK(message.error().code == Code::malformed || message.error().code == Code::wrong_version);
    return;
  }
  const std::string once = encode(*message);
  POLLUX_CHECK(encode(decode_peer(once).value()) == once);
}

inline void try_requester(std::string_view bytes) {
  const auto message = decode_requester(bytes);
  if (!message) {
    POLLUX_CHECK(message.error().code == Code::malformed || message.error().code == Code::wrong_version);
    return;
  }
  if (const auto* close = std::get_if<CloseSession>(&message->body); close && close->session.none()) return;
  if (const auto* request = std::get_if<Request>(&message->body); request && request->sync.session.none())
    return;
  if (const auto* ask = std::get_if<OutcomeAsk>(&message->body); ask && ask->sync.session.none()) return;
  POLLUX_CHECK(decode_requester(encode(*message)).value() == *message);
}

inline void try_reply(std::string_view bytes) {
  const auto reply = decode_reply(bytes);
  if (!reply) {
    POLLUX_CHECK(reply.error().code == Code::malformed || reply.error().code == Code::wrong_version);
    return;
  }
  POLLUX_CHECK(decode_reply(encode(*reply)).value() == *reply);
}

inline void try_batch(std::string_view bytes) {
  std::size_t called = 0, size = 0;
  const auto count = for_each_message(bytes, [&](std::string_view message) {
    ++called;
    size += message.size();
    POLLUX_CHECK(message.empty() || (message.data() >= bytes.data() && message.size() <= bytes.size()));
  });
  POLLUX_CHECK(count ? *count == called && size <= bytes.size() : called == 0);
}

inline void try_state(std::string_view bytes) {
  if (const auto session = decode_session(bytes)) {
    POLLUX_CHECK(decode_session(encode_session(*session)).value() == *session);
  }
  if (const auto state = decode_member_state(bytes)) {
    POLLUX_CHECK(decode_member_state(encode_member_state(*state)).value() == *state);
  }
  if (const auto configuration = decode_configuration(bytes)) {
    POLLUX_CHECK(decode_configuration(encode_configuration(*configuration)).value() == *configuration);
  }
}

struct CodecTarget {
  const char* name;
  void (*run)(std::string_view bytes);
  std::vector<std::string> seeds;  ///< valid bytes to start from
};

/// All targets with their seeds.
inline std::vector<CodecTarget> codec_targets() {
  const MemberId a{IncarnationId{{1}}, RunId{{2}}};
  const MemberId b{IncarnationId{{3}}, RunId{{4}}};
  const SessionId session{{5}};
  const Configuration configuration{.cluster = ClusterId{{6}},
                                    .generation = Generation{1},
                                    .epoch = Epoch{300},
                                    .primary = a,
                                    .backup = b,
                                    .floor = {Lsn{70}, Hash{{7}}}};
  const RecordPtr first = seal(Record{.lsn = Lsn{71},
                                      .epoch = Epoch{300},
                                      .time = WallTime{1'800'000'000'000'000},
                                      .kind = RecordKind::leads,
                                      .leads = Leads{Epoch{300}, a, b, {Lsn{70}, Hash{{7}}}, "takeover"}},
                               Hash{{7}});
  const RecordPtr second = seal(Record{.lsn = Lsn{72},
                                       .epoch = Epoch{300},
                                       .time = WallTime{1'800'000'000'000'001},
                                       .sync = {session, 9},
                                       .ack_below = 5,
                                       .trace = 99,
                                       .changes = {{"account/1", "100"}, {"account/2", {}}},
                                       .code = Code::insufficient,
                                       .reply = "not enough"},
                                first->hash);
  const Position last = second->position();
  const auto peer = [&](PeerBody body) {
    return encode(PeerMessage{{ClusterId{{6}}, "ledger", Generation{1}, a, Epoch{300}}, std::move(body)});
  };
  const auto requester = [&](RequesterBody body) {
    return encode(RequesterMessage{ClusterId{{6}}, "ledger", 12, std::move(body)});
  };
  Session stored{WallTime{1}, WallTime{2}, 8, {}};
  stored.replies[9] = {Lsn{72}, Code::ok, "done"};
  const Position base{Lsn{70}, Hash{{7}}};
  MessageBatch batch;
  for (int i = 0; i < 3; ++i) batch.add(requester(RequesterHello{}));
  return {
      {"record", try_record, {std::string(first->bytes), std::string(second->bytes)}},
      {"peer",
       try_peer,
       {peer(PeerHello{BootId{{8}}, base, Lsn{60}, true, configuration, "/run/a.sign"}),
        peer(Heartbeat{3, BootId{{8}}, configuration, base, "/run/a.sign"}),
        peer(HeartbeatAck{3, BootId{{8}}, base, Lsn{60}, "/run/b.sign"}),
        peer(Checkpoint{base, {first, second}, base}), peer(CheckpointAck{last, base}), peer(Confirm{1}),
        peer(ConfirmAck{1}), peer(HashAsk{{Lsn{1}, Lsn{500}}}), peer(HashTell{{base, last}}),
        peer(TailAsk{base, base, true}), peer(Tail{base, {first, second}, last, base, false}),
        peer(SnapshotAsk{"cursor"}), peer(SnapshotTell{"cursor", base, {1}, copy_of(second->record).changes, "next"}),
        peer(RecordAsk{Lsn{72}}), peer(RecordTell{Lsn{72}, second}), peer(ConfigurationNews{configuration}),
        peer(AdoptAsk{3, {{7}}}), peer(AdoptPledge{3, {Lsn{9}, {}}, true})}},
      {"requester",
       try_requester,
       {requester(OpenSession{session}), requester(CloseSession{session}),
        requester(Request{{session, 9}, 5, 99, std::chrono::seconds(1), "payload"}),
        requester(Query{99, std::chrono::seconds(1), "payload"}), requester(OutcomeAsk{{session, 9}}),
        requester(RequesterHello{})}},
      {"reply",
       try_reply,
       {encode(RequesterReply{12, Code::busy, "later", Epoch{300}, RunId{{2}}, true, session, 20, Lsn{72}})}},
      {"state",
       try_state,
       {encode_session(stored), encode_configuration(configuration),
        encode_member_state({IncarnationId{{1}}, configuration, WitnessId{{9}}, 4, {}})}},
      {"batch", try_batch, {batch.take()}},
  };
}

}  // namespace pollux::testing
