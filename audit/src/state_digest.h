// The digest of a state: all rows and all sessions, in key order. The same for every kind of tables.
#pragma once

#include <sodium.h>

#include <string_view>

#include "bytes.h"
#include "pollux/core/check.h"
#include "pollux/core/hash.h"

namespace pollux {

class StateDigest {
 public:
  StateDigest() { POLLUX_CHECK(crypto_generichash_init(&state_, nullptr, 0, 32) == 0); }
  void row(std::string_view key, std::string_view value) { add('r', key, value); }
  void session(std::string_view id, std::string_view encoded) { add('s', id, encoded); }
  [[nodiscard]] Hash finish() {
    Hash hash;
    POLLUX_CHECK(crypto_generichash_final(&state_, hash.bytes.data(), hash.bytes.size()) == 0);
    return hash;
  }

 private:
  // Sizes first: otherwise bytes could move from a key into its value unnoticed.
  void add(char kind, std::string_view key, std::string_view value) {
    std::string head(1, kind);
    put_number(head, static_cast<std::uint64_t>(key.size()));
    put_number(head, static_cast<std::uint64_t>(value.size()));
    for (const std::string_view part : {std::string_view(head), key, value}) {
      crypto_generichash_update(&state_, reinterpret_cast<const unsigned char*>(part.data()), part.size());
    }
  }
  crypto_generichash_state state_;
};

}  // namespace pollux
