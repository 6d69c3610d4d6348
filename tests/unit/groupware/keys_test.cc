#include "state/keys.h"

#include <gtest/gtest.h>

namespace pollux {
namespace {

TEST(GroupwareKeys, LongNamesAreCutAndHashedToStayWithinTheLimit) {
  const std::string a(1000, 'x');
  std::string b = a;
  b.back() = 'y';
  EXPECT_LE(entry_key(7, a).size(), 480U);
  EXPECT_NE(entry_key(7, a), entry_key(7, b));
  EXPECT_EQ(entry_key(7, a), entry_key(7, a));
  EXPECT_LE(uid_key(7, std::string(4096, 'u')).size(), 480U);
}

TEST(GroupwareKeys, TheLongestNameThatIsNotHashedKeepsItsOwnKey) {
  const std::string longest(key_text_bytes_max, 'x');
  EXPECT_EQ(entry_key(7, longest).size(), 9 + key_text_bytes_max);
  EXPECT_NE(entry_key(7, longest), entry_key(7, longest + "x"));
}

TEST(GroupwareKeys, NumbersSortAsNumbers) {
  EXPECT_LT(stored_key(1, 255), stored_key(1, 256));
  EXPECT_LT(entry_key(255, "z"), entry_key(256, "a"));
  EXPECT_EQ(number_at_end(stored_key(3, 0x0102030405060708)), 0x0102030405060708U);
}

TEST(GroupwareKeys, ARangeHoldsOneCollectionOnly) {
  const auto range = collection_range('e', 255);
  EXPECT_LE(range.from, entry_key(255, "a"));
  EXPECT_GT(range.to, entry_key(255, std::string(400, '\xf4')));
  EXPECT_LE(range.to, entry_key(256, "a"));
}

}  // namespace
}  // namespace pollux
