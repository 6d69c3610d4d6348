#include "pollux/groupware/passwords.h"

#include <gtest/gtest.h>

namespace pollux {
namespace {

TEST(Passwords, AreArgon2idWithSaltAndTheParametersWeSay) {
  const auto hash = hash_password("correct horse");
  ASSERT_TRUE(hash);
  EXPECT_TRUE(hash->starts_with("$argon2id$v=19$m=19456,t=2,p=1$")) << *hash;
  EXPECT_NE(*hash, hash_password("correct horse").value());
  EXPECT_TRUE(verify_password(*hash, "correct horse"));
  EXPECT_FALSE(verify_password(*hash, "correct house"));
}

TEST(Passwords, EmptyAndEndlessOnesAreRefused) {
  EXPECT_EQ(hash_password("").error().code, Code::invalid_argument);
  EXPECT_EQ(hash_password(std::string(1025, 'x')).error().code, Code::invalid_argument);
}

TEST(Passwords, GarbageIsNoHashOfAnything) {
  EXPECT_FALSE(verify_password("", ""));
  EXPECT_FALSE(verify_password("garbage", "x"));
  EXPECT_FALSE(verify_password(std::string(1000, '$'), "x"));
}

}  // namespace
}  // namespace pollux
