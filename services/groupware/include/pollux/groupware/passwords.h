// Passwords as Argon2id hashes (RFC 9106): 19 MiB, two passes, in the usual text form ($argon2id$...).
//
// One computation needs 19 MiB and some 30 ms: run one at a time, and never on a thread that has to be quick.
#pragma once

#include <string>
#include <string_view>

#include "pollux/core/result.h"

namespace pollux {

struct PasswordLimits {
  static constexpr std::size_t bytes_max = 1024;
  static constexpr std::size_t memory_bytes = 19u << 20;
  static constexpr unsigned passes = 2;
};

/// `invalid_argument` for an empty or too long password; `io_error` without memory.
Result<std::string> hash_password(std::string_view password);
/// Takes as long for a wrong password as for the right one.
bool verify_password(std::string_view hash, std::string_view password);

}  // namespace pollux
