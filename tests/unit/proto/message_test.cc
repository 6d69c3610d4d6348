#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "generators.h"
#include "pollux/proto/message_codec.h"
#include "pollux/proto/record_codec.h"

namespace pollux {
namespace {

using namespace pollux::testing;

/// Equal contents; `==` on messages compares record pointers.
bool same_records(const std::vector<RecordPtr>& a, const std::vector<RecordPtr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const RecordPtr& x, const RecordPtr& y) {
    return x->record == y->record && x->bytes == y->bytes && x->hash == y->hash;
  });
}

bool same(const PeerMessage& a, PeerMessage b) {
  if (a.body.index() != b.body.index()) return false;
  if (const auto* checkpoint = std::get_if<Checkpoint>(&a.body)) {
    auto& other = std::get<Checkpoint>(b.body);
    if (!same_records(checkpoint->records, other.records)) return false;
    other.records = checkpoint->records;
  } else if (const auto* tail = std::get_if<Tail>(&a.body)) {
    auto& other = std::get<Tail>(b.body);
    if (!same_records(tail->records, other.records)) return false;
    other.records = tail->records;
  } else if (const auto* tell = std::get_if<RecordTell>(&a.body)) {
    auto& other = std::get<RecordTell>(b.body);
    if ((tell->record == nullptr) != (other.record == nullptr)) return false;
    if (tell->record != nullptr && !same_records({tell->record}, {other.record})) return false;
    other.record = tell->record;
  }
  return a == b;
}

class EveryPeerMessage : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EveryPeerMessage, ComesBackAsItWas) {
  EXPECT_TRUE(rc::check([] {
    const PeerMessage message = any_peer_message(GetParam());
    RC_ASSERT(message.body.index() == GetParam());
    const std::string bytes = encode(message);
    const auto decoded = decode_peer(bytes);
    if (!decoded) RC_FAIL(decoded.error().text);
    RC_ASSERT(same(message, *decoded));
    RC_ASSERT(encode(*decoded) == bytes);
  }));
}
INSTANTIATE_TEST_SUITE_P(Peer, EveryPeerMessage,
                         ::testing::Range<std::size_t>(0, std::variant_size_v<PeerBody>));

class EveryRequesterMessage : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EveryRequesterMessage, ComesBackAsItWas) {
  EXPECT_TRUE(rc::check([] {
    const RequesterMessage message = any_requester_message(GetParam());
    RC_ASSERT(message.body.index() == GetParam());
    const auto decoded = decode_requester(encode(message));
    if (!decoded) RC_FAIL(decoded.error().text);
    RC_ASSERT(message == *decoded);
  }));
}
INSTANTIATE_TEST_SUITE_P(Requester, EveryRequesterMessage,
                         ::testing::Range<std::size_t>(0, std::variant_size_v<RequesterBody>));

RC_GTEST_PROP(Reply, ComesBackAsItWas, ()) {
  const RequesterReply reply = any_reply();
  const auto decoded = decode_reply(encode(reply));
  if (!decoded) RC_FAIL(decoded.error().text);
  RC_ASSERT(reply == *decoded);
}

TEST(Message, KeepsAPayloadOfEightMebibytes) {
  const Request request{.sync = {SessionId{{1}}, 1}, .payload = std::string(8u << 20, '\x80')};
  const auto decoded = decode_requester(encode(RequesterMessage{.body = request}));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(std::get<Request>(decoded->body).payload, request.payload);
}

TEST(Message, SendsADeadlineThatPassedAsZero) {
  const Query query{.deadline = std::chrono::seconds(-1)};
  const auto decoded = decode_requester(encode(RequesterMessage{.body = query}));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(std::get<Query>(decoded->body).deadline, Duration(0));
}

// --- What is refused.

template <class T>
std::string refusal(const Result<T>& result, Code code = Code::malformed) {
  if (result) return "accepted";
  EXPECT_EQ(result.error().code, code) << result.error().text;
  return result.error().text;
}

TEST(Message, FromElsewhereIsMalformed) {
  for (const std::string& bytes : {std::string(), std::string("PLX"), std::string("GET / HTTP/1.1\r\n\r\n"),
                                   std::string(100, '\0'), std::string("PLXz\1\0\0\0", 8)}) {
    EXPECT_THAT(refusal(decode_peer(bytes)), ::testing::HasSubstr("does not come from Pollux"));
    EXPECT_THAT(refusal(decode_requester(bytes)), ::testing::HasSubstr("does not come from Pollux"));
    EXPECT_THAT(refusal(decode_reply(bytes)), ::testing::HasSubstr("does not come from Pollux"));
  }
}

TEST(Message, OfAnotherVersionSaysWhichVersionsWhateverFollows) {
  std::string bytes = encode(RequesterReply{});
  bytes[4] = 7;
  bytes.replace(8, std::string::npos, "bytes of a later format");
  EXPECT_EQ(
      refusal(decode_reply(bytes), Code::wrong_version),
      "the sender speaks protocol version 7, this process speaks 1; run releases with the same protocol "
      "version on both sides");
  EXPECT_EQ(message_kind(bytes), MessageKind::reply);
}

TEST(Message, OfAnotherKindIsNamed) {
  EXPECT_THAT(refusal(decode_peer(encode(RequesterReply{}))),
              ::testing::HasSubstr("a reply where a peer message belongs"));
}

TEST(Message, WithoutABodyIsMalformed) {
  const std::string whole = encode(RequesterMessage{.body = RequesterHello{}});
  EXPECT_THAT(refusal(decode_requester(whole.substr(0, 8))), ::testing::HasSubstr("no body"));
  EXPECT_THAT(refusal(decode_peer(encode(PeerMessage{}).substr(0, 8))), ::testing::HasSubstr("no body"));
}

TEST(Message, FieldsOfALaterVersionArePassedOver) {
  std::string bytes = encode(RequesterReply{.number = 5});
  bytes += std::string("\xf8\x06\x01", 3);  // field 111, varint 1
  const auto decoded = decode_reply(bytes);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().text;
  EXPECT_EQ(decoded->number, 5u);
}

TEST(Reply, WithAnUnknownCodeIsMalformed) {
  EXPECT_EQ(refusal(decode_reply(encode(RequesterReply{.code = static_cast<Code>(18)}))),
            "malformed reply: code");
  EXPECT_EQ(refusal(decode_reply(encode(RequesterReply{.code = static_cast<Code>(9999)}))),
            "malformed reply: code");
}

TEST(Request, WithoutASyncIdIsMalformed) {
  const auto with = [](SyncId sync) { return encode(RequesterMessage{.body = Request{.sync = sync}}); };
  EXPECT_EQ(refusal(decode_requester(with({SessionId{}, 1}))), "malformed requester message: session");
  EXPECT_EQ(refusal(decode_requester(with({SessionId{{1}}, 0}))), "malformed requester message: seq");
}

TEST(Envelope, WithAnIdOfFifteenBytesIsMalformed) {
  PeerMessage message;
  message.envelope.cluster.bytes.fill(7);
  std::string bytes = encode(message);
  const std::size_t at = bytes.find(std::string("\x0a\x10", 2) + std::string(16, 7));
  ASSERT_EQ(at, 8u);
  bytes.erase(at + 2, 1);
  bytes[at + 1] = 15;
  EXPECT_EQ(refusal(decode_peer(bytes)), "malformed peer message: cluster");
}

PeerMessage checkpoint_of(Position previous, std::vector<RecordPtr> records) {
  return {.envelope = {},
          .body = Checkpoint{.previous = previous, .records = std::move(records), .committed = {}}};
}

TEST(Checkpoint, WithAGapIsMalformed) {
  const RecordPtr first = seal(Record{.lsn = Lsn{5}}, {});
  const RecordPtr third = seal(Record{.lsn = Lsn{7}}, first->hash);
  EXPECT_EQ(refusal(decode_peer(encode(checkpoint_of({Lsn{4}, {}}, {first, third})))),
            "malformed peer message: LSN 7 follows LSN 5");
  EXPECT_EQ(refusal(decode_peer(encode(checkpoint_of({Lsn{3}, {}}, {first})))),
            "malformed peer message: LSN 5 follows LSN 3");
}

TEST(Checkpoint, GivesRecordsTheChainOfItsPrevious) {
  const Position previous{Lsn{4}, Hash{{9}}};
  const RecordPtr elsewhere = seal(Record{.lsn = Lsn{5}}, Hash{{8}});
  const auto decoded = decode_peer(encode(checkpoint_of(previous, {elsewhere})));
  ASSERT_TRUE(decoded.has_value());
  const RecordPtr& record = std::get<Checkpoint>(decoded->body).records.at(0);
  EXPECT_EQ(record->bytes, elsewhere->bytes);
  EXPECT_EQ(record->hash, chain_hash(previous.hash, elsewhere->bytes));
}

TEST(Checkpoint, WithAByteFlippedInARecordNeverHasTheSameChain) {
  const RecordPtr record = seal(Record{.lsn = Lsn{1}, .changes = {{"key", "value"}}, .reply = "reply"}, {});
  const std::string whole = encode(checkpoint_of({}, {record}));
  const std::size_t at = whole.find(record->bytes);
  ASSERT_NE(at, std::string::npos);
  for (std::size_t i = 0; i < record->bytes.size(); ++i) {
    std::string flipped = whole;
    flipped[at + i] = static_cast<char>(flipped[at + i] ^ 0x10);
    const auto decoded = decode_peer(flipped);
    if (decoded) {
      EXPECT_NE(std::get<Checkpoint>(decoded->body).records.at(0)->hash, record->hash);
    }
  }
}

TEST(OtherBodies, CarryNoRecords) {
  const RecordPtr record = seal(Record{.lsn = Lsn{1}}, {});
  const std::string checkpoint = encode(checkpoint_of({}, {record}));
  const std::string confirm = encode(PeerMessage{.envelope = {}, .body = Confirm{.number = 3}});
  // The last oneof member on the wire wins: a Confirm with a checkpoint's records.
  EXPECT_EQ(refusal(decode_peer(checkpoint + confirm.substr(8))), "malformed peer message: records");
}

TEST(RecordTell, OfAnotherLsnIsMalformed) {
  const std::string one = encode(PeerMessage{.body = RecordTell{Lsn{1}, seal(Record{.lsn = Lsn{1}}, {})}});
  const std::string two = encode(PeerMessage{.body = RecordTell{Lsn{2}, nullptr}});
  EXPECT_EQ(refusal(decode_peer(one + two.substr(8))), "malformed peer message: record_tell.lsn");
}

TEST(HashAsk, OfTooManyLsnsIsMalformed) {
  HashAsk ask;
  ask.lsns.resize(message_lsns_max, Lsn{1});
  std::string bytes = encode(PeerMessage{.body = ask});
  EXPECT_TRUE(decode_peer(bytes).has_value());
  bytes += encode(PeerMessage{.body = HashAsk{.lsns = {Lsn{1}}}}).substr(8);  // protobuf merges the two
  EXPECT_EQ(refusal(decode_peer(bytes)), "malformed peer message: number of hash_ask.lsns");
}

}  // namespace
}  // namespace pollux
