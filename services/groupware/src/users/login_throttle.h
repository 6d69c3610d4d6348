// Who has guessed wrong how often? Wrong passwords are counted for a user name and a client's network
// together, so that nobody can lock a user out from elsewhere, and guessing gets slow all the same.
//
// It does not know which users exist: unknown names are counted alike, so that its answers tell nothing. The
// same wrong password sent again is no guess: a client that goes on with an old one does not lock its owner
// out. What is counted is this gateway's alone, and ends with it.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "http/limits.h"

namespace pollux {

/// The part of a client's address that is counted: an IPv4 address, or the /64 of an IPv6 address (one
/// customer has at least that much). `address` is in network order: 4 or 16 bytes. An IPv4-mapped address
/// counts as the IPv4 address.
std::string client_network(std::string_view address);

class LoginThrottle {
 public:
  using Key = std::array<unsigned char, 16>;  ///< a keyed hash of a header with credentials
  using Instant = std::chrono::steady_clock::time_point;

  /// `secret` is the key of the hashes (32 bytes): names can't be chosen so that they meet.
  LoginThrottle(const GatewayLimits& limits, const std::array<unsigned char, 32>& secret);

  /// May this be verified now? None: yes, and `end` must follow. Otherwise how long to wait.
  std::optional<std::chrono::milliseconds> begin(std::string_view user, std::string_view client, Instant now);
  enum class End : std::uint8_t { right, wrong, unknown };  ///< unknown: it was not verified
  void end(std::string_view user, std::string_view client, const Key& credentials, End how, Instant now);

  [[nodiscard]] std::size_t remembered() const;  ///< at most limits.login_throttle_max

 private:
  using Name = std::array<unsigned char, 16>;
  struct HashName {
    std::size_t operator()(const Name& name) const noexcept;
  };
  static constexpr std::size_t guesses_kept = 4;
  struct Failures {
    Name name;
    unsigned guesses = 0;
    Instant last, not_before;
    std::array<std::uint64_t, guesses_kept> recent{};  ///< parts of the keys of the last wrong ones
  };
  using Place = std::list<Failures>::iterator;

  [[nodiscard]] Name name_of(std::string_view user, std::string_view client) const;
  /// What is known about it, unless that is old.
  Failures* find(const Name& name, Instant now);
  void count(const Name& name, const Key& credentials, Instant now);

  const GatewayLimits& limits_;
  const std::array<unsigned char, 32>& secret_;
  mutable std::mutex mutex_;
  std::list<Failures> failures_;  ///< the one that failed last is at the end
  std::unordered_map<Name, Place, HashName> places_;
  std::unordered_map<Name, unsigned, HashName> pending_;  ///< being verified; as many as connections at most
};

}  // namespace pollux
