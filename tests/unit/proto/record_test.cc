#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <stdexcept>

#include "generators.h"
#include "pollux/core/check.h"
#include "pollux/proto/record_codec.h"

namespace pollux {
namespace {

using namespace pollux::testing;

RC_GTEST_PROP(Record, ComesBackAsItWasWithItsHash, ()) {
  const Record record = any_record(Lsn{number_from_1()});
  const Hash previous = any_hash();
  const RecordPtr sealed = seal(record, previous);
  RC_ASSERT(sealed->record == record);
  RC_ASSERT(sealed->hash == chain_hash(previous, sealed->bytes));
  const auto unsealed = unseal(sealed->bytes, previous);
  if (!unsealed) RC_FAIL(unsealed.error().text);
  RC_ASSERT((*unsealed)->record == record);
  RC_ASSERT((*unsealed)->bytes == sealed->bytes);
  RC_ASSERT((*unsealed)->hash == sealed->hash);
  RC_ASSERT(seal(record, previous)->bytes == sealed->bytes);
}

RC_GTEST_PROP(Session, ComesBackAsItWas, ()) {
  const Session session = any_session();
  const auto decoded = decode_session(encode_session(session));
  if (!decoded) RC_FAIL(decoded.error().text);
  RC_ASSERT(*decoded == session);
}

RC_GTEST_PROP(Configuration, ComesBackAsItWas, ()) {
  const Configuration configuration = any_configuration();
  const auto decoded = decode_configuration(encode_configuration(configuration));
  if (!decoded) RC_FAIL(decoded.error().text);
  RC_ASSERT(*decoded == configuration);
}

RC_GTEST_PROP(MemberState, ComesBackAsItWas, ()) {
  const MemberState state{.incarnation = any_id<IncarnationId>(),
                          .configuration = any_configuration(),
                          .witness = any_id<WitnessId>(),
                          .witness_revision = any_number(),
                          .promised = Epoch{any_number()}};
  const auto decoded = decode_member_state(encode_member_state(state));
  if (!decoded) RC_FAIL(decoded.error().text);
  RC_ASSERT(*decoded == state);
}

TEST(Record, WithAGivenHashKeepsIt) {
  const Hash hash{{1, 2, 3}};
  const auto record = unseal_with_hash(seal(Record{.lsn = Lsn{9}}, {})->bytes, hash);
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ((*record)->hash, hash);
}

TEST(Record, OfFourMebibytesComesBack) {
  Record record{.lsn = Lsn{1}, .changes = {{"key", std::string(4u << 20, 'x')}}};
  const auto decoded = unseal(seal(record, {})->bytes, {});
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ((*decoded)->record, record);
}

// --- What is refused.

std::string refusal(std::string bytes) {
  const auto result = unseal(bytes, {});
  if (result) return "accepted";
  EXPECT_EQ(result.error().code, Code::malformed);
  return result.error().text;
}

TEST(Record, ThatIsNotOneIsMalformed) {
  EXPECT_EQ(refusal(""), "malformed record: lsn");
  EXPECT_EQ(refusal("nonsense"), "malformed record: its encoding is broken");
  EXPECT_EQ(refusal(std::string("\x08\x01", 2)), "malformed record: kind");
  EXPECT_EQ(refusal(std::string("\x08\x01\x20\x06", 4)), "malformed record: kind");
  EXPECT_EQ(refusal(std::string("\x08\x01\x20\x05", 4)), "malformed record: leads");
  EXPECT_EQ(refusal(std::string("\x08\x01\x20\x01\x50\x12", 6)), "malformed record: code");
  EXPECT_EQ(refusal(std::string("\x08\x01\x20\x01\x2a\x01x", 7)), "malformed record: session");
  EXPECT_EQ(refusal(std::string("\x08\x01\x20\x01\x4a\x00", 6)), "malformed record: changes.key");
}

TEST(Record, CutAnywhereIsMalformedOrAnotherRecord) {
  const RecordPtr whole =
      seal(Record{.lsn = Lsn{1}, .changes = {{"key", "value"}, {"gone", {}}}, .reply = "reply"}, {});
  for (std::size_t size = 0; size < whole->bytes.size(); ++size) {
    const auto cut = unseal(whole->bytes.substr(0, size), {});
    if (cut) {
      EXPECT_NE((*cut)->hash, whole->hash);
    }
  }
}

TEST(Record, WithAFieldOfALaterVersionIsRefused) {
  const std::string later("\xf8\x06\x01", 3);  // field 111, varint 1
  const RecordPtr record = seal(Record{.lsn = Lsn{1}}, {});
  EXPECT_EQ(refusal(std::string(record->bytes) + later), "malformed record: a field of a later version");
  // The same within a change.
  EXPECT_EQ(refusal(std::string(record->bytes) + std::string("\x4a\x06\x0a\x01k", 5) + later),
            "malformed record: a field of a later version");
  EXPECT_TRUE(unseal(record->bytes, {}).has_value()) << "the record after it is none the worse for it";
}

TEST(Session, WithRepliesOutOfOrderIsMalformed) {
  Session session{.ack_below = 1};
  session.replies[1] = {};
  const std::string one = encode_session(session);
  EXPECT_FALSE(decode_session(one + one).has_value());  // protobuf joins the lists: 1, 1
  EXPECT_FALSE(decode_session("nonsense").has_value());
}

class OurMistake : public ::testing::Test {
 protected:
  OurMistake() {
    set_check_handler([](const char*, const char*, int, const char*) { throw std::logic_error("check"); });
  }
  ~OurMistake() override { set_check_handler(nullptr); }
};

TEST_F(OurMistake, IsToSealWhatThePeerWouldRefuse) {
  EXPECT_THROW(seal(Record{}, {}), std::logic_error);
  EXPECT_THROW(seal(Record{.lsn = Lsn{1}, .changes = {{"", {}}}}, {}), std::logic_error);
  EXPECT_THROW(seal(Record{.lsn = Lsn{1}, .changes = {{std::string(481, 'k'), {}}}}, {}), std::logic_error);
  EXPECT_THROW(seal(Record{.lsn = Lsn{1}, .kind = RecordKind::leads}, {}), std::logic_error);
  EXPECT_THROW(seal(Record{.lsn = Lsn{1}, .reply = std::string(record_bytes_max, 'r')}, {}),
               std::logic_error);
  // And the next record is none the worse for it.
  EXPECT_EQ(unseal(seal(Record{.lsn = Lsn{1}}, {})->bytes, {}).value()->record, Record{.lsn = Lsn{1}});
}

}  // namespace
}  // namespace pollux
