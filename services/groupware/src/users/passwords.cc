#include "pollux/groupware/passwords.h"

#include <sodium.h>

#include <array>

namespace pollux {

Result<std::string> hash_password(std::string_view password) {
  if (password.empty() || password.size() > PasswordLimits::bytes_max) {
    return fail(Code::invalid_argument,
                "A password has 1 to " + std::to_string(PasswordLimits::bytes_max) + " bytes.");
  }
  if (sodium_init() < 0) return fail(Code::io_error, "libsodium can't be used: no random numbers.");
  std::array<char, crypto_pwhash_STRBYTES> hash{};
  if (crypto_pwhash_str_alg(hash.data(), password.data(), password.size(), PasswordLimits::passes,
                            PasswordLimits::memory_bytes, crypto_pwhash_ALG_ARGON2ID13) != 0) {
    return fail(Code::io_error, "There is no memory (19 MiB) to hash a password with.");
  }
  return std::string(hash.data());
}

bool verify_password(std::string_view hash, std::string_view password) {
  if (sodium_init() < 0 || password.size() > PasswordLimits::bytes_max) return false;
  std::array<char, crypto_pwhash_STRBYTES> text{};
  if (hash.size() >= text.size()) return false;
  hash.copy(text.data(), hash.size());
  return crypto_pwhash_str_verify(text.data(), password.data(), password.size()) == 0;
}

}  // namespace pollux
