// Bytes that are on users' disks. If one of these fails, the change needs a new format, not a new
// expectation.
#include <gtest/gtest.h>

#include <string>

#include "fuzz/codec_targets.h"

namespace pollux {
namespace {

std::string hex(const std::string& bytes) {
  return to_hex(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

TEST(Stability, ARecordsBytesAndHashStayWhatTheyWere) {
  const RecordPtr record = seal(Record{.lsn = Lsn{72},
                                       .epoch = Epoch{300},
                                       .time = WallTime{1'800'000'000'000'001},
                                       .sync = {SessionId{{5}}, 9},
                                       .ack_below = 5,
                                       .trace = 99,
                                       .changes = {{"account/1", "100"}, {"account/2", {}}},
                                       .code = Code::insufficient,
                                       .reply = "not enough"},
                                Hash{{7}});
  EXPECT_EQ(hex(std::string(record->bytes)),
            "084810ac0219018098281765060020012a100500000000000000000000000000000030093805416300000000"
            "0000004a100a096163636f756e742f3112033130304a0b0a096163636f756e742f3250245a0a6e6f7420656e"
            "6f756768");
  EXPECT_EQ(to_string(record->hash), "09c041edba9ad5cc2741b6e43768064684ba6c6488ea68c1cc8c4b8f7882804a");
}

TEST(Stability, StoredStatesStayWhatTheyWere) {
  const auto state = testing::codec_targets().at(4);
  ASSERT_EQ(state.seeds.size(), 3u);
  EXPECT_EQ(hex(state.seeds[0]), "0901000000000000001102000000000000001808220a080910482204646f6e65");
  EXPECT_EQ(hex(state.seeds[1]),
            "0a1006000000000000000000000000000000100118ac0222240a100100000000000000000000000000000012"
            "10020000000000000000000000000000002a240a100300000000000000000000000000000012100400000000"
            "0000000000000000000000322408461220070000000000000000000000000000000000000000000000000000"
            "0000000000");
  EXPECT_EQ(hex(state.seeds[2]),
            "0a10010000000000000000000000000000001289010a1006000000000000000000000000000000100118ac02"
            "22240a10010000000000000000000000000000001210020000000000000000000000000000002a240a100300"
            "0000000000000000000000000000121004000000000000000000000000000000322408461220070000000000"
            "00000000000000000000000000000000000000000000000000001a1009000000000000000000000000000000"
            "2004");
}

}  // namespace
}  // namespace pollux
