#include "pollux/core/hash.h"

#include <sodium.h>

#include "pollux/core/check.h"

namespace pollux {

std::string to_string(const Hash& hash) { return to_hex(hash.bytes.data(), hash.bytes.size()); }

Hash chain_hash(const Hash& previous, std::string_view record_bytes) {
  // The previous hash is the data's first 32 bytes, not the key: a key would cost one more block.
  crypto_generichash_state state;
  Hash result;
  POLLUX_CHECK(crypto_generichash_init(&state, nullptr, 0, result.bytes.size()) == 0);
  POLLUX_CHECK(crypto_generichash_update(&state, previous.bytes.data(), previous.bytes.size()) == 0);
  POLLUX_CHECK(crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(record_bytes.data()),
                                         record_bytes.size()) == 0);
  POLLUX_CHECK(crypto_generichash_final(&state, result.bytes.data(), result.bytes.size()) == 0);
  return result;
}

}  // namespace pollux
