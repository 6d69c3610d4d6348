#include <gtest/gtest.h>

#include "pollux/ipc/requester.h"

namespace pollux {
namespace {

TEST(StaticDirectory, FindsPairsAndNamesTheOnesItKnows) {
  const auto directory =
      make_static_directory({{ClusterId{{1}}, "ledger", {"ipc:///a"}}, {ClusterId{{1}}, "notes", {}}});
  EXPECT_EQ(directory->find("ledger").value().endpoints.at(0), "ipc:///a");
  const auto unknown = directory->find("legder");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code, Code::unknown_pair);
  EXPECT_EQ(unknown.error().text, "no pair is named 'legder'; there is 'ledger', 'notes'");
}

}  // namespace
}  // namespace pollux
