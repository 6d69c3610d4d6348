// The search for an order must find one where there is one, and must not where there is none.
#include "simulation/linearizable.h"

#include <gtest/gtest.h>

namespace pollux::testing {
namespace {

using Kind = RegisterOperation::Kind;

RegisterOperation read(std::uint64_t invoked, std::uint64_t returned, std::uint64_t saw) {
  return {.kind = Kind::read, .invoked = invoked, .returned = returned, .saw = saw, .text = "read"};
}
RegisterOperation swap(std::uint64_t invoked, std::uint64_t returned, std::uint64_t value, std::uint64_t saw) {
  return {.kind = Kind::swap, .invoked = invoked, .returned = returned, .value = value, .saw = saw, .text = "swap"};
}
RegisterOperation cas(std::uint64_t invoked, std::uint64_t returned, std::uint64_t expected, std::uint64_t value,
                      std::uint64_t saw) {
  return {.kind = Kind::compare_and_swap, .invoked = invoked, .returned = returned, .expected = expected,
          .value = value, .saw = saw, .succeeded = saw == expected, .text = "cas"};
}

TEST(Linearizable, OperationsOneAfterTheOther) {
  EXPECT_FALSE(find_contradiction({swap(1, 2, 10, 0), read(3, 4, 10), swap(5, 6, 11, 10), read(7, 8, 11)}));
}

TEST(Linearizable, OverlappingOperationsMayComeInEitherOrder) {
  EXPECT_FALSE(find_contradiction({swap(1, 6, 10, 0), read(2, 3, 0), read(4, 5, 10)}));
  EXPECT_FALSE(find_contradiction({swap(1, 6, 10, 11), swap(2, 5, 11, 0), read(7, 8, 10)}));
}

TEST(Linearizable, AStaleReadIsFound) {
  EXPECT_TRUE(find_contradiction({swap(1, 2, 10, 0), read(3, 4, 0)}));
}

TEST(Linearizable, AReadThatGoesBackIsFound) {
  EXPECT_TRUE(find_contradiction({swap(1, 8, 10, 0), read(2, 3, 10), read(4, 5, 0)}));
}

TEST(Linearizable, ALostUpdateIsFound) {
  EXPECT_TRUE(find_contradiction({swap(1, 2, 10, 0), swap(3, 4, 11, 0)}));
}

TEST(Linearizable, ADoubledUpdateIsFound) {
  // 10 was written, replaced by 11, and is there again.
  EXPECT_TRUE(find_contradiction({swap(1, 2, 10, 0), swap(3, 4, 11, 10), read(5, 6, 10)}));
}

TEST(Linearizable, WhatWasNeverAnsweredMayHaveHappenedOrNot) {
  EXPECT_FALSE(find_contradiction({swap(1, 0, 10, 0), read(2, 3, 0), read(4, 5, 10), swap(6, 7, 12, 10)}));
  EXPECT_FALSE(find_contradiction({swap(1, 0, 10, 0), read(2, 3, 0), read(4, 5, 0)}));
  EXPECT_TRUE(find_contradiction({swap(1, 0, 10, 0), read(2, 3, 10), read(4, 5, 0)}));
}

TEST(Linearizable, ACompareAndSwapTellsWhatItFound) {
  EXPECT_FALSE(find_contradiction({swap(1, 2, 10, 0), cas(3, 4, 10, 11, 10), cas(5, 6, 10, 12, 11), read(7, 8, 11)}));
  EXPECT_TRUE(find_contradiction({swap(1, 2, 10, 0), cas(3, 4, 10, 11, 10), cas(5, 6, 10, 12, 10)}));
}

TEST(Linearizable, ManyOverlappingOperationsDoNotTakeForEver) {
  std::vector<RegisterOperation> operations;
  for (std::uint64_t i = 0; i < 40; ++i) operations.push_back(swap(i + 1, 0, 1000 + i, 0));
  for (std::uint64_t i = 0; i < 40; ++i) operations.push_back(read(100 + 2 * i, 101 + 2 * i, 1000 + i));
  EXPECT_FALSE(find_contradiction(operations));
}

}  // namespace
}  // namespace pollux::testing
