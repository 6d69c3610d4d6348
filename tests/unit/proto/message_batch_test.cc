#include "pollux/proto/message_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "pollux/proto/message_codec.h"

namespace pollux {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string hello(std::uint64_t number) {
  return encode(RequesterMessage{ClusterId{{1}}, "pair", number, RequesterHello{}});
}

std::vector<std::uint64_t> numbers_in(const std::string& bytes) {
  std::vector<std::uint64_t> numbers;
  const auto count = for_each_message(bytes, [&](std::string_view message) {
    const auto decoded = decode_requester(message);
    ASSERT_TRUE(decoded.has_value()) << decoded.error().text;
    numbers.push_back(decoded->number);
  });
  EXPECT_TRUE(count.has_value());
  EXPECT_EQ(count.value_or(0), numbers.size());
  return numbers;
}

TEST(MessageBatch, KeepsMessagesInOrder) {
  MessageBatch batch;
  for (std::uint64_t number = 1; number <= 4; ++number) batch.add(hello(number));
  EXPECT_THAT(numbers_in(batch.take()), ElementsAre(1, 2, 3, 4));
  EXPECT_TRUE(batch.empty());
  batch.add(hello(5));
  batch.add(hello(6));
  EXPECT_THAT(numbers_in(batch.take()), ElementsAre(5, 6));
}

TEST(MessageBatch, OfOneIsTheMessageItself) {
  MessageBatch batch;
  EXPECT_TRUE(batch.empty());
  batch.add(hello(7));
  EXPECT_EQ(batch.take(), hello(7));
  EXPECT_THAT(numbers_in(hello(8)), ElementsAre(8));
}

TEST(MessageBatch, IsFullAtItsLimit) {
  MessageBatch batch;
  batch.add(hello(1));
  EXPECT_FALSE(batch.full());
  batch.add(std::string(message_batch_bytes, 'x'));
  EXPECT_TRUE(batch.full());
}

std::string refusal(const std::string& bytes) {
  const auto count = for_each_message(bytes, [](std::string_view) { FAIL() << "nothing of it is to be used"; });
  return count ? "accepted" : count.error().text;
}

TEST(MessageBatch, CutAnywhereIsRefusedAsAWhole) {
  MessageBatch batch;
  for (std::uint64_t number = 1; number <= 3; ++number) batch.add(hello(number));
  const std::string whole = batch.take();
  const std::size_t one = 4 + hello(1).size();
  for (std::size_t size = 9; size < whole.size(); ++size) {
    if ((size - 8) % one == 0) continue;  // a shorter batch
    EXPECT_EQ(refusal(whole.substr(0, size)), "malformed batch: a length does not fit") << size;
  }
}

TEST(MessageBatch, OfAnotherVersionIsRefused) {
  MessageBatch batch;
  batch.add(hello(1));
  batch.add(hello(2));
  std::string bytes = batch.take();
  bytes[4] = static_cast<char>(protocol_version + 1);
  EXPECT_THAT(refusal(bytes), HasSubstr("protocol version 2"));
}

TEST(MessageBatch, WithinABatchIsNoMessage) {
  MessageBatch inner, outer;
  inner.add(hello(1));
  inner.add(hello(2));
  outer.add(inner.take());
  outer.add(hello(3));
  std::vector<std::string> refused;
  const auto count = for_each_message(outer.take(), [&](std::string_view message) {
    if (const auto decoded = decode_requester(message); !decoded) refused.push_back(decoded.error().text);
  });
  EXPECT_EQ(count.value_or(0), 2U);
  EXPECT_THAT(refused, ElementsAre(HasSubstr("a batch where a requester message belongs")));
}

}  // namespace
}  // namespace pollux
